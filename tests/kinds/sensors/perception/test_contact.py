"""Contact sensors against the weight of a box that stands, and the momentum of one that is hit."""

import numpy as np
import pytest

from autosim.kinds.sensors.perception.contact import WORLD
from tests.kinds.sensors.boxes_with_devices import box_robot, rows, simulate

SENSOR = '<ContactSensor name="touch"><Part name="hull"/>{}</ContactSensor>'


def test_the_impulses_of_a_box_that_stands_carry_its_weight(tmp_path):
    robot = box_robot(tmp_path, SENSOR.format(""), mass=12.0)
    with simulate((robot, (0.0, 0.0, None), 0.4)) as simulation:
        for _ in range(120):
            simulation.step()
        found = rows(simulation, "r0.hull.touch")
    gravity = simulation.world.physics.gravity
    assert (found[:, 0] == WORLD).all()
    assert found[:, 4].sum() == pytest.approx(12.0 * gravity * simulation.step_seconds, rel=0.02)
    assert found[:, 3] == pytest.approx(-0.25, abs=0.01)
    assert np.abs(found[:, 1]).max() == pytest.approx(1.0, abs=0.05)
    assert (np.diff(found[:, 4]) <= 0.0).all()


def test_a_box_in_the_air_touches_nothing(tmp_path):
    robot = box_robot(tmp_path, SENSOR.format(""))
    with simulate((robot, (0.0, 0.0, 30.0), 0.0)) as simulation:
        simulation.step()
        assert len(rows(simulation, "r0.hull.touch")) == 0


def test_two_robots_that_collide_tell_of_each_other_the_impulse_that_moves_them(tmp_path):
    robot = box_robot(tmp_path, SENSOR.format(""), mass=12.0)
    with simulate((robot, (0.0, 0.0, None), 0.0), (robot, (4.0, 0.0, None), 0.0)) as simulation:
        simulation.place("r0", (0.0, 0.0), velocity=(6.0, 0.0, 0.0))
        given, taken, node = 0.0, 0.0, simulation.tree.find("r1.hull")
        speeds = []
        for _ in range(120):
            simulation.step()
            first, second = (rows(simulation, f"r{k}.hull.touch") for k in (0, 1))
            first, second = first[first[:, 0] == 1], second[second[:, 0] == 0]
            assert (first[:, 1] > 0.9).all()
            assert (second[:, 1] < -0.9).all()
            given, taken = given + first[:, 4].sum(), taken + second[:, 4].sum()
            speeds.append(np.linalg.norm(simulation.state.value(node, node.fields[2])))
    assert given == pytest.approx(taken)
    assert given == pytest.approx(12.0 * max(speeds), rel=0.1)


def test_of_more_contacts_than_the_list_holds_the_hardest_are_kept(tmp_path):
    all_of_them = SENSOR.format("")
    one = SENSOR.format('<Capacity value="1"/>').replace("touch", "one")
    robot = box_robot(tmp_path, all_of_them + one)
    with simulate((robot, (0.0, 0.0, None), 0.0)) as simulation:
        for _ in range(60):
            simulation.step()
        whole, kept = (rows(simulation, f"r0.hull.{name}") for name in ("touch", "one"))
    assert len(whole) >= 3
    assert kept.tolist() == whole[:1].tolist()
