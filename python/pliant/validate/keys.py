"""Rows leave options as they are: what a row may say, and nothing else."""

from typing import Any

from pliant._core import Boundary, Contact, ContactPair, Sampling, Scene, StepOptions
from pliant.errors import BadInputError

STEP = {"dt", "cell", "method", "gravity"}
CONTACT = {"friction", "pairs"}
PAIR = {"matter", "body", "with", "with_", "partner", "friction"}
BOUNDARY = {"name", "kind", "condition", "friction", "center", "normal", "size", "radius", "length", "rotation"} | {
    "inside_out",
    "velocity",
}
SCENE = {"name", "step", "materials", "matter", "boundaries", "bodies", "contact", "motion", "duration"}


def fields_of(thing: Any) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_") and not callable(getattr(thing, name))]


def strange_keys(thing: Any, standard: Any, allowed: set[str]) -> list[str]:
    """Fields that differ from the standard and may not."""
    # what follows from other fields cannot be set
    derived = {"solver_tolerance"}
    names = [name for name in fields_of(thing) if name not in allowed | derived]
    return [name for name in names if getattr(thing, name) != getattr(standard, name)]


def refuse_keys(scene: Scene) -> None:
    """Raises BadInputError for a scene that sets a key of solver, sampling or contact."""
    found = [f"step.{key}" for key in strange_keys(scene.step, StepOptions(), STEP)]
    found += [f"contact.{key}" for key in strange_keys(scene.contact, Contact(), CONTACT)]
    for pair in scene.contact.pairs:
        found += [f"contact.pairs.{key}" for key in strange_keys(pair, ContactPair(), PAIR)]
    for matter in scene.matter:
        found += [f"{matter.name}.sampling.{key}" for key in strange_keys(matter.sampling, Sampling(), set())]
    for boundary in scene.boundaries:
        found += [f"{boundary.name}.{key}" for key in strange_keys(boundary, Boundary(), BOUNDARY)]
    found += strange_keys(scene, Scene(), SCENE)
    for body in scene.bodies:
        found += [f"{body.name}: <{word}" for word in ("option", "flag", "compiler") if f"<{word}" in body.text]
        found += [f"{body.name}: {word}" for word in ("solref", "solimp", "margin=") if word in body.text]
    if found:
        raise BadInputError(f"a row of the table leaves options as they are, and this one sets {', '.join(found)}")
