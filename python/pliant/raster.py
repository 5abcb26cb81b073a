"""The picture-plane half of the renderer: cameras, spheres into depth, filters on images. Numbers are float32."""

from dataclasses import dataclass, replace

import numpy as np

FAR = np.float32(1e9)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera. Depth is measured along its forward axis, m."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    field_of_view: float = 30.0  # degrees, vertical
    width: int = 640
    height: int = 480

    def scaled(self, factor: int) -> "Camera":
        return replace(self, width=factor * self.width, height=factor * self.height)

    @property
    def focal(self) -> np.float32:
        """Pixels per unit of slope."""
        return np.float32(0.5 * self.height / np.tan(np.radians(0.5 * self.field_of_view)))

    @property
    def axes(self) -> np.ndarray:
        """Rows: right, down, forward."""
        forward = np.subtract(self.target, self.eye, dtype=float)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0, 0, 1))
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(forward, right), forward], np.float32)

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns, rows and depths of points (n, 3), in pixels and m."""
        x, y, depth = self.axes @ (points.T - np.float32(self.eye)[:, None])
        scale = self.focal / np.maximum(depth, np.float32(1e-3))
        return x * scale + np.float32(0.5 * self.width), y * scale + np.float32(0.5 * self.height), depth

    def rays(self) -> np.ndarray:
        """(3, height, width): what to add to the eye for each unit of depth."""
        x = (np.arange(self.width, dtype=np.float32) + np.float32(0.5 - 0.5 * self.width)) / self.focal
        y = (np.arange(self.height, dtype=np.float32) + np.float32(0.5 - 0.5 * self.height)) / self.focal
        right, down, forward = self.axes[:, :, None, None]
        return forward + x * right + y[:, None] * down


def in_front(column, row, depth, radius, bulge, shape) -> np.ndarray:
    """Indices of the spheres that can be seen: in the picture, and not far behind others of the same spot."""
    height, width = shape
    seen = (depth > 0) & (column > -radius) & (column < width + radius) & (row > -radius) & (row < height + radius)
    spheres = np.flatnonzero(seen)
    if spheres.size == 0:
        return spheres
    spot = np.float32(max(1.0, float(np.median(radius[spheres]))))
    across = int(width / spot) + 3
    cell = (np.clip(row[spheres] / spot, -1, None) + 1).astype(np.int64) * across
    cell += np.clip(column[spheres] / spot + 1, 0, across - 1).astype(np.int64)
    nearest = np.full(int(cell.max()) + 1, FAR, np.float32)
    np.minimum.at(nearest, cell, depth[spheres])
    # six radii deep is behind any slope that is not seen edge-on
    return spheres[depth[spheres] < nearest[cell] + np.float32(6 * bulge)]


def splat(
    column: np.ndarray, row: np.ndarray, depth: np.ndarray, radius: np.ndarray, bulge: float, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest depth per pixel and the sphere seen there (-1: none). Radii in pixels; fronts stand out by `bulge` m."""
    height, width = shape
    front = np.full(height * width, FAR, np.float32)
    index = np.full(height * width, -1, np.int32)

    # far to near: where several spheres cover a pixel, the last one written is the nearest
    order = in_front(column, row, depth, radius, bulge, shape)
    order = order[np.argsort(-depth[order])].astype(np.int32)
    if order.size == 0:
        return front.reshape(shape), index.reshape(shape)
    column, row, depth, radius = column[order], row[order], depth[order], radius[order]
    left, top = np.floor(column), np.floor(row)
    off_x, off_y = left + np.float32(0.5) - column, top + np.float32(0.5) - row
    left, top = left.astype(np.int32), top.astype(np.int32)
    inverse = np.float32(1) / (radius * radius)

    # all spheres at once, one pixel of each at a time
    reach = int(np.ceil(radius.max()))
    for j in range(-reach, reach + 1):
        cap_row = 1 - (off_y + np.float32(j)) ** 2 * inverse
        in_rows = (cap_row > 0) & (top + j >= 0) & (top + j < height)
        for i in range(-reach, reach + 1):
            cap = cap_row - (off_x + np.float32(i)) ** 2 * inverse
            seen = np.flatnonzero((cap > 0) & in_rows & (left + i >= 0) & (left + i < width))
            pixel = (top[seen] + j) * width + (left[seen] + i)
            z = depth[seen] - np.float32(bulge) * np.sqrt(cap[seen])
            nearer = z < front[pixel]
            pixel = pixel[nearer]
            front[pixel] = z[nearer]
            index[pixel] = order[seen[nearer]]
    return front.reshape(shape), index.reshape(shape)


def shifted(image: np.ndarray, by: int, axis: int) -> np.ndarray:
    """image[i + by] along one of the last two axes, the edge repeated."""
    out = np.empty_like(image)
    image, moved = (np.moveaxis(a, axis, 0) for a in (image, out))
    if by > 0:
        moved[:-by], moved[-by:] = image[by:], image[-1:]
    else:
        moved[-by:], moved[:-by] = image[:by], image[:1]
    return out


def blur(image: np.ndarray, radius: int, axes: tuple = (0, 1)) -> np.ndarray:
    """Box blur along some axes, the edge repeated."""
    for axis in axes:
        pad = [(0, 0)] * image.ndim
        pad[axis] = (radius + 1, radius)
        total = np.moveaxis(np.cumsum(np.pad(image, pad, mode="edge"), axis=axis, dtype=np.float64), axis, 0)
        mean = (total[2 * radius + 1 :] - total[: -2 * radius - 1]) / (2 * radius + 1)
        image = np.moveaxis(mean.astype(np.float32), 0, axis)
    return image


def smooth_depth(depth: np.ndarray, reach: float, step: np.float32) -> np.ndarray:
    """Levels a depth image over about `reach` pixels without mixing what lies more than `step` apart in depth."""
    strides = [2**k for k in range(8) if 2**k <= reach]
    for by in reversed(strides):
        for axis in (0, 1):
            moved = np.zeros_like(depth)
            weight = np.full_like(depth, 2)
            for sign in (-1, 1):
                difference = shifted(depth, sign * by, axis) - depth
                near = np.abs(difference) < step
                difference *= near
                moved += difference
                weight += near
            moved /= weight
            depth = depth + moved
    return depth


def normals_of(points: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """(3, height, width) normals of the surface seen, from the neighbour nearer in depth on each axis."""
    tangents = []
    for axis in (1, 0):
        ahead, behind = shifted(depth, 1, axis) - depth, depth - shifted(depth, -1, axis)
        forward = np.abs(ahead) < np.abs(behind)
        moved = [np.where(forward, shifted(p, 1, axis) - p, p - shifted(p, -1, axis)) for p in points]
        tangents.append(moved)
    (ax, ay, az), (bx, by, bz) = tangents[1], tangents[0]
    return unit(np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (3, ...) of length one."""
    x, y, z = vectors
    return vectors / np.sqrt(x * x + y * y + z * z + np.float32(1e-30))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def nearest(image: np.ndarray, column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Values of an image (height, width, ...) at the pixels that hold these places, the edge repeated."""
    height, width = image.shape[:2]
    flat = np.clip(row, 0, height - 1).astype(np.int32) * width + np.clip(column, 0, width - 1).astype(np.int32)
    return image.reshape(height * width, *image.shape[2:])[flat]


def bilinear(image: np.ndarray, column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Values of an image (height, width) between its pixels, the edge repeated."""
    height, width = image.shape
    x = np.clip(column - np.float32(0.5), 0, np.float32(width - 1.001))
    y = np.clip(row - np.float32(0.5), 0, np.float32(height - 1.001))
    left, top = x.astype(np.int32), y.astype(np.int32)
    x, y = x - left, y - top
    flat = image.ravel()
    corner = top * width + left
    upper = flat[corner] * (1 - x) + flat[corner + 1] * x
    lower = flat[corner + width] * (1 - x) + flat[corner + width + 1] * x
    return upper * (1 - y) + lower * y


def bounds(mask: np.ndarray, margin: int = 3) -> tuple[slice, slice] | None:
    """The smallest window that holds all of a mask."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    return (
        slice(max(int(rows[0]) - margin, 0), int(rows[-1]) + 1 + margin),
        slice(max(int(columns[0]) - margin, 0), int(columns[-1]) + 1 + margin),
    )
