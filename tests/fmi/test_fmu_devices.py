"""FMUs in robot files: what they read, set and push, their snapshots, and their faults."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fmpy")
if shutil.which("cc") is None:
    pytest.skip("there is no C compiler", allow_module_level=True)

from autosim.config.descriptions import PlacedRobot, RobotDescription, UsedPlugin
from autosim.config.diagnostics import ConfigError
from autosim.engine.engine_errors import SnapshotError
from autosim.engine.step.forks import ForkError
from autosim.engine.step.simulation import Simulation
from autosim.fmi import FmuError, fmu_process
from autosim.loading.loader import load_robot
from autosim.model.commands import command_for
from autosim.model.notices import Notice
from autosim.model.tree import Access
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from tests.fmi.fmus import built
from tests.paths import ROOT
from tests.worlds import flat_world, impreza_world

STEP = 1.0 / 240.0

ROBOT = """<Robot name="box"><Parts>
<Box name="hull"><Size x="1" y="1" z="1"/><Mass value="10"/><Friction value="0"/></Box>
</Parts><Devices>
<Propeller name="fan"><Part name="hull"/><MaxThrust value="10"/></Propeller>
<FMU name="fmu" file="{file}"><Part name="hull"/>{content}</FMU>
</Devices></Robot>"""

VEHICLE = """<Robot name="box"><Parts>
<Box name="hull"><Size x="1.8" y="1" z="4"/><Mass value="1000"/></Box>
</Parts><Devices>
<KinematicVehicle name="vehicle" model="IDEAL_STEER_VEL"><Part name="hull"/></KinematicVehicle>
<FMU name="fmu" file="integrator.fmu"><Part name="hull"/>
<Input variable="u"/><Output variable="x" to="hull.vehicle.velocity_mps"/></FMU>
</Devices></Robot>"""

SENSOR = '<Input variable="u" from="{}"/><Output variable="x"/><Parameter variable="k" value="2"/>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fmus")
    built(folder)
    (folder / "plain").mkdir()
    shutil.copy(built(folder / "plain", saves=False), folder / "plain.fmu")
    return folder


def robot_with(folder: Path, content: str, *, file: str = "integrator.fmu") -> RobotDescription:
    path = folder / "robot.xml"
    path.write_text(ROBOT.format(file=file, content=content))
    return load_robot(path, roots=[folder])


@pytest.fixture
def notices() -> list[Notice]:
    return []


def simulated(robot: RobotDescription, notices: list[Notice] | None = None) -> Simulation:
    placed = PlacedRobot("box", robot, position=(0.0, 0.0, None), yaw=0.5)
    world = replace(impreza_world(), robots=(placed,))
    report = (lambda notice: None) if notices is None else notices.append
    return Simulation(world, compiled=flat_world(), report=report)


def run(simulation: Simulation, steps: int) -> Iterator[float]:
    """The FMU's own value after each step."""
    for _ in range(steps):
        simulation.step()
        yield float(np.ravel(simulation.state.get("box.hull.fmu"))[-1])


def test_a_sensor_integrates_a_command(folder: Path) -> None:
    with simulated(robot_with(folder, SENSOR.format("hull.fan"))) as simulation:
        assert simulation.tree.find("box.hull.fmu").access is Access.READ
        simulation.queue([command_for(simulation.tree, "box.hull.fan", [0.5])])
        values = list(run(simulation, 24))
    # x' = 2 u from the step on in which the command is applied.
    assert values == pytest.approx([2.0 * 0.5 * STEP * n for n in range(1, 25)])


def test_an_actuator_pushes_its_part_along_its_axes(folder: Path) -> None:
    content = '<Input variable="u"/><Output variable="x" to="force.forward"/>'
    with simulated(robot_with(folder, content)) as simulation:
        node = simulation.tree.find("box.hull.fmu")
        assert node.access is Access.DRIVE
        simulation.queue([command_for(simulation.tree, "box.hull.fmu", [240.0])])
        for _ in range(3):
            simulation.step()
        hull = simulation.tree.find("box.hull")
        velocity = simulation.state.value(hull, hull.fields[2])
        # Forces 0, 1 and 2 N act in these steps, each from the value at its beginning.
        speed = (0.0 + 1.0 + 2.0) * STEP / 10.0
    assert velocity[:2] == pytest.approx(speed * np.array([np.cos(0.5), np.sin(0.5)]), abs=1e-5)


def test_a_vehicle_follows_the_ground_at_the_speed_of_its_fmu(folder: Path) -> None:
    path = folder / "vehicle.xml"
    path.write_text(VEHICLE)
    with simulated(load_robot(path, roots=[folder])) as simulation:
        node = simulation.tree.find("box.hull.vehicle")
        names = [each.name for each in node.fields]
        hull = simulation.tree.find("box.hull")
        speeds = []
        simulation.queue([command_for(simulation.tree, "box.hull.fmu", [1.0])])
        for _ in range(240):
            simulation.step()
            velocity = simulation.state.value(hull, hull.fields[2])
            speeds.append(float(velocity[:2] @ [np.cos(0.5), np.sin(0.5)]))
        commanded = simulation.get("box.hull.vehicle")
        position = simulation.state.value(hull, hull.fields[0])
    # The FMU integrates 1 m/s² to a velocity; the vehicle has it two steps later, on the ground.
    assert "velocity_mps" in names
    assert commanded["long_accel_mps2"] == 0.0
    assert commanded["velocity_mps"] == pytest.approx(1.0, abs=3 * STEP)
    assert speeds == pytest.approx([max(n - 2, 0) * STEP for n in range(1, 241)], abs=2 * STEP)
    assert float(np.hypot(*position[:2])) == pytest.approx(0.5, abs=0.02)
    assert float(position[2]) == pytest.approx(0.5, abs=0.3)


def test_a_car_is_not_braked_while_its_fmu_sets_the_throttle(folder: Path) -> None:
    world = impreza_world()
    path = folder / "car.xml"
    robot = (ROOT / "robots" / "impreza.xml").read_text()
    fmu = (
        '<FMU name="fmu" file="integrator.fmu"><Part name="chassis"/><Input variable="u"/>'
        '<Output variable="x" to="chassis.drive_chassis.acceleration"/></FMU></Devices>'
    )
    path.write_text(robot.replace("</Devices>", fmu))
    described = load_robot(path, roots=[folder, ROOT])
    placed = PlacedRobot("car", described, position=(0.0, 0.0, None), yaw=0.0)
    world = replace(world, robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        simulation.queue([command_for(simulation.tree, "car.chassis.fmu", [0.5])])
        for _ in range(480):
            simulation.step()
        drive = simulation.get("car.chassis.drive_chassis")
        speed = simulation.get("car.chassis")["velocity"][0]
    assert drive["acceleration"] == pytest.approx(1.0, abs=0.02)
    assert drive["brake"] == 0.0
    assert speed > 1.0


def test_a_controller_sets_another_actuator(folder: Path) -> None:
    content = '<Input variable="u"/><Output variable="x" to="hull.fan"/>'
    with simulated(robot_with(folder, content)) as simulation:
        simulation.queue([command_for(simulation.tree, "box.hull.fmu", [12.0])])
        simulation.step()
        simulation.step()
        assert simulation.get("box.hull.fan") == pytest.approx(2 * 12.0 * STEP)


def test_a_snapshot_continues_in_another_simulation(folder: Path) -> None:
    robot = robot_with(folder, SENSOR.format("hull.fan"))
    with simulated(robot) as first, simulated(robot) as second:
        first.queue([command_for(first.tree, "box.hull.fan", [0.5])])
        list(run(first, 5))
        second.restore(first.snapshot())
        assert bytes(second.state.buffer) == bytes(first.state.buffer)
        assert list(run(second, 5)) == list(run(first, 5))


def value_after(simulation: Simulation, steps: int) -> float:
    return list(run(simulation, steps))[-1]


def test_copies_of_the_process_have_an_fmu_each(folder: Path) -> None:
    with simulated(robot_with(folder, SENSOR.format("hull.fan"))) as simulation:
        simulation.queue([command_for(simulation.tree, "box.hull.fan", [0.5])])
        list(run(simulation, 5))
        with simulation.fork() as fork:
            branches = fork.map(value_after, [3, 4, 3])
            original = list(run(simulation, 4))
    assert branches == [original[2], original[3], original[2]]


def test_snapshots_of_an_fmu_that_cannot_save_are_refused_by_name(folder: Path) -> None:
    robot = robot_with(folder, SENSOR.format("hull.fan"), file="plain.fmu")
    with simulated(robot) as simulation:
        list(run(simulation, 2))
        with pytest.raises(SnapshotError, match=r"box\.hull\.fmu: .*plain\.fmu: this FMU cannot"):
            simulation.snapshot()
        with pytest.raises(ForkError, match=r"plain\.fmu: this FMU cannot save its state"):
            simulation.fork()
        simulation.place("box", (1.0, 0.0))
        assert value_after(simulation, 3) == 0.0


@pytest.mark.parametrize(("k", "reason"), [("-1", "failed at 0 s"), ("-2", "has crashed")])
def test_a_failed_fmu_is_reported_and_lets_go(
    folder: Path, notices: list[Notice], k: str, reason: str
) -> None:
    content = '<Input variable="u"/><Output variable="x" to="hull.fan"/>'
    content += f'<Parameter variable="k" value="{k}"/>'
    with simulated(robot_with(folder, content), notices) as simulation:
        simulation.queue([command_for(simulation.tree, "box.hull.fan", [0.7])])
        for _ in range(4):
            simulation.step()
        assert simulation.get("box.hull.fan") == 0.0
    errors = [each for each in notices if each.level == "error"]
    assert [each.source for each in errors] == ["box.hull.fmu"]
    assert reason in errors[0].text


def test_an_fmu_that_hangs_is_ended_and_named(
    folder: Path, notices: list[Notice], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fmu_process, "MAX_ANSWER_SECONDS", 1.0)
    before = fmu_processes()
    with simulated(robot_with(folder, SENSOR.format("hull.fan")), notices) as simulation:
        (hanging,) = fmu_processes() - before
        os.kill(hanging, signal.SIGSTOP)
        simulation.step()
        assert fmu_processes() == before
        simulation.step()
    errors = [each for each in notices if each.level == "error"]
    assert [each.source for each in errors] == ["box.hull.fmu"]
    assert "has not answered for 1 s, and was ended" in errors[0].text


def test_going_back_to_before_a_crash_takes_the_fmu_back(folder: Path) -> None:
    before = fmu_processes()
    with simulated(robot_with(folder, SENSOR.format("hull.fan"))) as simulation:
        simulation.queue([command_for(simulation.tree, "box.hull.fan", [0.5])])
        list(run(simulation, 5))
        snapshot = simulation.snapshot()
        expected = list(run(simulation, 5))
        (crashed,) = fmu_processes() - before
        os.kill(crashed, signal.SIGKILL)
        assert list(run(simulation, 2)) != expected[:2]
        simulation.restore(snapshot)
        assert list(run(simulation, 5)) == expected
        assert len(fmu_processes() - before - {crashed}) == 1


def fmu_processes() -> set[int]:
    """The running processes of FMUs."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            if b"autosim.fmi" in path.read_bytes():
                found.add(int(path.parent.name))
    return found


def test_steps_that_are_not_observed_change_no_byte(folder: Path) -> None:
    robot = robot_with(folder, SENSOR.format("hull.velocity.0"))
    with simulated(robot) as one_by_one, simulated(robot) as at_once:
        list(run(one_by_one, 7))
        at_once.run(7)
        assert bytes(at_once.state.buffer) == bytes(one_by_one.state.buffer)


def test_a_process_without_the_file_knows_its_values(folder: Path) -> None:
    robot = robot_with(folder, SENSOR.format("hull.fan"))
    digest = robot.plugins[0].version
    assert robot.plugins == (UsedPlugin("integrator.fmu", digest),)
    with simulated(robot) as simulation:
        tree = tree_from_bytes(tree_to_bytes(simulation.tree))
    device = tree.descriptions["box"].devices[-1]
    assert (device.file, device.digest) == ("integrator.fmu", digest)
    assert [each.name for each in tree.find("box.hull.fmu").fields] == ["x"]


@pytest.mark.parametrize(
    ("content", "file", "message"),
    [
        ('<Input variable="v"/>', "integrator.fmu", "no scalar number 'v'"),
        ('<Output variable="u"/>', "integrator.fmu", "'u' is of causality input: expected output"),
        ('<Input variable="u" from="hull.fun"/>', "integrator.fmu", "did you mean 'hull.fan'"),
        ('<Output variable="x" to="hull.velocity.0"/>', "integrator.fmu", "cannot be set"),
        ("", "no.fmu", "no.fmu"),
        ("", "robot.xml", "does not end in .fmu"),
    ],
)
def test_faults_of_a_file_name_the_device_and_what_to_do(
    folder: Path, content: str, file: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        robot_with(folder, content, file=file)
    assert "<FMU> 'fmu'" in str(caught.value)


def test_an_fmu_that_cannot_start_is_named(folder: Path) -> None:
    robot = robot_with(folder, SENSOR.format("hull.fan"))
    (folder / "integrator.fmu").rename(folder / "moved.fmu")
    try:
        with pytest.raises(FmuError, match=r"box\.hull\.fmu: .*integrator\.fmu"):
            simulated(robot)
    finally:
        (folder / "moved.fmu").rename(folder / "integrator.fmu")
