"""Into how many pieces has matter come apart?"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def components(points: Array, reach: float) -> Array:
    """A label for each point: points closer than `reach` belong together, and so does what they touch.

    Points are put into bins so small that all points of a bin belong together; then bins are joined where two of their
    points are close. Bins that are joined already are not looked at again.
    """
    count, dimension = points.shape
    if count == 0:
        return np.zeros(0, int)
    size = 0.999 * reach / np.sqrt(dimension)
    cells = np.floor((points - points.min(axis=0)) / size).astype(np.int64)
    bins, home = np.unique(cells, axis=0, return_inverse=True)
    home = home.reshape(-1)
    order = np.argsort(home, kind="stable")
    starts = np.searchsorted(home[order], np.arange(len(bins) + 1))
    number = {tuple(cell): i for i, cell in enumerate(bins.tolist())}
    parent = list(range(len(bins)))
    apart = len(bins)

    # near bins first: they nearly always touch, and leave little for the rest
    offsets = [o for o in itertools.product(range(-2, 3), repeat=dimension) if o > (0,) * dimension]
    for offset in sorted(offsets, key=lambda o: sum(x * x for x in o)):
        if apart == 1:
            break
        for i, cell in enumerate((bins + offset).tolist()):
            j = number.get(tuple(cell))
            if j is None:
                continue
            a, b = root(parent, i), root(parent, j)
            if a == b:
                continue
            ours, theirs = points[order[starts[i] : starts[i + 1]]], points[order[starts[j] : starts[j + 1]]]
            if np.min(np.sum((ours[:, None] - theirs[None]) ** 2, axis=2)) < reach * reach:
                parent[max(a, b)] = min(a, b)
                apart -= 1
    roots = np.array([root(parent, i) for i in range(len(bins))])
    return np.unique(roots[home], return_inverse=True)[1].reshape(-1)


def root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def large_pieces(points: Array, masses: Array, reach: float, part: float = 0.2) -> int:
    """How many connected pieces hold at least this part of the mass."""
    weights = np.bincount(components(points, reach), weights=masses)
    return int(np.count_nonzero(weights >= part * masses.sum()))
