"""Robots as FMUs: valid, and with the trajectory of their simulation."""

import json
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("fmpy")
pytest.importorskip("pythonfmu3")

from click.testing import CliRunner
from fmpy.validation import validate_fmu

from autosim.applications.fmu.robot_export import RobotExport, export_robot
from autosim.cli.fmu import fmu
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.fmi import FmuError
from autosim.fmi.fmu_process import FmuOrder, FmuProcess
from autosim.loading.loader import load_world
from autosim.model.commands import command_for
from tests.paths import ROOT

YARD = ROOT / "worlds" / "yard.xml"
OUTPUTS = ("chassis.position[0]", "chassis.position[1]", "chassis.velocity[0]")
STEP = 1 / 240


def values(simulation: Simulation) -> tuple[float, ...]:
    hull = simulation.tree.find("scout.chassis")
    position, _, velocity, _ = (simulation.state.value(hull, each) for each in hull.fields)
    return (*position[:2], velocity[0])


def test_the_fmu_of_a_robot_with_its_program_moves_as_its_simulation(tmp_path: Path) -> None:
    file = tmp_path / "scout.fmu"
    export_robot(YARD, file, RobotExport(seed=3))
    assert validate_fmu(str(file)) == []
    process = FmuProcess(FmuOrder(file, (), (), OUTPUTS))
    with Simulation(load_world(YARD), seed=3, report=lambda notice: None) as simulation:
        assert process.outputs == values(simulation)
        for _ in range(60):
            process.begin((), 2 * STEP)
            simulation.step()
            simulation.step()
            assert process.finish() == values(simulation)
    assert abs(process.outputs[2]) > 0.5
    process.close()


def test_inputs_are_commands(tmp_path: Path) -> None:
    text = YARD.read_text()
    start, end = text.index("<UserProgram"), text.index("</Robot>")
    world = tmp_path / "quiet.xml"
    world.write_text(text[:start] + text[end:])
    content = export_robot(
        world, tmp_path / "scout.fmu", RobotExport(outputs=("chassis.velocity",))
    )
    inputs = [each for each in content.variables if each.is_input]
    assert [each.name for each in content.variables if not each.is_input] == [
        f"chassis.velocity[{axis}]" for axis in range(3)
    ]
    devices = {each.value.rpartition(".")[0] for each in inputs}
    device = "chassis.drive_chassis"
    assert device in devices
    names = [each.name for each in inputs]
    given = {f"{device}.acceleration": 0.6, f"{device}.gear": 1.0}
    command = [given.get(each, 0.0) for each in names]
    own = [value for name, value in zip(names, command, strict=True) if name.startswith(device)]
    process = FmuProcess(FmuOrder(tmp_path / "scout.fmu", (), tuple(names), (OUTPUTS[2],)))
    with Simulation(load_world(world), report=lambda notice: None) as simulation:
        simulation.queue([command_for(simulation.tree, f"scout.{device}", own)])
        for _ in range(40):
            process.begin(command, STEP)
            simulation.step()
            assert process.finish() == values(simulation)[2:]
    assert abs(process.outputs[0]) > 0.01
    process.close()


def test_a_step_that_is_not_whole_steps_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "scout.fmu"
    export_robot(YARD, file, RobotExport(outputs=("chassis.position",)))
    process = FmuProcess(FmuOrder(file, (), (), ()))
    process.begin((), 0.001)
    with pytest.raises(FmuError, match="failed at 0 s"):
        process.finish()


def test_the_command_writes_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "scout.fmu"
    result = CliRunner().invoke(
        fmu, [str(YARD), "--out", str(file), "--output", "chassis.position"]
    )
    assert result.exit_code == 0, result.output
    assert "robot 'scout', 0 inputs, 3 outputs, steps of 0.00416667 s" in result.output
    with zipfile.ZipFile(file) as archive:
        content = json.loads(archive.read("resources/robot_fmu.json"))
        assert "resources/world/userprograms/wall_follower.py" in archive.namelist()
    assert content["robot"] == "scout"


@pytest.mark.parametrize(
    ("export", "message"),
    [
        (RobotExport("absent"), r"no robot 'absent'; the world has scout"),
        (RobotExport(outputs=("chassis.wing",)), "'chassis.wing' is not a value of the robot"),
        (
            RobotExport(inputs=("chassis.velocimeter",)),
            "'chassis.velocimeter' of 'scout' is not an actuator",
        ),
    ],
)
def test_faults_are_named(tmp_path: Path, export: RobotExport, message: str) -> None:
    with pytest.raises(UserError, match=message):
        export_robot(YARD, tmp_path / "scout.fmu", export)


def test_the_name_of_an_fmu_has_its_ending(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"scout\.zip: the name of an FMU ends in \.fmu"):
        export_robot(YARD, tmp_path / "scout.zip", RobotExport())
