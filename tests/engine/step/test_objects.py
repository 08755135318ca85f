"""Objects of a world: they stand, fall, are pushed, are seen, and are named."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedObject
from autosim.engine.engine_errors import PlacementError
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.model.commands import DeviceError, DeviceErrorCode, command_for
from autosim.orders.robot_orders import AddRobot
from autosim.server.server_errors import WorldError
from autosim.server.worlds.world_changes import as_it_stands, with_robot
from tests.server.rows_of_cars import cars_in_a_row, simulate
from tests.worlds import impreza_world

DRIVE = "car0.chassis.drive_chassis"


def crate(name="crate", x=8.0, y=0.0, z=None, *, mass=50.0, motion="dynamic", yaw=0.0):
    body = BoxPart(name, (0.0, 0.0, 0.0), (1.0, 2.0, 1.5), mass=mass, motion=motion)
    return PlacedObject(name, body, (x, y, z), yaw)


def world_with(*objects, cars=(0.0,)):
    return replace(cars_in_a_row(*cars), objects=objects)


def value(simulation, name, field="position"):
    node = simulation.tree.find(name)
    return np.array(simulation.state.value(node, next(f for f in node.fields if f.name == field)))


def run(simulation, seconds, accelerate=0.0, brake=1.0):
    for _ in range(round(240 * seconds)):
        simulation.queue([command_for(simulation.tree, DRIVE, [0.0, accelerate, brake])])
        simulation.step()


def test_an_object_stands_on_the_ground_beside_the_robots_in_the_tree():
    with simulate(world_with(crate(y=30.0))) as simulation:
        assert [node.name for node in simulation.tree.children] == ["car0", "crate"]
        assert [node.name for node in simulation.tree.robots] == ["car0"]
        run(simulation, 0.5)
        assert value(simulation, "crate") == pytest.approx([8.0, 30.0, 0.75], abs=0.01)
        assert value(simulation, "car0", "collisions") == 0


def test_an_object_in_the_air_falls_and_a_static_one_hangs():
    objects = crate("falls", y=30.0, z=3.0), crate("hangs", y=-30.0, z=3.0, motion="static")
    with simulate(world_with(*objects)) as simulation:
        run(simulation, 1.5)
        assert value(simulation, "falls")[2] == pytest.approx(0.75, abs=0.02)
        assert value(simulation, "hangs").tolist() == [8.0, -30.0, 3.0]


def test_a_car_pushes_a_movable_object_and_is_told_what_it_met():
    notices = []
    with simulate(world_with(crate(x=6.0)), notices=notices) as simulation:
        run(simulation, 4.0, accelerate=0.5, brake=0.0)
        assert value(simulation, "crate")[0] > 9.0
        assert value(simulation, "car0", "collisions") >= 1
    assert "has collided: chassis with crate" in [each.text for each in notices]


def test_a_static_object_stops_a_car():
    with simulate(world_with(crate(x=6.0, motion="static"))) as simulation:
        run(simulation, 4.0, accelerate=0.5, brake=0.0)
        assert value(simulation, "crate").tolist() == [6.0, 0.0, 0.75]
        assert value(simulation, "car0.chassis")[0] < 4.0


def test_distance_sensors_see_an_object():
    with simulate(world_with(crate(x=12.0))) as seen, simulate(world_with()) as empty:
        for simulation in (seen, empty):
            simulation.step()
        assert value(empty, "car0.chassis.psd_front", "distance") > 20.0
        # From the sensor, ahead of the middle of the car, to the near side of the box.
        assert 8.0 < value(seen, "car0.chassis.psd_front", "distance") < 11.0


def test_the_same_world_gives_the_same_bytes_and_cars_do_not_notice_distant_objects():
    def digest(world, name=None):
        digest = hashlib.sha256()
        with simulate(world) as simulation:
            for _ in range(60):
                run(simulation, 1 / 240, accelerate=0.3, brake=0.0)
                node = simulation.tree.find(name) if name else None
                digest.update(simulation.state.to_bitstream(node))
        return digest.hexdigest()

    far = world_with(crate(x=150.0, y=150.0, z=1.0))
    assert digest(far) == digest(far)
    assert digest(far, "car0") == digest(world_with(), "car0")


def test_an_object_can_be_moved_and_not_into_a_car():
    with simulate(world_with(crate(), cars=(0.0, 30.0))) as simulation:
        simulation.place("crate", (-20.0, 5.0))
        assert value(simulation, "crate") == pytest.approx([-20.0, 5.0, 0.75])
        with pytest.raises(PlacementError, match="it would stand in 'car1'"):
            simulation.place("crate", (30.0, 0.0))


def test_a_kinematic_object_keeps_the_velocity_that_it_was_given_and_pushes_a_car():
    with simulate(world_with(crate("ram", x=-8.0, mass=1.0, motion="kinematic"))) as simulation:
        simulation.place("ram", (-8.0, 0.0), yaw=0.0, velocity=(3.0, 0.0, 0.0))
        run(simulation, 4.0)
        assert value(simulation, "ram") == pytest.approx([4.0, 0.0, 0.75])
        assert value(simulation, "ram", "velocity").tolist() == [3.0, 0.0, 0.0]
        assert value(simulation, "car0.chassis")[0] > 6.0
        snapshot = simulation.snapshot()
        with simulate(simulation.world) as again:
            again.restore(snapshot)
            run(again, 1.0)
            assert value(again, "ram") == pytest.approx([7.0, 0.0, 0.75])


def test_a_static_object_can_be_moved_but_has_no_velocity():
    with simulate(world_with(crate(motion="static"))) as simulation:
        simulation.place("crate", (20.0, 20.0))
        assert value(simulation, "crate").tolist() == [20.0, 20.0, 0.75]
        with pytest.raises(PlacementError, match="it is static, and has no velocity"):
            simulation.place("crate", (20.0, 20.0), velocity=(1.0, 0.0, 0.0))


def test_objects_are_saved_where_they_lie_and_go_on_from_a_snapshot():
    world = world_with(crate(x=6.0, yaw=0.3))
    with simulate(world) as simulation:
        run(simulation, 3.0, accelerate=0.5, brake=0.0)
        snapshot = simulation.snapshot()
        place = value(simulation, "crate")
        saved = as_it_stands(world, simulation.tree, snapshot=snapshot, programs=())
    assert saved.objects[0].position == pytest.approx(place)
    with simulate(world) as again:
        again.restore(snapshot)
        assert value(again, "crate").tolist() == place.tolist()
        again.step()
        assert value(again, "crate") == pytest.approx(place, abs=0.1)


def test_an_object_off_the_map_is_refused():
    with pytest.raises(PlacementError, match="object 'crate': no ground of 'flat' at x=1000 m"):
        simulate(world_with(crate(x=1000.0)))


def test_a_robot_cannot_be_added_by_the_name_of_an_object():
    with pytest.raises(WorldError, match="there is already an object 'crate'"):
        with_robot(world_with(crate()), AddRobot("robots/impreza.xml", "crate"))


def test_an_object_is_no_robot_and_has_no_devices():
    tree = build_tree(replace(impreza_world(), objects=(crate(),)))
    with pytest.raises(DeviceError) as refused:
        command_for(tree, "crate", [0.0] * 13)
    assert refused.value.code is DeviceErrorCode.INVALID_DEVICE
