"""Scene files from Python: load, check, write."""

import json
from pathlib import Path

import pytest

import pliant as pl
from pliant import _core, library
from pliant.scenes import four_materials

SMALL = """pliant: 1
materials: {jelly: {law: neo_hookean}}
matter: {cube: {material: jelly, box: {size: [0.1, 0.1, 0.1]}}}
"""


def test_the_file_is_the_scene_written_in_python():
    ours, theirs = pl.load("four_materials"), four_materials.scene()
    assert ours.name == "four_materials"
    assert len(ours.expect) == 4
    # the file says more
    theirs.name, theirs.duration, theirs.expect = ours.name, ours.duration, ours.expect
    assert ours == theirs


def test_a_scene_comes_back(tmp_path: Path):
    for name in pl.scene_names():
        scene = pl.load(name)
        file = tmp_path / f"{name}.yaml"
        file.write_text(scene.to_yaml(models=library.models_folder()))
        assert pl.load(file) == scene


def test_a_file_says_all_that_is_wrong(tmp_path: Path):
    file = tmp_path / "bad.yaml"
    file.write_text(SMALL + "duration: -1\nrecrod: {}\n")
    found = library.check(file)
    assert [(d.line, d.message) for d in found] == [
        (4, "scene: duration is -1 s"),
        (5, "scene: unknown key 'recrod'"),
    ]
    assert found[1].cure == "did you mean 'record'?"
    with pytest.raises(pl.BadFileError) as error:
        pl.load(str(file))
    assert str(error.value) == f"{found[0]}\n{found[1]}"
    assert str(found[0]).startswith(f"{file}:4: ")


def test_overrides(tmp_path: Path):
    file = tmp_path / "small.yaml"
    file.write_text(SMALL)
    assert pl.load(file, overrides={"step.dt": "0.005"}).step.dt == 0.005
    assert pl.load("four_materials", overrides={"step.cell": "0.03"}).step.cell == 0.03
    with pytest.raises(pl.BadFileError, match="--set step.dt=0: step: dt is 0 s; give a number above 0"):
        pl.load(file, overrides={"step.dt": "0"})


def test_schema_knows_the_keys_of_every_scene():
    schema = json.loads(_core.scene_schema())
    assert schema["required"] == ["pliant"]
    assert schema["properties"]["step"]["properties"]["dt"]["exclusiveMinimum"] == 0
    assert set(_core.scene_key_tables()) >= {"scene", "materials", "matter", "quantities"}


def test_missing_file():
    with pytest.raises(pl.BadFileError, match="nowhere.yaml:1: the file is missing"):
        pl.load("nowhere.yaml")
    with pytest.raises(pl.BadInputError, match="no scene 'nowhere'"):
        pl.load("nowhere")
