"""The Reference-FMUs of the Modelica Association give their published outputs.

`scripts/build_reference_fmus.sh` builds them; without them these tests are skipped.
"""

import os
from collections.abc import Iterator
from csv import DictReader
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("fmpy")

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.fmi.fmu_process import FmuOrder, FmuProcess
from autosim.kinds.coupling.fmu_description import read_description
from autosim.loading.loader import load_robot
from tests.paths import ROOT
from tests.worlds import flat_world, impreza_world

FOLDER = Path(os.environ.get("AUTOSIM_REFERENCE_FMUS", ROOT.parent / "shared" / "reference_fmus"))
NAMES = ("BouncingBall", "Dahlquist", "Feedthrough", "Resource", "Stair", "VanDerPol")
TOLERANCE = 1e-9


@pytest.fixture(params=["fmi2", "fmi3"])
def folder(request: pytest.FixtureRequest) -> Path:
    path = FOLDER / request.param
    if not path.is_dir():
        pytest.skip(f"the Reference-FMUs are not in {FOLDER}")
    return path


def published(folder: Path, name: str) -> tuple[list[str], list[float], list[list[float]]]:
    """The scalar outputs, the times [s], and the published values at these times."""
    known = read_description((folder / f"{name}.fmu").read_bytes()).variables
    with (folder / f"{name}_out.csv").open() as lines:
        rows = list(DictReader(lines))
    outputs = [each for each in rows[0] if each in known and each != "time"]
    words = {"true": "1", "false": "0"}
    values = [[float(words.get(row[each], row[each])) for each in outputs] for row in rows]
    return outputs, [float(row["time"]) for row in rows], values


def stepped(process: FmuProcess, times: list[float]) -> Iterator[tuple[float, ...]]:
    for _ in times[1:]:
        process.begin([], times[1] - times[0])
        yield process.finish()


@pytest.mark.parametrize("name", NAMES)
def test_an_fmu_in_its_own_process_has_the_published_outputs(folder: Path, name: str) -> None:
    outputs, times, values = published(folder, name)
    process = FmuProcess(FmuOrder(folder / f"{name}.fmu", (), (), tuple(outputs)))
    try:
        assert process.outputs == pytest.approx(values[0], abs=TOLERANCE)
        for found, expected in zip(stepped(process, times), values[1:], strict=True):
            assert found == pytest.approx(expected, abs=TOLERANCE, rel=TOLERANCE)
    finally:
        process.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_restored_fmu_continues_the_same(folder: Path, name: str) -> None:
    outputs, times, _ = published(folder, name)
    process = FmuProcess(FmuOrder(folder / f"{name}.fmu", (), (), tuple(outputs)))
    try:
        half = len(times) // 2 + 1
        list(stepped(process, times[:half]))
        saved = process.save()
        rest = times[half - 1 :]
        first = list(stepped(process, rest))
        process.restore(saved)
        assert list(stepped(process, rest)) == first
    finally:
        process.close()


@pytest.mark.parametrize("name", ["BouncingBall", "VanDerPol"])
def test_a_robot_has_the_published_outputs(folder: Path, tmp_path: Path, name: str) -> None:
    outputs, times, values = published(folder, name)
    content = "".join(f'<Output variable="{each}"/>' for each in outputs)
    (tmp_path / "robot.xml").write_text(
        '<Robot name="r"><Parts><Box name="hull"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>'
        f'</Parts><Devices><FMU name="fmu" file="{name}.fmu"><Part name="hull"/>{content}</FMU>'
        "</Devices></Robot>"
    )
    robot = load_robot(tmp_path / "robot.xml", roots=(tmp_path, folder))
    world = impreza_world()
    world = replace(
        world,
        robots=(PlacedRobot("r", robot, position=(0.0, 0.0, None), yaw=0.0),),
        physics=replace(world.physics, step_seconds=times[1] - times[0]),
    )
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        for expected in values[1:101]:
            simulation.step()
            assert simulation.get("r.hull.fmu") == pytest.approx(
                dict(zip(outputs, expected, strict=True)), abs=TOLERANCE
            )
