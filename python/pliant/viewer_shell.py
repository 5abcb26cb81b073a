"""Surfaces of matter in the web viewer: vertices that move, and triangles too where matter flows."""

import json
import struct
from typing import Any

import numpy as np

from pliant.colors import Scale, ramp
from pliant.drape import BACK, UNKNOWN
from pliant.sheet import vertex_normals
from pliant.shell import Shell

FLOAT, UNSIGNED_INT = 5126, 5125  # numbers of types in glTF


class ShellMesh:
    """One piece of matter in the scene tree of a viser server."""

    def __init__(self, scene: Any, name: str):
        self.scene, self.path = scene, f"/matter/{name}"
        self.sides: list[Any] = []  # front, and back of what is open, in plain colours
        self.colored: Any = None  # or one mesh with a colour at each vertex

    def show(self, shell: Shell, field: str, scale: Scale | None) -> None:
        if len(shell.triangles) == 0:
            self.remove()
            return
        values = None if scale is None else shell.values(field)
        if values is not None:
            self.show_numbers(shell, ramp(values, scale.low, scale.high))
            return
        names = ("front",) if shell.closed else ("front", "back")
        if self.colored is not None or len(self.sides) != len(names):
            self.remove()
            self.sides = [self.add_side(shell, name) for name in names]
        color = np.array(shell.color if scale is None else UNKNOWN)
        vertices, faces = shell.vertices.astype(np.float32), shell.triangles.astype(np.uint32)
        for handle, bright in zip(self.sides, (1.0, BACK), strict=False):
            handle.vertices = vertices
            if not shell.lasting:
                handle.faces = faces
            handle.color = tuple(int(c) for c in 255 * bright * color + 0.5)

    def add_side(self, shell: Shell, side: str) -> Any:
        vertices, faces = shell.vertices.astype(np.float32), shell.triangles.astype(np.uint32)
        return self.scene.add_mesh_simple(f"{self.path}/{side}", vertices, faces, side=side)

    def show_numbers(self, shell: Shell, colors: np.ndarray) -> None:
        """A mesh whose colours change must be sent anew; the page puts it in the place of the last one."""
        if self.colored is None:
            self.remove()
        bytes_ = glb(shell.vertices, shell.triangles, colors, both_sides=not shell.closed)
        self.colored = self.scene.add_glb(f"{self.path}/colored", bytes_)

    def remove(self) -> None:
        for handle in [*self.sides, self.colored]:
            if handle is not None:
                handle.remove()
        self.sides, self.colored = [], None


def glb(vertices: np.ndarray, triangles: np.ndarray, colors: np.ndarray, both_sides: bool = True) -> bytes:
    """A surface as one binary glTF 2.0, with normals and a colour, sRGB 0..1, at each vertex."""
    normals, count = vertex_normals(vertices.astype(float), triangles), len(vertices)
    columns = {"POSITION": vertices, "NORMAL": normals, "COLOR_0": colors**2.2}  # glTF wants linear colours
    faces = triangles.astype("<u4")
    if both_sides:
        backs = {"POSITION": vertices, "NORMAL": -normals, "COLOR_0": (BACK * colors) ** 2.2}
        columns = {name: np.concatenate([column, backs[name]]) for name, column in columns.items()}
        faces = np.concatenate([faces, faces[:, ::-1] + np.uint32(count)])
        count *= 2
    chunks = [np.asarray(column, "<f4").tobytes() for column in columns.values()] + [faces.tobytes()]
    starts = np.cumsum([0, *(len(chunk) for chunk in chunks)])
    views = [{"buffer": 0, "byteOffset": int(a), "byteLength": len(c)} for a, c in zip(starts, chunks, strict=False)]
    parts = [{"bufferView": i, "componentType": FLOAT, "count": count, "type": "VEC3"} for i in range(3)]
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
