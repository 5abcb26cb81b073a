"""What is in a recording, as a table."""

from collections.abc import Iterator

import numpy as np

from pliant.recording import Recording


def table(recording: Recording) -> str:
    rows = list(lines(recording))
    width = max(len(key) for key, _ in rows)
    return "\n".join(f"{key:<{width}}  {value}" for key, value in rows)


def lines(recording: Recording) -> Iterator[tuple[str, str]]:
    facts = recording.attributes
    yield "file", f"{recording.path}, {size_text(recording.path.stat().st_size)}"
    yield "scene", str(facts["scene_name"]) or "without a name"
    yield "written", f"{facts['created']} by pliant {facts['pliant_version']}"
    yield from time_lines(recording)
    for name in recording.matter:
        masses = recording.masses(name)
        yield (
            f"matter {name}",
            f"{len(masses):,} particles of {recording.material(name)}, {masses.sum(dtype=float):.4g} kg",
        )
    if recording.has_bodies:
        names = recording.file["bodies/names"]
        kinds = {"body": "bodies", "jnt": "joints", "actuator": "actuators", "sensor": "sensors"}
        counts = [f"{names[kind].shape[0] - (kind == 'body')} {word}" for kind, word in kinds.items()]
        yield "bodies", ", ".join(counts)
    yield from contact_lines(recording)
    yield from balance_lines(recording)
    yield from warning_lines(recording)
    states = recording.snapshots()
    yield "goes on from", f"step {states[0].step}" if states else "nowhere: there is no snapshot"


def time_lines(recording: Recording) -> Iterator[tuple[str, str]]:
    times, reports = recording.times, recording.reports
    if len(times) == 0:
        yield "frames", "none"
        return
    yield "frames", f"{len(times)}, {times[0]:.4g} to {times[-1]:.4g} s"
    if len(reports):
        seconds = reports["seconds"].sum()
        pace = f", {reports['time'][-1] / seconds:.3g} x real time" if seconds > 0 else ""
        per_step = 1e3 * seconds / len(reports)
        yield "steps", f"{len(reports)} of {recording.attributes['dt']:.4g} s, {per_step:.3g} ms each{pace}"
        yield "substeps", f"{reports['substeps'].min()} to {reports['substeps'].max()} per step"


def contact_lines(recording: Recording) -> Iterator[tuple[str, str]]:
    reports = recording.reports
    if "contacts" not in recording.file or len(recording) == 0 or len(reports) == 0:
        return
    mean, most = reports["contacts"].mean(), reports["most_contacts"].max()
    iterations = reports["iterations"].sum() / max(1, reports["substeps"].sum())
    yield "contacts", f"{mean:.3g} in a substep, at most {most}; {iterations:.3g} iterations each"
    for body, rows in recording.wrenches.items():
        x, y, z = rows[:, :3].mean(axis=0)
        largest = np.linalg.norm(rows[:, :3], axis=1).max()
        if largest > 0:
            yield f"force on {body}", f"({x:.4g}, {y:.4g}, {z:.4g}) N on average, at most {largest:.4g} N"


def balance_lines(recording: Recording) -> Iterator[tuple[str, str]]:
    reports = recording.reports
    if len(reports) == 0 or reports["mass"][-1] <= 0:
        return
    total = reports["kinetic_energy"] + reports["elastic_energy"] + reports["gravity_energy"]
    yield "energy", f"{total[0]:.5g} to {total[-1]:.5g} J, change {total[-1] - total[0]:+.3g} J"
    error = np.linalg.norm(reports["momentum_error"], axis=1).max()
    scale = np.sqrt(2 * reports["mass"] * reports["kinetic_energy"]).max()
    relative = f", {error / scale:.2g} of the greatest" if scale > 0 else ""
    known = f"drift of at most {error:.3g} kg m/s in a step{relative}"
    yield "momentum", known if np.isfinite(error) else "drift not known: the reports do not say what bodies gave"
    volume = reports["volume"]
    yield "volume", f"{volume[0]:.5g} to {volume[-1]:.5g} m^3, change {100 * (volume[-1] / volume[0] - 1):+.2g} %"


def warning_lines(recording: Recording, most: int = 5) -> Iterator[tuple[str, str]]:
    warnings = recording.warnings
    yield "warnings", str(len(warnings)) if warnings else "none"
    for step, text in warnings[:most]:
        yield f"  step {step}", text
    if len(warnings) > most:
        yield "  ...", f"{len(warnings) - most} more in /reports/warnings"


def size_text(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
