"""Traffic in a simulation: robots meet it, sensors see it, and its bytes are the seed's."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedObject
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.kinds.bodies.box import BoxPart
from autosim.model.commands import Command
from autosim.traffic.traffic_node import (
    TARGET_VEHICLES,
    VEHICLE_ORDERS,
    V,
    counters_of,
    traffic_arrays_of,
)
from autosim.traffic.vehicle_kinds import KIND_NAMES
from tests.server.lidar_worlds import PLAIN, world_with
from tests.worlds import RADIUS, flat_world, impreza_world

TRAFFIC = TrafficDescription(vehicles=6, shares=(("hatchback", 1.0), ("bicycle", 1.0)))
AWAY = (150.0, 150.0, None)


def world(**placed):
    return replace(impreza_world(**placed), traffic=TRAFFIC)


def simulation_of(description, seed=0, **others):
    others = {"report": lambda notice: None} | others
    return Simulation(description, compiled=flat_world(), seed=seed, **others)


def run(simulation, seconds):
    for _ in range(round(seconds / simulation.step_seconds)):
        simulation.step()


def orders(*rows):
    return Command(f"traffic.{VEHICLE_ORDERS}", np.array(rows, dtype=np.float64).tobytes())


def test_vehicles_drive_on_the_ground_and_lie_in_the_state():
    with simulation_of(world(position=AWAY)) as simulation:
        before = traffic_arrays_of(simulation.state).vehicles.copy()
        run(simulation, 2.0)
        after = traffic_arrays_of(simulation.state).vehicles
    is_there = after[:, V.kind] >= 0.0
    assert is_there.sum() == counters_of(simulation.state)["vehicles_now"] > 3
    assert {KIND_NAMES[int(kind)] for kind in after[is_there, V.kind]} == {"hatchback", "bicycle"}
    moved = np.hypot(*(after - before)[is_there, V.x : V.z].T)
    assert moved.max() > 3.0
    assert np.hypot(*after[is_there, V.x : V.z].T) == pytest.approx(RADIUS, abs=1.0)


def test_the_same_seed_gives_the_same_bytes():
    states = []
    for seed in (1, 1, 2):
        with simulation_of(world(position=AWAY), seed) as simulation:
            run(simulation, 1.0)
            states.append(simulation.state.to_bitstream())
    assert states[0] == states[1] != states[2]


def test_traffic_goes_on_from_a_snapshot():
    with (
        simulation_of(world(position=AWAY)) as first,
        simulation_of(world(position=AWAY)) as second,
    ):
        run(first, 1.27)
        second.restore(first.snapshot())
        run(first, 1.0)
        run(second, 1.0)
        states = [each.state.to_bitstream(each.tree.find("traffic")) for each in (first, second)]
    assert states[0] == states[1]


def test_a_robot_that_is_hit_is_shoved_and_both_count_it():
    """The car stands across the ring, and appears there too late for anybody to stop."""
    with simulation_of(world(position=AWAY)) as simulation:
        run(simulation, 8.0)
        vehicles = traffic_arrays_of(simulation.state).vehicles
        fastest = int(np.argmax(vehicles[:, V.speed]))
        x, y, yaw = vehicles[fastest, [V.x, V.y, V.yaw]]
        ahead = np.array([x + 4.6 * np.cos(yaw), y + 4.6 * np.sin(yaw)])
        simulation.place("impreza", ahead, yaw=yaw + np.pi / 2)
        run(simulation, 2.0)
        counted = counters_of(simulation.state)
        place = simulation.state.value(
            simulation.tree.find("impreza.chassis"),
            simulation.tree.find("impreza.chassis").fields[0],
        )
    assert counted["collisions_with_robots"] == 1
    assert counted["collisions"] == 0
    assert np.hypot(*(place[:2] - ahead)) > 0.5


def test_a_lidar_sees_vehicles():
    ranges = []
    for traffic in (None, replace(TRAFFIC, vehicles=12)):
        description = world_with(replace(PLAIN, range=120.0))
        first, second = description.robots
        robots = (replace(first, position=(RADIUS - 8.0, 0.0, None)), second)
        description = replace(description, robots=robots, traffic=traffic)
        with simulation_of(description) as simulation:
            run(simulation, 5.0)
            node = simulation.tree.find("impreza.chassis.lidar")
            ranges.append(simulation.state.to_bitstream(node))
    assert ranges[0] != ranges[1]


def test_a_vehicle_stops_before_an_object_on_its_lane():
    box = BoxPart("box", (0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0), mass=50.0)
    thing = PlacedObject("box", box, (RADIUS * np.cos(1.0), RADIUS * np.sin(1.0), None))
    with simulation_of(replace(world(position=AWAY), objects=(thing,))) as simulation:
        simulation.queue([Command(f"traffic.{TARGET_VEHICLES}", np.zeros(1).tobytes())])
        run(simulation, 1.2)
        one = Command(f"traffic.{TARGET_VEHICLES}", np.ones(1).tobytes())
        simulation.queue([one, orders((0, -1, 0, -1, 0, 20.0, 0))])
        run(simulation, 15.0)
        vehicles = traffic_arrays_of(simulation.state).vehicles
        counted = counters_of(simulation.state)
    assert counted["collisions"] == counted["collisions_with_robots"] == 0
    assert vehicles[0, V.rolled] > 10.0
    assert vehicles[0, V.speed] < 0.3


def test_a_program_tells_vehicles_what_to_do():
    with simulation_of(world(position=AWAY)) as simulation:
        run(simulation, 5.0)
        simulation.queue([orders((0, 0.0, 0, -1, -1, 0, 0), (1, -1, 0, -1, -1, 0, 1))])
        run(simulation, 8.0)
        vehicles = traffic_arrays_of(simulation.state).vehicles
        assert vehicles[0, V.speed] < 0.1
        assert vehicles[1, V.kind] == -1.0
        simulation.queue([orders((1, 3.0, 0, -1, 1, 40.0, 0))])
        run(simulation, 0.2)
        assert vehicles[1, V.kind] >= 0.0
        simulation.queue([Command(f"traffic.{TARGET_VEHICLES}", np.array([0.0]).tobytes())])
        run(simulation, 2.0)
        assert counters_of(simulation.state)["vehicles_now"] < 6


PROGRAM = """
from autosim.userprogram import DeviceError, get_roads, get_vehicles, order_signal
from autosim.userprogram import order_vehicle, wait

def refused(order, *arguments, **wishes):
    try:
        order(*arguments, **wishes)
    except (DeviceError, ValueError) as error:
        return str(error)
    raise AssertionError(f"taken: {arguments} {wishes}")

def main(argv):
    reason = refused(order_signal, get_roads().lanes[0].signal_number, None)
    assert "the lane has no signal" in reason, reason
    assert "(this world has none)" in refused(order_signal, 3, None)
    count = len(get_roads().lanes)
    reason = refused(order_vehicle, 0, place=(99999, 1.0))
    assert f"(this world has 0 to {count - 1}), not 99999" in reason, reason
    assert "has no place at 1e+06 m" in refused(order_vehicle, 0, place=(0, 1e6))
    assert "place is the number of a lane" in refused(order_vehicle, 0, place=(-1, 1.0))
    first = get_vehicles()[0]
    try:
        order_vehicle(first.number, route=["nowhere"])
    except DeviceError as error:
        assert "there is no street 'nowhere'" in str(error), error
    else:
        raise AssertionError("there is such a street")
    order_vehicle(first.number, route=["street0"])
    order_vehicle(first.number, speed=0.0)
    wait(6.0)
    found = {each.number: each for each in get_vehicles()}
    assert found[first.number].speed < 0.1, found
    order_vehicle(first.number)
    wait(3.0)
    found = {each.number: each for each in get_vehicles()}
    assert found[first.number].speed > 1.0, found
    order_vehicle(first.number, remove=True)
    wait(0.5)
    assert first.number not in {each.number for each in get_vehicles()}
    wait(1000.0)
"""


def test_the_functions_of_programs_see_and_order_vehicles(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    (tmp_path / "userprograms").mkdir()
    (tmp_path / "userprograms" / "orders.py").write_text(PROGRAM)
    notices = []
    description = world(position=AWAY, program="userprograms/orders.py")
    with simulation_of(description, report=notices.append) as simulation:
        run(simulation, 10.0)
        vehicles = traffic_arrays_of(simulation.state).vehicles
    assert not [each.text for each in notices if each.level == "error"]
    assert (vehicles[:, V.kind] < 0.0).any()
