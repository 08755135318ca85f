"""Signals: phases, times and lights of the junctions of a map."""

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.traffic.signals.controllers import Lights, SignalControllers
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.lanes.lane_rules import SignalState
from tests.traffic.signals.junctions import east_west, north_south, signalled_crossing
from tests.world.maps import MAPS, build_map

STEP = 0.1
"""Length [s] of a step in these tests: nothing moves in them."""


class Running:
    """The controllers of a world, and all that they have shown."""

    def __init__(self, world, **options):
        self.plan = make_plan(world, most=MOST_SIGNALS)
        self.lights = Lights(
            np.zeros(len(self.plan), dtype=np.int64), np.zeros((8, 2)), np.zeros(1, dtype=np.int64)
        )
        self.controllers = SignalControllers(
            self.plan, world.roads, lights=self.lights, step_seconds=STEP, **options
        )
        self.step = 0

    def run(self, seconds):
        """What was shown (steps, groups)."""
        shown = []
        for _ in range(round(seconds / STEP)):
            self.step += 1
            self.controllers.advance(self.step)
            shown.append(self.lights.shown.copy())
        return np.array(shown)

    def order(self, *rows):
        self.lights.orders[: len(rows)] = np.reshape(rows, (-1, 2))
        self.lights.order_count[0] = len(rows)


def moving(shown):
    """Whether those who have come in time may still be in the junction."""
    return (shown == SignalState.GREEN) | (shown == SignalState.AMBER)


def conflicts_shown(plan, shown):
    """How often two groups in conflict were let go together."""
    may_go = moving(shown)
    return int((may_go[:, plan.apart[:, 0]] & may_go[:, plan.apart[:, 1]]).sum())


@pytest.mark.parametrize("is_actuated", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        *("arizona_highways.osm", "borough_sausage_links.osm", "i5_exit_ramp.osm"),
        *("leeds_cycleway.osm", "neukolln.osm", "perth_stretched_lights.osm"),
        "seattle_triangle.osm",
        pytest.param("helsinki.osm.pbf", marks=pytest.mark.long),
        pytest.param("melborne.osm.pbf", marks=pytest.mark.long),
        "bayfront_singapore.osm.pbf",
    ],
)
def test_no_two_groups_in_conflict_go_together_and_all_have_their_turn(built, name, is_actuated):
    folder = "pbf" if name.endswith(".pbf") else "city"
    world = built(MAPS / folder / name)
    running = Running(world, is_actuated=is_actuated)
    assert len(running.plan)
    detectors = running.controllers.detectors
    detectors.gaps[:], detectors.waiting[:] = 5.0, 1
    generator = np.random.default_rng(1)
    shown = []
    for _ in range(8):
        group = int(generator.integers(len(running.plan)))
        running.order((group, float(generator.integers(6))))
        shown.append(running.run(20.0))
        running.order()
        shown.append(running.run(20.0))
    shown.append(running.run(240.0))
    assert conflicts_shown(running.plan, np.concatenate(shown)) == 0
    assert (shown[-1] == SignalState.GREEN).any(axis=0).all()


def test_opposite_arms_of_a_crossing_go_together_and_the_others_wait(tmp_path):
    world = signalled_crossing(tmp_path)
    running = Running(world)
    shown = running.run(120.0)
    lanes = running.plan.lane_groups
    along, across = (
        [shown[:, lanes[lane]] for lane in arms(world)] for arms in (east_west, north_south)
    )
    np.testing.assert_array_equal(*along)
    np.testing.assert_array_equal(*across)
    assert not (moving(along[0]) & moving(across[0])).any()
    assert (moving(along[0]) | moving(across[0])).mean() > 0.8


def test_amber_is_longer_on_faster_streets(tmp_path):
    """By the formula of the ITE: 3.3 s at 50 km/h, 4.2 s at 70 km/h."""
    for limit, seconds in (("30", 3.0), ("50", 1.0 + 50 / 3.6 / 6.1), ("70", 1.0 + 70 / 3.6 / 6.1)):
        plan = make_plan(signalled_crossing(tmp_path, maxspeed=limit), most=MOST_SIGNALS)
        np.testing.assert_allclose(plan.ambers, seconds)


def test_people_cross_while_the_street_that_they_cross_waits(tmp_path):
    world = signalled_crossing(tmp_path, with_people=True)
    running = Running(world)
    plan = running.plan
    assert plan.is_people.sum() == 1
    (people,) = np.flatnonzero(plan.is_people)
    shown = running.run(120.0)
    assert set(np.unique(shown[:, people])) == {SignalState.RED, SignalState.GREEN}
    for lane in east_west(world):
        assert not (moving(shown[:, people]) & moving(shown[:, plan.lane_groups[lane]])).any()
    # Whoever has begun to cross at the last moment is over before cars come.
    ends = np.flatnonzero((shown[1:, people] == 1) & (shown[:-1, people] == 3))
    starts = np.flatnonzero(
        (shown[1:, plan.lane_groups[east_west(world)[0]]] == 3)
        & (shown[:-1, plan.lane_groups[east_west(world)[0]]] != 3)
    )
    first = ends[0]
    assert (starts[starts > first][0] - first) * STEP >= plan.walkways[0].length / 1.2


def test_an_ordered_signal_turns_green_and_stays_so(tmp_path):
    world = signalled_crossing(tmp_path)
    running = Running(world)
    group = int(running.plan.lane_groups[north_south(world)[0]])
    running.order((group, SignalState.GREEN))
    assert (running.run(30.0)[-1, group]) == SignalState.GREEN
    assert (running.run(200.0)[:, group] == SignalState.GREEN).all()
    running.order((group, SignalState.RED))
    running.run(15.0)
    assert (running.run(200.0)[:, group] == SignalState.RED).all()
    running.order()
    assert (running.run(90.0)[:, group] == SignalState.GREEN).any()


def test_an_order_to_switch_off_holds_for_the_whole_junction(tmp_path):
    running = Running(signalled_crossing(tmp_path))
    running.order((0, SignalState.FLASHING))
    assert (running.run(5.0) == SignalState.FLASHING).all()
    running.order()
    shown = running.run(60.0)
    assert (shown[:25] == SignalState.RED).all()
    assert (shown == SignalState.GREEN).any(axis=0).all()


def test_actuated_green_stays_where_nobody_else_comes_and_goes_to_who_does(tmp_path):
    world = signalled_crossing(tmp_path)
    running = Running(world, is_actuated=True)
    gaps = running.controllers.detectors.gaps
    east, south = east_west(world)[0], north_south(world)[0]
    groups = running.plan.lane_groups
    gaps[east] = 10.0
    running.run(20.0)
    assert (running.run(200.0)[:, groups[east]] == SignalState.GREEN).all()
    gaps[:], gaps[south] = np.inf, 10.0
    running.run(8.0)
    assert (running.run(100.0)[:, groups[south]] == SignalState.GREEN).all()


def test_the_same_seed_begins_at_the_same_moment(tmp_path):
    world = signalled_crossing(tmp_path)
    first, again, other = (Running(world, seed=seed).run(60.0) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_map_without_signals_has_none(tmp_path):
    world = signalled_crossing(tmp_path, tags={})
    running = Running(world)
    assert len(running.plan) == 0
    running.run(1.0)


def test_traffic_says_how_signals_work():
    assert TrafficDescription().signals == "fixed"


def test_more_signals_than_there_is_room_for_leave_whole_junctions_without(tmp_path):
    world = signalled_crossing(tmp_path)
    assert len(make_plan(world, most=4)) == 4
    assert (make_plan(world, most=3).lane_groups < 0).all()


def main_street(folder):
    """A street eastwards with signals at x = 0, 200 and 400 m, and a crossing before the second."""
    street, side = {"highway": "primary", "maxspeed": "50"}, {"highway": "tertiary"}
    ways = [
        (((-150.0, 0.0), (0.0, 0.0), (188.0, 0.0), *((x, 0.0) for x in (200, 400, 550))), street)
    ]
    ways += [(((x, -100.0), (x, 0.0), (x, 100.0)), side) for x in (0.0, 200.0, 400.0)]
    nodes = [((x, 0.0), {"highway": "traffic_signals"}) for x in (0.0, 200.0, 400.0)]
    nodes.append(((188.0, 0.0), {"highway": "crossing", "crossing": "traffic_signals"}))
    return build_map(folder, ways, side="right", nodes=nodes)


def eastbound(world, plan):
    """The groups of those who come eastwards along the main street, from west to east."""
    lanes = [
        lane
        for lane in world.roads.lanes
        if plan.lane_groups[lane.index] >= 0 and abs(lane.heading(lane.length)) < 0.1
    ]
    lanes.sort(key=lambda lane: lane.position(lane.length)[0])
    return [int(plan.lane_groups[lane.index]) for lane in lanes]


def test_each_junction_along_a_street_has_a_controller_of_its_own(tmp_path):
    world = main_street(tmp_path)
    plan = make_plan(world, most=MOST_SIGNALS)
    assert len({int(plan.controllers[group]) for group in eastbound(world, plan)}) == 3


@pytest.mark.parametrize("seed", [0, 7])
def test_signals_along_a_street_show_a_green_wave(tmp_path, seed):
    world = main_street(tmp_path)
    running = Running(world, seed=seed)
    shown = running.run(400.0)
    groups = eastbound(world, running.plan)
    is_green = shown[:, groups] == SignalState.GREEN
    begins = [np.flatnonzero(np.diff(each.astype(int)) == 1) * STEP for each in is_green.T]
    for first, second in ((0, 1), (1, 2)):
        waits = [np.min(begins[second][begins[second] >= at]) - at for at in begins[first][:4]]
        assert waits == pytest.approx([200.0 / (50.0 / 3.6)] * 4, abs=1.0)
    assert conflicts_shown(running.plan, shown) == 0
