"""The peer: the falling cube of falling_cube.cpp, stepped by MLS-MPM (S5, Eqs. 3-10) written in Taichi.

Runs one choice of law, scalar, size and setting, and prints one line of JSON: million particle-steps per second and
where the cube is in the end. bench/run calls it with many settings and keeps the best.

  scatter  atomic     particles to grid on all threads, Taichi's atomic adds
           serial     particles to grid on one thread without atomics, the rest on all threads
           private    by hand: a grid per thread, no atomics, grids summed
  rotation svd        Taichi's ti.svd
           iteration  by hand: Newton's iteration for the polar decomposition, stopped when it has converged
"""

import argparse
import json
import time

import numpy as np
import taichi as ti

# the scene, as in falling_cube.cpp
CELL = 0.01
FALL_SPEED = 2.0
FLOOR_NODE = 3  # highest node below the floor
CORNER = (5, 5, 5)
COURANT = 0.2
DENSITY, E, NU, GRAVITY = 1000.0, 1e5, 0.3, 9.81

MU = E / (2 * (1 + NU))
LAMBDA = E * NU / ((1 + NU) * (1 - 2 * NU))
DT = COURANT * CELL / ((LAMBDA + 2 * MU) / DENSITY) ** 0.5
VOLUME = CELL**3 / 8
MASS = DENSITY * VOLUME
BLOCK = 512


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--law", choices=["neo_hookean", "fixed_corotated"], default="neo_hookean")
    parser.add_argument("--scalar", choices=["float", "double"], default="float")
    parser.add_argument("--side", type=int, default=20, help="cells along the cube's edge")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--order", choices=["sorted", "shuffled"], default="sorted")
    parser.add_argument("--scatter", choices=["atomic", "serial", "private"], default="serial")
    parser.add_argument("--rotation", choices=["svd", "iteration"], default="svd")
    parser.add_argument("--warm", type=int, default=32, help="substeps before the clock starts")
    parser.add_argument("--substeps", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--cache", default=None, help="folder for compiled kernels")
    return parser.parse_args()


def random_bits(counter):
    """splitmix64: random bits of a counter."""
    z = (counter.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def cube_points(side, order):
    n = 2 * side
    p = np.arange(n**3)
    eighth = np.stack([p // (n * n), p // n % n, p % n], axis=1)
    unit = (random_bits(np.arange(3 * n**3)) >> np.uint64(11)).astype(float).reshape(-1, 3) * 2.0**-53
    x = ((eighth + unit) / 2 + np.array(CORNER)) * CELL
    x = x[np.argsort(random_bits(3 * n**3 + p))]
    if order == "sorted":
        cell = np.floor(x / CELL - 0.5).astype(np.int64)
        x = x[np.lexsort((cell[:, 2], cell[:, 1], cell[:, 0]))]
    return x


def elastic_energy(F, law):
    J = np.linalg.det(F)
    if law == "neo_hookean":
        density = MU / 2 * ((F**2).sum(axis=(1, 2)) - 3) - MU * np.log(J) + LAMBDA / 2 * np.log(J) ** 2
    else:
        stretch = np.linalg.svd(F, compute_uv=False)
        density = MU * ((stretch - 1) ** 2).sum(axis=1) + LAMBDA / 2 * (J - 1) ** 2
    return VOLUME * density.sum()


@ti.data_oriented
class Cube:
    def __init__(self, choice):
        self.choice = choice
        self.real = ti.f32 if choice.scalar == "float" else ti.f64
        self.tolerance = 1e-7 if choice.scalar == "float" else 1e-15
        self.start = cube_points(choice.side, choice.order)
        self.count = len(self.start)
        # just the room that the cube needs until it jumps up
        self.nodes = (choice.side + 10, choice.side + 10, choice.side + 9)
        self.grids = choice.threads if choice.scatter == "private" else 1
        vector = ti.types.vector(3, self.real)
        matrix = ti.types.matrix(3, 3, self.real)
        self.particle = ti.types.struct(x=vector, v=vector, C=matrix, F=matrix).field(shape=self.count)
        self.grid = ti.Vector.field(4, self.real, shape=(self.grids, *self.nodes))  # momentum (then velocity), mass

    def reset(self):
        dtype = np.float32 if self.choice.scalar == "float" else np.float64
        self.particle.x.from_numpy(self.start.astype(dtype))
        self.particle.v.from_numpy(np.tile(np.array([0, 0, -FALL_SPEED], dtype), (self.count, 1)))
        self.particle.C.fill(0)
        self.particle.F.from_numpy(np.tile(np.eye(3, dtype=dtype), (self.count, 1, 1)))

    @ti.func
    def polar_rotation(self, F):
        # Newton's iteration Q <- (Q + Q^-T) / 2; the inverse transposed is the cofactors over the determinant
        Q = F
        change = ti.cast(1, self.real)
        rounds = 0
        while change > self.tolerance and rounds < 20:
            a, b, c = Q[:, 0], Q[:, 1], Q[:, 2]
            cofactor = ti.Matrix.cols([b.cross(c), c.cross(a), a.cross(b)])
            better = 0.5 * (Q + cofactor / a.dot(cofactor[:, 0]))
            change = (better - Q).norm_sqr()
            Q = better
            rounds += 1
        return Q

    @ti.func
    def kirchhoff_stress(self, F):
        identity = ti.Matrix.identity(self.real, 3)
        J = F.determinant()
        tau = identity
        if ti.static(self.choice.law == "neo_hookean"):
            tau = MU * (F @ F.transpose()) + (LAMBDA * ti.log(J) - MU) * identity
        else:
            R = identity
            if ti.static(self.choice.rotation == "svd"):
                U, _, V = ti.svd(F)
                R = U @ V.transpose()
            else:
                R = self.polar_rotation(F)
            tau = 2 * MU * ((F - R) @ F.transpose()) + LAMBDA * (J - 1) * J * identity
        return tau

    @ti.func
    def stencil(self, x):
        base = ti.cast(x / CELL - 0.5, ti.i32)
        f = x / CELL - ti.cast(base, self.real)
        weights = ti.Matrix.cols([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2])
        return base, f, weights

    @ti.func
    def scatter(self, p, grid, atomic: ti.template()):
        base, f, w = self.stencil(self.particle[p].x)
        G = (-4 * DT * VOLUME / CELL**2) * self.kirchhoff_stress(self.particle[p].F) + MASS * self.particle[p].C
        at_base = MASS * self.particle[p].v - CELL * (G @ f)
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            momentum = at_base + CELL * (G @ ti.Vector([i, j, k], dt=self.real))
            part = w[0, i] * w[1, j] * w[2, k] * ti.Vector([momentum[0], momentum[1], momentum[2], MASS])
            node = ti.Vector([grid, base[0] + i, base[1] + j, base[2] + k])
            if ti.static(atomic):
                self.grid[node] += part
            else:
                self.grid[node] = self.grid[node] + part

    @ti.func
    def gather(self, p):
        base, f, w = self.stencil(self.particle[p].x)
        v = ti.Vector.zero(self.real, 3)
        B = ti.Matrix.zero(self.real, 3, 3)
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            node = self.grid[0, base[0] + i, base[1] + j, base[2] + k]
            part = w[0, i] * w[1, j] * w[2, k] * ti.Vector([node[0], node[1], node[2]])
            v += part
            B += part.outer_product(ti.Vector([i, j, k], dt=self.real) - f)
        C = (4 / CELL) * B
        self.particle[p].v = v
        self.particle[p].C = C
        self.particle[p].F += DT * (C @ self.particle[p].F)
        self.particle[p].x += DT * v

    @ti.kernel
    def substep(self):
        for node in ti.grouped(self.grid):
            self.grid[node] = ti.Vector.zero(self.real, 4)

        # particles to grid
        if ti.static(self.choice.scatter == "serial"):
            ti.loop_config(serialize=True)
            for p in range(self.count):
                self.scatter(p, 0, True)
        elif ti.static(self.choice.scatter == "private"):
            # Taichi runs short loops on one thread: a long one, with one index in BLOCK at work
            ti.loop_config(block_dim=BLOCK)
            for i in range(self.grids * BLOCK):
                t = i // BLOCK
                if i % BLOCK == 0:
                    for p in range(self.count * t // self.grids, self.count * (t + 1) // self.grids):
                        self.scatter(p, t, False)
        else:
            for p in range(self.count):
                self.scatter(p, 0, True)

        # momenta to velocities, gravity, floor
        for i, j, k in ti.ndrange(*self.nodes):
            node = self.grid[0, i, j, k]
            for t in ti.static(range(1, self.grids)):
                node += self.grid[t, i, j, k]
            if node[3] > 0:
                v = ti.Vector([node[0], node[1], node[2]]) / node[3]
                v[2] -= DT * GRAVITY
                if k <= FLOOR_NODE:
                    v[2] = ti.max(v[2], 0.0)
                self.grid[0, i, j, k] = ti.Vector([v[0], v[1], v[2], node[3]])

        # grid to particles
        for p in range(self.count):
            self.gather(p)

    def run(self, substeps):
        for _ in range(substeps):
            self.substep()

    def outcome(self):
        fields = {k: v.astype(float) for k, v in self.particle.to_numpy().items()}
        cell = fields["x"] / CELL
        if not (cell.min() > 1 and (cell.max(axis=0) < np.array(self.nodes) - 2).all()):
            raise SystemExit("the cube left the peer's grid: the measurement is void")
        moving = (fields["v"] ** 2).sum() + CELL**2 / 4 * (fields["C"] ** 2).sum()
        return {
            "height": cell[:, 2].mean(),
            "kinetic": 0.5 * MASS * moving,
            "elastic": elastic_energy(fields["F"], self.choice.law),
        }


def start_taichi(choice):
    cache = {"offline_cache_file_path": choice.cache} if choice.cache else {}
    ti.init(
        arch=ti.cpu,
        default_fp=ti.f32 if choice.scalar == "float" else ti.f64,
        cpu_max_num_threads=choice.threads,
        fast_math=True,
        log_level=ti.ERROR,
        offline_cache=bool(choice.cache),
        **cache,
    )


def main():
    choice = parse()
    start_taichi(choice)
    cube = Cube(choice)
    cube.reset()
    cube.substep()  # compiles
    mpps = []
    cpu_mpps = []
    for _ in range(choice.repeats):
        cube.reset()
        cube.run(choice.warm)
        ti.sync()
        wall, cpu = time.perf_counter(), time.process_time()
        cube.run(choice.substeps)
        ti.sync()
        work = cube.count * choice.substeps / 1e6
        mpps.append(work / (time.perf_counter() - wall))
        cpu_mpps.append(work / (time.process_time() - cpu))
    print(json.dumps({"mpps": mpps, "cpu_mpps": cpu_mpps, **cube.outcome()}))


if __name__ == "__main__":
    main()
