"""The choices of a scene. Each member is a string, and wherever one is expected its plain string will do."""

from enum import StrEnum, auto

from pliant._core import laws

# one member for each law of this build
Law = StrEnum("Law", {name: name for name in laws()})
Law.__doc__ = "How stress follows from strain.\n\n" + "\n".join(f"{name}: {what}" for name, what in laws().items())


class Precision(StrEnum):
    """The numbers of a world."""

    float32 = auto()
    float64 = auto()


class Kernel(StrEnum):
    """How a particle is spread over the nodes around it."""

    linear = auto()
    quadratic = auto()
    compact = auto()


class Transfer(StrEnum):
    """What a particle gives to the nodes and takes from them."""

    pic = auto()
    apic = auto()
    mls = auto()


class ShapeKind(StrEnum):
    """Solids to fill with particles, and sheets."""

    box = auto()
    sphere = auto()
    cylinder = auto()
    capsule = auto()
    mesh = auto()
    cloth = auto()


class SamplingMethod(StrEnum):
    """How particles are placed; by_law: poisson for matter that lasts, lattice for matter that flows."""

    by_law = auto()
    lattice = auto()
    poisson = auto()


class BoundaryKind(StrEnum):
    """Solids that matter cannot enter."""

    plane = auto()
    box = auto()
    sphere = auto()
    cylinder = auto()


class Condition(StrEnum):
    """What a boundary does to the velocity of matter."""

    stick = auto()
    slip = auto()
    separate = auto()


class BoundaryAt(StrEnum):
    """Where matter feels a boundary: at its own surface, or by nodes of the grid."""

    surfaces = auto()
    nodes = auto()


class MotionKind(StrEnum):
    """What a motion drives."""

    actuator = auto()
    mocap = auto()
    boundary = auto()
    gripper = auto()
    pin = auto()
    actuation = auto()


class MotionPath(StrEnum):
    """How a motion goes from one time to the next."""

    smooth = auto()
    linear = auto()
    hold = auto()


class Method(StrEnum):
    """How bodies and matter act on each other."""

    # auto() takes the member's name, and async is a word of the language
    asynchronous = "async"
    strong = auto()
    one_way = auto()


class PlasticFlow(StrEnum):
    """When matter flows in the strong step."""

    by_law = auto()
    lagged = auto()
    implicit = auto()


class ContactLaw(StrEnum):
    """How the impulses of contact follow from velocities."""

    lagged = auto()
    sap = auto()


class FrictionRadius(StrEnum):
    """The normal impulse that friction of the lagged law goes by: of the same moment, or of the solve before."""

    following = auto()
    lagged = auto()
