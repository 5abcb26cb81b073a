"""The peer of gradients: the step of peer_taichi.py with Taichi's own automatic differentiation.

All states and grids of a stretch of substeps are kept, so that nothing is computed twice. Prints one line of JSON: ms
per substep forward and backward, and the derivative of a loss by the velocity that all particles have at the start, by
which bench/run sees that we and the peer differentiate the same. Compiling is not counted.

  rotation svd        Taichi's ti.svd
           iteration  by hand: six rounds of Newton's iteration for the polar decomposition, written out
"""

import argparse
import json
import time

import numpy as np
import taichi as ti
from peer_taichi import CELL, DT, FALL_SPEED, FLOOR_NODE, GRAVITY, LAMBDA, MASS, MU, VOLUME, cube_points, start_taichi

SUBSTEPS = 16  # of one World::step, as in falling_cube.h
WARM = 2  # stretches before the clock starts, as in gradient_bench.cpp
SEED = (1.0, 0.5, 0.25)  # derivative of the loss by the position of each particle, as in gradient_bench.cpp


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--law", choices=["neo_hookean", "fixed_corotated"], default="neo_hookean")
    parser.add_argument("--scalar", choices=["float", "double"], default="float")
    parser.add_argument("--side", type=int, default=20, help="cells along the cube's edge")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rotation", choices=["svd", "iteration"], default="svd")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cache", default=None, help="folder for compiled kernels")
    return parser.parse_args()


@ti.data_oriented
class TapedCube:
    def __init__(self, choice):
        self.choice = choice
        self.real = ti.f32 if choice.scalar == "float" else ti.f64
        self.dtype = np.float32 if choice.scalar == "float" else np.float64
        self.serial = choice.threads == 1
        self.start = cube_points(choice.side, "sorted")
        self.count = len(self.start)
        self.nodes = (choice.side + 10, choice.side + 10, choice.side + 9)
        particles = (SUBSTEPS + 1, self.count)
        grid = (SUBSTEPS, *self.nodes)
        self.x = ti.Vector.field(3, self.real, shape=particles, needs_grad=True)
        self.v = ti.Vector.field(3, self.real, shape=particles, needs_grad=True)
        self.C = ti.Matrix.field(3, 3, self.real, shape=particles, needs_grad=True)
        self.F = ti.Matrix.field(3, 3, self.real, shape=particles, needs_grad=True)
        self.G = ti.Matrix.field(3, 3, self.real, shape=(SUBSTEPS, self.count), needs_grad=True)
        self.momentum = ti.Vector.field(3, self.real, shape=grid, needs_grad=True)
        self.mass = ti.field(self.real, shape=grid, needs_grad=True)
        self.velocity = ti.Vector.field(3, self.real, shape=grid, needs_grad=True)

    def reset(self):
        n = self.count
        first = {
            "x": self.start,
            "v": np.tile([0, 0, -FALL_SPEED], (n, 1)),
            "C": np.zeros((n, 3, 3)),
            "F": np.tile(np.eye(3), (n, 1, 1)),
        }
        for name, values in first.items():
            field = getattr(self, name)
            all_of_it = np.zeros((SUBSTEPS + 1, *values.shape), self.dtype)
            all_of_it[0] = values
            field.from_numpy(all_of_it)

    @ti.func
    def rotation(self, F):
        R = F
        if ti.static(self.choice.rotation == "svd"):
            U, _, V = ti.svd(F)
            R = U @ V.transpose()
        else:
            for _ in ti.static(range(6)):
                R = 0.5 * (R + R.inverse().transpose())
        return R

    @ti.func
    def kirchhoff_stress(self, F):
        identity = ti.Matrix.identity(self.real, 3)
        J = F.determinant()
        tau = identity
        if ti.static(self.choice.law == "neo_hookean"):
            tau = MU * (F @ F.transpose()) + (LAMBDA * ti.log(J) - MU) * identity
        else:
            tau = 2 * MU * ((F - self.rotation(F)) @ F.transpose()) + LAMBDA * (J - 1) * J * identity
        return tau

    @ti.func
    def stencil(self, x):
        base = ti.cast(x / CELL - 0.5, ti.i32)
        f = x / CELL - ti.cast(base, self.real)
        return base, f, [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2]

    @ti.kernel
    def clear(self):
        for node in ti.grouped(self.mass):
            self.momentum[node] = ti.Vector.zero(self.real, 3)
            self.mass[node] = 0

    # a kernel of its own: in one with the scatter, Taichi's derivative is not compiled within ten minutes
    @ti.kernel
    def stress_impulse(self, s: ti.i32):
        ti.loop_config(serialize=self.serial)
        for p in range(self.count):
            stress = (-4 * DT * VOLUME / CELL**2) * self.kirchhoff_stress(self.F[s, p])
            self.G[s, p] = stress + MASS * self.C[s, p]

    @ti.kernel
    def scatter(self, s: ti.i32):
        ti.loop_config(serialize=self.serial)
        for p in range(self.count):
            base, f, w = self.stencil(self.x[s, p])
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = CELL * (ti.Vector([i, j, k], dt=self.real) - f)
                weight = w[i][0] * w[j][1] * w[k][2]
                node = base + ti.Vector([i, j, k])
                self.momentum[s, node[0], node[1], node[2]] += weight * (MASS * self.v[s, p] + self.G[s, p] @ offset)
                self.mass[s, node[0], node[1], node[2]] += weight * MASS

    @ti.kernel
    def update(self, s: ti.i32):
        for i, j, k in ti.ndrange(*self.nodes):
            mass = self.mass[s, i, j, k]
            if mass > 0:
                v = self.momentum[s, i, j, k] / mass + ti.Vector([0, 0, -DT * GRAVITY], dt=self.real)
                if k <= FLOOR_NODE:
                    v[2] = ti.max(v[2], 0.0)
                self.velocity[s, i, j, k] = v

    @ti.kernel
    def gather(self, s: ti.i32):
        ti.loop_config(serialize=self.serial)
        for p in range(self.count):
            base, f, w = self.stencil(self.x[s, p])
            v = ti.Vector.zero(self.real, 3)
            B = ti.Matrix.zero(self.real, 3, 3)
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                node = base + ti.Vector([i, j, k])
                part = w[i][0] * w[j][1] * w[k][2] * self.velocity[s, node[0], node[1], node[2]]
                v += part
                B += part.outer_product(ti.Vector([i, j, k], dt=self.real) - f)
            C = (4 / CELL) * B
            self.v[s + 1, p] = v
            self.C[s + 1, p] = C
            self.F[s + 1, p] = self.F[s, p] + DT * (C @ self.F[s, p])
            self.x[s + 1, p] = self.x[s, p] + DT * v

    @ti.kernel
    def go_on(self):
        for p in range(self.count):
            self.x[0, p] = self.x[SUBSTEPS, p]
            self.v[0, p] = self.v[SUBSTEPS, p]
            self.C[0, p] = self.C[SUBSTEPS, p]
            self.F[0, p] = self.F[SUBSTEPS, p]

    @ti.kernel
    def seed(self):
        for p in range(self.count):
            self.x.grad[SUBSTEPS, p] = ti.Vector(SEED, dt=self.real)

    def forward(self):
        self.clear()
        for s in range(SUBSTEPS):
            self.stress_impulse(s)
            self.scatter(s)
            self.update(s)
            self.gather(s)

    def backward(self):
        for field in (self.x, self.v, self.C, self.F, self.G, self.momentum, self.mass, self.velocity):
            field.grad.fill(0)
        self.seed()
        for s in reversed(range(SUBSTEPS)):
            self.gather.grad(s)
            self.update.grad(s)
            self.scatter.grad(s)
            self.stress_impulse.grad(s)

    @ti.kernel
    def by_velocity(self) -> ti.types.vector(3, ti.f64):
        total = ti.Vector.zero(ti.f64, 3)
        for p in range(self.count):
            total += ti.cast(self.v.grad[0, p], ti.f64)
        return total


def measured(work):
    """Wall and processor time, ms per substep."""
    ti.sync()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    ti.sync()
    return [1e3 * t / SUBSTEPS for t in (time.perf_counter() - wall, time.process_time() - cpu)]


def main():
    choice = parse()
    start_taichi(choice)
    cube = TapedCube(choice)
    cube.reset()
    begun = time.perf_counter()
    cube.forward()
    cube.backward()
    ti.sync()
    compiling = time.perf_counter() - begun
    cube.reset()
    for _ in range(WARM):
        cube.forward()
        cube.go_on()
    runs = []
    for _ in range(choice.repeats):
        forward, backward = measured(cube.forward), measured(cube.backward)
        runs.append({"forward": forward, "backward": backward})
    gradient = [float(g) for g in cube.by_velocity()]
    print(json.dumps({"runs": runs, "by_velocity": gradient, "compiling": compiling}))


if __name__ == "__main__":
    main()
