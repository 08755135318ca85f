"""The hands-on tutorials, done from an empty folder."""

import re
from pathlib import Path

import pytest
from PIL import Image

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from tests.docs.reader import Reader
from tests.worlds import ROOT


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"(?<=[ =])-?\d+\.?\d*(?:e-?\d+)?", text)]


@pytest.mark.slow
def test_a_user_program_is_written_from_an_empty_folder(tmp_path: Path):
    reader = Reader(tmp_path)
    reader.read("write_a_user_program")
    (first,) = reader.outputs["autosim run userprograms/first.py --robot car"]
    # A first run may also say that it compiles something.
    told = [line for line in first.splitlines() if ":" in line]
    start, end = (float(line.split(":")[1]) for line in told)
    assert start == pytest.approx(0.0, abs=0.3)
    assert end == pytest.approx(2.3, abs=0.1)
    (second,) = reader.outputs[
        "timeout --signal=INT 6 autosim run userprograms/first.py --robot car -- 4"
    ]
    assert "a car of 1400 kg that sees 40 m ahead" in second
    project = tmp_path / "harbour"
    world_file = project / "worlds" / "harbour.xml"
    page = (ROOT / "docs" / "write_a_user_program.md").read_text()
    named = re.findall(r"<UserProgram .*/>", page)[0]
    text = re.sub(r"<UserProgram .*/>", named, world_file.read_text())
    world_file.write_text(text)
    said: list[Notice] = []
    with Simulation(load_world(world_file), report=said.append) as simulation:
        for _ in range(240 * 4):
            simulation.step()
        car = simulation.tree.find("car.chassis")
        assert car is not None
        speed = simulation.state.floats[car.start // 8 + 7]
    assert speed == pytest.approx(4.0, abs=0.5)
    assert not [notice for notice in said if notice.level == "error"]


@pytest.mark.slow
def test_a_robot_is_built_from_an_empty_file(tmp_path: Path):
    pytest.importorskip("panda3d")
    reader = Reader(tmp_path)
    reader.read("build_a_robot")
    (stands,) = reader.outputs["autosim ctl get tricycle.body.position tricycle.collisions"]
    assert numbers(stands.splitlines()[0])[2] == pytest.approx(0.37, abs=0.01)
    assert numbers(stands.splitlines()[1]) == [0.0]
    pushed, braked = map(numbers, reader.outputs["autosim ctl get tricycle.body.velocity"])
    assert pushed[0] == pytest.approx(2.7, abs=0.3)
    assert braked[0] == pytest.approx(0.0, abs=0.05)
    (sensed,) = reader.outputs["autosim ctl get tricycle.body.eye tricycle.body.speed"]
    assert numbers(sensed)[0] == pytest.approx(10.0, abs=0.3)
    for name in ("chase.png", "front.png"):
        with Image.open(tmp_path / "pictures" / name) as picture:
            assert picture.size == (640, 480)
