"""Cloth in the web viewer: a surface whose vertices move."""

import json
import struct
from typing import Any

import numpy as np

from pliant.colors import Scale, ramp
from pliant.drape import BACK, UNKNOWN
from pliant.sheet import vertex_normals
from pliant.snapshot import Grains

FLOAT, UNSIGNED_INT = 5126, 5125  # numbers of types in glTF


class ClothMesh:
    """One piece of cloth in the scene tree of a viser server."""

    def __init__(self, scene: Any, cloth: Grains):
        self.scene, self.path, self.triangles = scene, f"/matter/{cloth.name}", cloth.triangles
        self.sides: list[Any] = []  # front and back, in plain colours
        self.colored: Any = None  # or one mesh with a colour at each vertex

    def show(self, cloth: Grains, field: str, scale: Scale | None) -> None:
        values = None if scale is None else cloth.vertex_values(field)
        vertices = cloth.positions[: cloth.vertex_count]
        if values is not None:
            self.show_numbers(vertices, ramp(values, scale.low, scale.high))
            return
        if self.colored is not None or not self.sides:
            self.remove()
            self.sides = [self.add_side(vertices, name) for name in ("front", "back")]
        color = np.array(cloth.color if scale is None else UNKNOWN)
        for handle, bright in zip(self.sides, (1.0, BACK), strict=True):
            handle.vertices = vertices
            handle.color = tuple(int(c) for c in 255 * bright * color + 0.5)

    def add_side(self, vertices: np.ndarray, side: str) -> Any:
        faces = self.triangles.astype(np.uint32)
        return self.scene.add_mesh_simple(f"{self.path}/{side}", vertices, faces, side=side)

    def show_numbers(self, vertices: np.ndarray, colors: np.ndarray) -> None:
        """A mesh whose colours change must be sent anew; the page puts it in the place of the last one."""
        if self.colored is None:
            self.remove()
        bytes_ = glb(vertices, self.triangles, colors)
        self.colored = self.scene.add_glb(f"{self.path}/colored", bytes_)

    def remove(self) -> None:
        for handle in [*self.sides, self.colored]:
            if handle is not None:
                handle.remove()
        self.sides, self.colored = [], None


def glb(vertices: np.ndarray, triangles: np.ndarray, colors: np.ndarray) -> bytes:
    """Both sides as one binary glTF 2.0, with normals and a colour, sRGB 0..1, at each vertex."""
    normals, count = vertex_normals(vertices.astype(float), triangles), len(vertices)
    light = np.concatenate([colors, BACK * colors]) ** 2.2  # glTF wants linear colours
    columns = {
        "POSITION": np.concatenate([vertices, vertices]),
        "NORMAL": np.concatenate([normals, -normals]),
        "COLOR_0": light,
    }
    faces = np.concatenate([triangles, triangles[:, ::-1] + count]).astype("<u4")
    chunks = [np.asarray(column, "<f4").tobytes() for column in columns.values()] + [faces.tobytes()]
    starts = np.cumsum([0, *(len(chunk) for chunk in chunks)])
    views = [{"buffer": 0, "byteOffset": int(a), "byteLength": len(c)} for a, c in zip(starts, chunks, strict=False)]
    parts = [{"bufferView": i, "componentType": FLOAT, "count": 2 * count, "type": "VEC3"} for i in range(3)]
    parts[0] |= {"min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()}
    parts.append({"bufferView": 3, "componentType": UNSIGNED_INT, "count": faces.size, "type": "SCALAR"})
    surface = {"attributes": {name: i for i, name in enumerate(columns)}, "indices": 3, "material": 0}
    scene = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "scene": 0,
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [surface]}],
        "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 1}}],
        "accessors": parts,
        "bufferViews": views,
        "buffers": [{"byteLength": int(starts[-1])}],
    }
    text = json.dumps(scene, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", int(starts[-1]), b"BIN\0")
    body += b"".join(chunks)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body
