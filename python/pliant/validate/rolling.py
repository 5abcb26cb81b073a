"""Balls and cylinders, as good as rigid, that roll, slide and spin. r/h is 9; the contact is no deeper than r/200.

Friction that slides shears the elastic spot, whose middle is then no longer below the ball's: by .011 mu r at E 1e7
(Mindlin, with Dundurs' coupling), which turns a ball 1.1 % less than a rigid one. It goes with E^(-2/3), so balls that
slide for long are stiffer."""

import math
from dataclasses import dataclass

from pliant._core import Scene
from pliant.shapes import Cylinder, Sphere
from pliant.validate.case import GRAVITY, Case, Run, View
from pliant.validate.parts import box_geom, fixed, piece, plane, scene, stuff, tilted
from pliant.validate.place import about
from pliant.validate.row import FRICTION, Curve, Measured, row

FIRST = {"tilts": True, "needed": True}


@dataclass(frozen=True)
class Ball:
    """On a slope that falls along x; with a speed along x and a spin about y."""

    angle: float = 0.0  # degrees
    mu: float = 0.5
    speed: float = 0.0  # m/s
    spin: float = 0.0  # r omega, m/s
    radius: float = 0.1
    E: float = 1e7
    on: str = "boundary"  # or box, of a body
    round: str = "ball"  # or cylinder, whose axis is along y

    def scene(self, case: Case, strong_dt: float = 5e-3) -> Scene:
        step = case.step(self.radius / 9, 2e-3, strong_dt, tilted(math.radians(self.angle)))
        center = (0.0, 0.0, self.radius)
        shape = Sphere(self.radius, center)
        if self.round == "cylinder":
            shape = Cylinder(self.radius, self.radius / 2, center, about((1, 0, 0), math.pi / 2))
        ball = piece("ball", shape, velocity=(self.speed, 0, 0), angular_velocity=(0, self.spin / self.radius, 0))
        made = scene(step, stuff(E=self.E), [ball], self.mu)
        if self.on == "boundary":
            made.boundaries = [plane("floor", friction=self.mu)]
        else:
            made.bodies = [fixed("floor", box_geom((6, 2, 0.2), (1, 0, -0.1)))]
        return made

    def run(self, case: Case, until: float, strong_dt: float = 5e-3) -> Run:
        """Speed along x, r omega, speed along z and height of the middle."""

        def watch(view: View) -> tuple[float, float, float, float]:
            velocity = view.velocity("ball")
            return velocity[0], self.radius * view.spin("ball")[1], velocity[2], view.center("ball")[2]

        return case.run(self.scene(case, strong_dt), until, watch)


def rolls(case: Case, ball: Ball, part: float, until: float = 0.25) -> dict[str, Measured]:
    """Down a slope without slip; part: of g sin a."""
    run, right = ball.run(case, until), part * GRAVITY * math.sin(math.radians(ball.angle))
    speed, half = run.column(0), len(run.time) // 2
    value = (speed[-1] - speed[half]) / (run.time[-1] - run.time[half])
    slip = float(1 - run.seen[-1, 1] / run.seen[-1, 0])
    return {
        "acceleration": Measured(float(value), right, curve=Curve(run.time, speed, right * run.time, "speed [m/s]")),
        "slip": Measured(slip, 0.0, scale=1.0),
    }


ROLLS = {"acceleration": FRICTION, "slip": FRICTION}


@row("ball rolls down a boundary, 30 deg, r/h 9", ROLLS, "rigid: 5/7 g sin a, v = r omega", **FIRST)
def rolls_on_boundary(case: Case) -> dict[str, Measured]:
    return rolls(case, Ball(30, 0.8), 5 / 7)


@row("ball rolls down a box, 20 deg, r/h 9", ROLLS, "rigid: 5/7 g sin a, v = r omega", **FIRST)
def rolls_on_box(case: Case) -> dict[str, Measured]:
    return rolls(case, Ball(20, 0.6, on="box"), 5 / 7)


@row("cylinder rolls down a boundary, 25 deg, r/h 9", ROLLS, "rigid: 2/3 g sin a, v = r omega", **FIRST)
def cylinder_rolls(case: Case) -> dict[str, Measured]:
    return rolls(case, Ball(25, 0.8, round="cylinder"), 2 / 3)


@row(
    "ball slides down a boundary, 45 deg, mu .20, r/h 9",
    {"acceleration": FRICTION, "spin": FRICTION},
    "rigid: a = g sin a - mu N/m, r omega' = 5/2 mu N/m (height/r); N/m = g cos a + the change of the speed away",
    **FIRST,
)
def ball_slides(case: Case) -> dict[str, Measured]:
    # the ball still bounces a little on its elastic spot: what presses it down is known from how it moves
    ball = Ball(45, 0.2, E=3e7)
    run, c = ball.run(case, 0.25), math.cos(math.radians(45))
    half = len(run.time) // 2
    value = (run.seen[-1] - run.seen[half]) / (run.time[-1] - run.time[half])
    normal = GRAVITY * c + value[2]
    pull, turn = GRAVITY * c - ball.mu * normal, 2.5 * ball.mu * normal * run.column(3)[half:].mean() / ball.radius
    return {
        "acceleration": Measured(
            float(value[0]), pull, curve=Curve(run.time, run.column(0), pull * run.time, "speed [m/s]")
        ),
        "spin": Measured(float(value[1]), turn, curve=Curve(run.time, run.column(1), turn * run.time, "r omega [m/s]")),
    }


def ends_at(case: Case, ball: Ball, until: float, strong_dt: float = 5e-3) -> dict[str, Measured]:
    """Slides, then rolls: friction acts at the contact point, about which the angular momentum stays."""
    right, run = (5 * ball.speed + 2 * ball.spin) / 7, ball.run(case, until, strong_dt)
    curve = Curve(run.time, run.column(0), 0 * run.time + right, "speed [m/s]")
    return {"speed": Measured(float(run.seen[-1, 0]), right, scale=abs(ball.speed), curve=curve)}


@row("ball slides, then rolls on a boundary, r/h 9", {"speed": FRICTION}, "rigid: 5/7 v", **FIRST)
def slides_to_roll(case: Case) -> dict[str, Measured]:
    return ends_at(case, Ball(mu=0.4, speed=1.0), 0.15)


@row("ball with backspin comes back on a box, r/h 9", {"speed": FRICTION}, "rigid: (5 v + 2 r omega) / 7", **FIRST)
def backspin(case: Case) -> dict[str, Measured]:
    return ends_at(case, Ball(mu=0.5, speed=0.5, spin=-2.0, E=5e7, on="box"), 0.25)


@row("ball rolls on at 3 m/s, r .3, r/h 9", {"speed": FRICTION}, "rigid: no resistance", **FIRST)
def rolls_on(case: Case) -> dict[str, Measured]:
    return ends_at(case, Ball(mu=0.8, speed=3.0, spin=3.0, radius=0.3, E=5e7), 0.3, 1e-2)
