"""What devices say of the wheels that they name."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.driving.odometer import Odometer
from autosim.kinds.sensors.driving.wheel_encoder import WheelEncoder
from autosim.model.commands import Command
from tests.config.samples import ROBOT, faults
from tests.worlds import flat_world, impreza_world

TICKS = 360
RADIUS = 0.316


@pytest.fixture
def car():
    """The car with sensors on a rear wheel, in the middle of nothing."""
    world = impreza_world()
    robot = world.robots[0].robot
    # They stand before the wheels: what they say does not depend on their place in the file.
    sensors = (
        WheelEncoder("encoder", "chassis", wheel="rear_left", ticks_per_turn=TICKS),
        Odometer("odometer", "chassis", wheel="rear_left"),
        Odometer("wrong", "chassis", wheel="rear_left", radius=RADIUS * 1.1),
    )
    robot = replace(robot, devices=(*sensors, *robot.devices))
    placed = PlacedRobot("car", robot, position=(0.0, 0.0, None), yaw=0.0)
    world = replace(world, robots=(placed,))
    with Simulation(world, compiled=flat_world(), report=lambda notice: None) as simulation:
        yield simulation


def value(simulation, name, field):
    node = simulation.tree.find(f"car.chassis.{name}")
    (found,) = [each for each in node.fields if each.name == field]
    return simulation.state.value(node, found)


def drive(simulation, acceleration, steps):
    command = np.array([0.0, acceleration, 0.0]).tobytes()
    simulation.queue([Command("car.chassis.drive_chassis", command)])
    for _ in range(steps):
        simulation.step()


@pytest.mark.parametrize("acceleration", [0.9, -0.9])
def test_an_encoder_counts_the_whole_ticks_that_its_wheel_has_turned(car, acceleration):
    drive(car, acceleration, 300)
    turns = value(car, "rear_left", "rotation") / (2 * np.pi)
    ticks = value(car, "encoder", "ticks")
    assert abs(turns) > 1.0
    assert isinstance(ticks, int)
    assert ticks == np.floor(turns * TICKS)
    position = car.state.floats[car.tree.find("car.chassis").start // 8]
    assert ticks / TICKS * 2 * np.pi * RADIUS == pytest.approx(position, rel=0.05)


def test_an_odometer_adds_what_its_wheel_rolls_both_ways(car):
    drive(car, 0.9, 150)
    forwards = value(car, "rear_left", "rotation")
    drive(car, -0.9, 300)
    turned = [value(car, "rear_left", "rotation")]
    rolled = value(car, "odometer", "distance")
    assert rolled > RADIUS * abs(forwards)
    assert value(car, "wrong", "distance") == pytest.approx(1.1 * rolled)
    for _ in range(10):
        car.step()
        turned.append(value(car, "rear_left", "rotation"))
    more = value(car, "odometer", "distance") - rolled
    assert more == pytest.approx(RADIUS * np.abs(np.diff(turned)).sum())
    assert more > 0.0


def test_they_begin_anew_where_the_robot_is_placed(car):
    drive(car, 0.9, 100)
    car.place("car", (0.0, 20.0))
    assert value(car, "encoder", "ticks") == 0
    assert value(car, "odometer", "distance") == 0.0


def test_a_snapshot_takes_the_distance_along(car):
    drive(car, 0.9, 100)
    snapshot = car.snapshot()
    with Simulation(car.world, compiled=flat_world(), report=lambda notice: None) as other:
        other.restore(snapshot)
        assert value(other, "odometer", "distance") == value(car, "odometer", "distance") > 0.1
        other.step()
        car.step()
        assert value(other, "odometer", "distance") == pytest.approx(
            value(car, "odometer", "distance"), abs=1e-4
        )


ENCODER = '<WheelEncoder name="encoder"><Part name="{}"/><Wheel name="{}"/></WheelEncoder>'


@pytest.mark.parametrize(
    ("part", "wheel", "message"),
    [
        (
            "chassis",
            "front_lef",
            "<Wheel> of <WheelEncoder> 'encoder' names 'front_lef', which is no WheelDevice; "
            "did you mean 'front_left'?",
        ),
        ("chassis", "drive", "names 'drive', which is no WheelDevice"),
        ("trailer", "front_left", "of its part 'trailer'; put it on the part that has the wheel"),
    ],
)
def test_a_wheel_that_its_part_lacks_is_named(tmp_path, part, wheel, message):
    text = ROBOT.replace("  </Devices>", ENCODER.format(part, wheel) + "</Devices>")
    (fault,) = faults(tmp_path, text)
    assert fault.level == "error"
    assert message in fault.message
