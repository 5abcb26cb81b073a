"""Rows of bench/run for gradients: forward and backward of the falling cube, ours and Taichi's own.

A time is that of a recorded substep and its way back, by the wall clock; ours and the peer's runs take turns.
"""

import json
import statistics
from dataclasses import dataclass, field

THREADS = (1, 2)
TOLERANCE = 1e-4  # of the derivative by the first velocity: float, 16 substeps
GTX_1080_TI_MS = {8000: (0.392, 0.406), 64000: (1.594, 1.774), 512000: (10.501, 10.594)}  # S5, Table II


@dataclass(frozen=True)
class GradientCase:
    law: str
    dimension: int
    size: int  # cells of the cube's edge; particles in 2-D
    has_peer: bool

    @property
    def particles(self):
        return 8 * self.size**3 if self.dimension == 3 else self.size

    def name(self, threads):
        return f"gradient/{self.law}/{self.dimension}d/float/{self.particles}/{threads}"

    def settings(self):
        """How Taichi is asked: threads, and how it turns F into a rotation."""
        rotations = ("svd", "iteration") if self.law == "fixed_corotated" else ("svd",)
        return [(threads, rotation) for rotation in rotations for threads in THREADS] if self.has_peer else []


@dataclass
class GradientContest:
    case: GradientCase
    call: object  # runs a command and gives what it prints
    say: object
    ours: dict = field(default_factory=dict)  # by threads
    peer: dict = field(default_factory=dict)  # by setting

    def play(self, bench, peer_python, kernels):
        """One round, in turns."""
        for threads in THREADS:
            arguments = (self.case.law, self.case.dimension, self.case.size, threads)
            run = json.loads(self.call([bench / "gradient_bench", *arguments]))
            run["sum"] = run["recorded"][0] + run["backward"][0]
            self.ours.setdefault(threads, []).append(run)
            self.say(f"  ours   {run['sum']:8.2f} ms    {self.case.name(threads)}")
        for threads, rotation in self.case.settings():
            options = {"law": self.case.law, "side": self.case.size, "threads": threads, "rotation": rotation}
            words = [word for key, value in {**options, "cache": kernels}.items() for word in (f"--{key}", value)]
            script = kernels.parent.parent / "bench" / "peer_taichi_gradient.py"
            run = json.loads(self.call([peer_python, script, *words]).splitlines()[-1])
            run["sum"] = min(r["forward"][0] + r["backward"][0] for r in run["runs"])
            self.peer.setdefault((threads, rotation), []).append(run)
            self.say(f"  taichi {run['sum']:8.2f} ms    {self.case.name(threads)}  {rotation}")

    def disagreement(self):
        """Largest relative difference of the derivatives by the first velocity."""
        ours = self.ours[1][0]["by_velocity"]
        found = [run["by_velocity"] for runs in self.peer.values() for run in runs]
        size = max(abs(g) for g in ours)
        return max((abs(a - b) / size for peer in found for a, b in zip(ours, peer, strict=True)), default=0)

    def row(self, threads):
        def median(key):
            return statistics.median(run[key][0] for run in self.ours[threads])

        row = {
            "name": self.case.name(threads),
            "ms": statistics.median(run["sum"] for run in self.ours[threads]),
            "forward_ms": median("forward"),
            "recorded_ms": median("recorded"),
            "backward_ms": median("backward"),
            # by processor time, which other work on the machine changes less
            "backward_over_forward": statistics.median(run["ratio"] for run in self.ours[threads]),
            "megabytes_per_substep": self.ours[threads][-1]["megabytes"],
        }
        if self.case.particles in GTX_1080_TI_MS and self.case.dimension == 3:
            row["gtx_1080_ti_ms"] = sum(GTX_1080_TI_MS[self.case.particles])
        able = {s: min(run["sum"] for run in runs) for s, runs in self.peer.items() if s[0] <= threads}
        if able:
            best = min(able, key=able.get)
            row |= {"peer": "taichi", "peer_ms": able[best], "peer_setting": list(best)}
            row |= {"ratio": able[best] / row["ms"], "disagreement": self.disagreement()}
        return row


def contests_for(laws, quick, call, say):
    cases = []
    for law in laws:
        cases.append(GradientCase(law, 3, 20, True))
        if not quick:
            cases += [GradientCase(law, 3, 10, False), GradientCase(law, 3, 40, False)]
        cases.append(GradientCase(law, 2, 6400, False))
    return [GradientContest(case, call, say) for case in cases]


def print_rows(rows, say):
    say("\nForward and backward, ms per substep: wall time, but for the ratio of backward to forward. taichi: its own")
    say("differentiation in its best setting, compiling not counted. GTX: S5's own figures, GTX 1080 Ti.")
    head = f"{'name':44}{'sum':>8}{'forward':>9}{'recorded':>10}{'backward':>10}{'b/f':>6}"
    say(head + f"{'taichi':>9}{'ratio':>7}{'GTX':>7}")
    for r in rows:
        line = f"{r['name']:44}{r['ms']:8.2f}{r['forward_ms']:9.2f}{r['recorded_ms']:10.2f}{r['backward_ms']:10.2f}"
        line += f"{r['backward_over_forward']:6.2f}"
        line += f"{r['peer_ms']:9.1f}{r['ratio']:7.1f}" if "ratio" in r else " " * 16
        say(line + (f"{r['gtx_1080_ti_ms']:7.2f}" if "gtx_1080_ti_ms" in r else ""))


def goals_of(rows, laws):
    by_name = {row["name"]: row for row in rows}
    goals = []
    for law in laws:
        main = by_name[GradientCase(law, 3, 20, True).name(2)]
        goals.append((f"gradient, {law}, ratio to Taichi", main["ratio"], ">=", 15))
        goals.append((f"gradient, {law}, backward over forward", main["backward_over_forward"], "<=", 2))
        goals.append((f"gradient, {law}: disagreement with Taichi", main["disagreement"], "<=", TOLERANCE))
        large = by_name.get(GradientCase(law, 3, 40, False).name(2))
        if large:
            cost = large["ms"] / main["ms"] / 8
            goals.append((f"gradient, {law}, cost of a particle at 512,000 over 64,000", cost, "<=", 1.2))
        flat = by_name[GradientCase(law, 2, 6400, False).name(2)]
        goals.append((f"gradient, {law}, 2-D, 6,400 particles, ms", flat["ms"], "<=", 1.5))
    return goals
