"""SUMO as the engine of traffic: its vehicles are ours, and it sees what we have."""

import os
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import Command
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.sumo import libsumo_loader
from autosim.traffic.sumo.libsumo_loader import SumoError, load_sumo
from autosim.traffic.sumo.sumo_engine import SumoEngine
from autosim.traffic.traffic_node import MOST_SIGNALS, V, counters_of, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from tests.traffic.demand.towns import demand_of
from tests.traffic.signals.junctions import east_west, signalled_crossing
from tests.worlds import RADIUS, flat_world, impreza_world

if not find_spec("libsumo"):
    pytest.skip("SUMO is not installed", allow_module_level=True)
libsumo = load_sumo()

TRAFFIC = TrafficDescription(vehicles=5, shares=(("hatchback", 1.0),), engine="sumo")
AWAY = (150.0, 150.0, None)


def world(traffic=TRAFFIC, **placed):
    return replace(impreza_world(**placed), traffic=traffic)


def simulation_of(description, seed=0, compiled=None):
    return Simulation(
        description, compiled=compiled or flat_world(), seed=seed, report=lambda notice: None
    )


def vehicles_of(simulation):
    rows = traffic_arrays_of(simulation.state).vehicles
    return rows[rows[:, V.kind] >= 0.0]


def run(simulation, seconds):
    for _ in range(round(seconds / simulation.step_seconds)):
        simulation.step()


def go_on(simulation, seconds):
    run(simulation, seconds)
    return simulation.state.to_bitstream()


def test_sumo_moves_vehicles_on_our_lanes_without_a_jump():
    with simulation_of(world(position=AWAY)) as simulation:
        rows = traffic_arrays_of(simulation.state).vehicles
        before, farthest = rows.copy(), 0.0
        for _ in range(240 * 4):
            simulation.step()
            ways = np.hypot(*(rows - before)[:, V.x : V.z].T)
            farthest = max(farthest, float(np.abs(ways - rows[:, V.speed] / 240.0).max()))
            before = rows.copy()
        found = vehicles_of(simulation)
    assert len(found) == 5
    assert farthest < 0.02
    assert np.hypot(found[:, V.x], found[:, V.y]) == pytest.approx(RADIUS, abs=0.5)
    assert found[:, V.speed].min() > 3.0
    assert found[:, V.rolled].min() > 10.0


def test_the_same_seed_gives_the_same_bytes():
    states = []
    for seed in (1, 1, 2):
        with simulation_of(world(position=AWAY), seed) as simulation:
            states.append(go_on(simulation, 2.0))
    assert states[0] == states[1] != states[2]


def test_a_copy_of_the_process_goes_on_alike_and_leaves_the_moment_alone():
    with simulation_of(world(position=AWAY)) as simulation:
        run(simulation, 1.0)
        with simulation.fork() as fork:
            copies = [fork.run(go_on, 1.0) for _ in range(2)]
        own = go_on(simulation, 1.0)
    assert copies[0] == copies[1] == own


def test_a_snapshot_goes_on_with_all_vehicles_where_they_were():
    with simulation_of(world(position=AWAY)) as simulation:
        run(simulation, 3.0)
        snapshot, before = simulation.snapshot(), vehicles_of(simulation).copy()
    with simulation_of(world(position=AWAY)) as other:
        other.restore(snapshot)
        run(other, 0.1)
        after = vehicles_of(other)
    ways = np.hypot(*(after - before)[:, V.x : V.z].T)
    assert ways == pytest.approx(0.1 * before[:, V.speed], abs=0.1)


def test_sumos_vehicles_stop_behind_our_car():
    with simulation_of(world(position=(RADIUS, 0.0, None), yaw=np.pi / 2.0)) as simulation:
        run(simulation, 30.0)
        found = vehicles_of(simulation)
        assert counters_of(simulation.state)["collisions_with_robots"] == 0
    assert found[:, V.speed].max() < 0.5
    gaps = np.hypot(found[:, V.x] - RADIUS, found[:, V.y])
    assert 4.0 < gaps.min() < 10.0


def test_sumo_shows_our_signals_and_its_vehicles_obey(tmp_path):
    compiled = signalled_crossing(tmp_path)
    traffic = replace(TRAFFIC, vehicles=10)
    description = replace(impreza_world(), traffic=traffic, robots=())
    with simulation_of(description, compiled=compiled) as simulation:
        shown = set()
        for _ in range(30):
            run(simulation, 1.0)
            (name,) = libsumo.trafficlight.getIDList()
            shown.add(libsumo.trafficlight.getRedYellowGreenState(name))
        assert counters_of(simulation.state)["collisions"] == 0
        waiting = vehicles_of(simulation)[:, V.speed] < 0.1
    assert waiting.any()
    letters = set("".join(shown))
    assert letters >= {"r", "y"}
    assert letters & {"G", "g"}
    assert len(shown) > 2


def test_routes_of_a_file_are_driven():
    demand = demand_of("street0", seconds=0.5)
    traffic = replace(TRAFFIC, vehicles=1, demand=demand)
    with simulation_of(world(traffic, position=AWAY)) as simulation:
        run(simulation, 0.4)
        assert len(vehicles_of(simulation)) == 0
        run(simulation, 1.0)
        assert len(vehicles_of(simulation)) == 1
        run(simulation, 50.0)
        assert counters_of(simulation.state)["arrived"] == 1


@pytest.mark.parametrize("by_street", [True, False])
def test_a_vehicle_turns_where_it_is_told(tmp_path, by_street):
    compiled = signalled_crossing(tmp_path)
    roads = compiled.roads
    lane = next(each for each in east_west(compiled) if roads.lanes[each].position(0.0)[0] < -50.0)
    left = max(roads.lanes[lane].successors, key=lambda each: roads.lanes[each].turn)
    street = roads.lanes[left].successors[0]
    traffic = replace(TRAFFIC, vehicles=1)
    description = replace(impreza_world(), traffic=traffic, robots=())
    with simulation_of(description, compiled=compiled) as simulation:
        place = np.array([[0.0, -1.0, 0.0, -1.0, -1.0, 0.0, 1.0]])
        simulation.queue([Command("traffic.vehicle_orders", place.tobytes())])
        run(simulation, 0.2)
        number = float(roads.roads[street]) if by_street else -1.0
        place[0, 3:] = number, lane, 40.0, 0.0
        simulation.queue([Command("traffic.vehicle_orders", place.tobytes())])
        if not by_street:
            way = np.array([[0.0, float(street)]])
            simulation.queue([Command("traffic.vehicle_routes", way.tobytes())])
        found = []
        for _ in range(100):
            run(simulation, 1.0)
            found += vehicles_of(simulation)[:, V.y].tolist()
            if found and abs(found[-1]) > 20.0:
                break
    assert max(found) > 20.0


def test_only_one_world_of_a_process_has_sumo():
    first = simulation_of(world(position=AWAY))
    second = simulation_of(world(position=AWAY))
    with first, second:
        run(second, 0.2)
        with pytest.raises(SumoError, match="another world in this process already uses SUMO"):
            run(first, 0.2)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(libsumo_loader, "import_module", refuse)
    with pytest.raises(SumoError, match=r"pip install 'autosim\[sumo\]'"):
        simulation_of(world(position=AWAY))


def test_others_find_their_projections_where_sumo_is_loaded() -> None:
    load_sumo()
    assert not {"PROJ_LIB", "PROJ_DATA"} & set(os.environ)


def test_a_vehicle_begins_within_a_junction(tmp_path):
    compiled = signalled_crossing(tmp_path)
    roads = compiled.roads
    allowed = lane_table_of(roads, range(len(FLEET))).allowed
    plan = make_plan(compiled, most=MOST_SIGNALS)
    sumo = SumoEngine(compiled, plan, allowed=allowed, interval=0.05, seed=0, imperfection=0.0)
    connectors = np.flatnonzero(roads.connectors & allowed[0])
    for place, lane in enumerate(connectors.tolist()):
        station = 0.5 * roads.lanes[lane].length
        edge = sumo.network.edge_near(lane)
        sumo.add(place, 0, -1, lane, station, 5.0, [edge])
        sumo.step()
        found = sumo.vehicles([place])[place]
        assert found.lane == lane
        assert found.station == pytest.approx(station, abs=1.5)
        sumo.remove(place)
