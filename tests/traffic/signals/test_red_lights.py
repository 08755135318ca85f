"""Red means red, also where signals follow each other within metres."""

import numpy as np
import pytest

from autosim.traffic.signals.approaches import find_approaches
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.signals.timing import PRACTICE
from autosim.world.lanes.lane_rules import Control
from benchmarks.hour_of_traffic import traffic_in
from tests.paths import SHARED
from tests.traffic.signals.junctions import SIGNALS, east_west
from tests.world.maps import build_map

EXTRACTS = sorted(
    str(each.relative_to(SHARED / "osm"))
    for each in (SHARED / "osm").glob("*/*.osm*")
    if each.parent.name in ("city", "pbf")
)
MEDIAN = 16.0
"""Distance [m] between the two carriageways of a street: of its inner lanes 2 m are left, and
cars can still turn into them."""


def run_traffic(extract, minutes, *, vehicles=200, people=100):
    """The counters of traffic in a whole extract; None where it has no signals."""
    path = SHARED / "osm" / extract
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    hertz = 20.0
    traffic, signals, arrays = traffic_in(str(path), vehicles, people, None, hertz=hertz, seed=0)
    if not len(signals.plan):
        return None
    travelled = 0.0
    for step in range(round(minutes * 60.0 * hertz)):
        signals.advance(step + 1)
        traffic.advance(step)
        travelled += traffic.vehicles.shown[:, 7].sum() / hertz
    collisions, _, _, _, ran_red, now, _ = arrays.counters.tolist()
    # They have driven, too.
    assert travelled / minutes > 20.0 * now
    return collisions, ran_red


@pytest.mark.parametrize(
    "extract", ["city/perth_stretched_lights.osm", "city/seattle_triangle.osm"]
)
def test_no_vehicle_runs_a_red_light(extract):
    assert run_traffic(extract, 2.0, vehicles=60, people=30) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("extract", EXTRACTS)
def test_no_vehicle_runs_a_red_light_in_ten_minutes_of_any_extract(extract):
    counted = run_traffic(extract, 10.0)
    if counted is None:
        pytest.skip("there are no signals")
    assert counted == (0, 0)


@pytest.fixture(scope="module")
def dual_carriageway(tmp_path_factory):
    """A street to the east that crosses two one-way carriageways, with signals at both."""
    main = {"highway": "primary", "oneway": "yes", "maxspeed": "50"}
    near, far = (0.0, 0.0), (MEDIAN, 0.0)
    ways = [
        (((-120.0, 0.0), near, far, (130.0, 0.0)), {"highway": "tertiary", "maxspeed": "50"}),
        (((0.0, 120.0), near, (0.0, -120.0)), main),
        (((MEDIAN, -120.0), far, (MEDIAN, 120.0)), main),
    ]
    folder = tmp_path_factory.mktemp("dual")
    return build_map(folder, ways, side="right", nodes=[(near, SIGNALS), (far, SIGNALS)])


def test_a_line_between_two_carriageways_without_room_has_no_signal(dual_carriageway):
    world = dual_carriageway
    inner = np.flatnonzero(find_approaches(world.roads).inner)
    lengths = world.roads.lengths()[inner]
    assert len(inner) == 2
    assert (lengths < 6.0).all()
    assert (world.roads.traffic.controls[inner] == Control.SIGNALS).all()
    plan = make_plan(world, most=64)
    assert (plan.lane_groups[inner] == -1).all()
    assert len(plan.group_starts) == 2, "one controller for both"


@pytest.mark.parametrize("median", [9.0, 12.0])
def test_a_line_without_room_has_no_signal_where_a_connector_leads_past_it(tmp_path, median):
    # From one two-way carriageway into the other: a car cannot turn into the short lane and out.
    main, cross = ({"highway": each, "maxspeed": "50"} for each in ("primary", "tertiary"))
    near, far = (0.0, 0.0), (median, 0.0)
    ways = [
        (((-120.0, 0.0), near, far, (130.0, 0.0)), cross),
        *((((x, -120.0), (x, 0.0), (x, 120.0)), main) for x in (0.0, median)),
    ]
    world = build_map(tmp_path, ways, side="right", nodes=[(near, SIGNALS), (far, SIGNALS)])
    approaches = find_approaches(world.roads)
    assert len(np.unique(approaches.junctions)) == 1, "connectors past the short lanes join both"
    inner = np.flatnonzero(approaches.inner)
    assert len(inner) == 2
    assert (world.roads.lengths()[inner] < 6.0).all()
    plan = make_plan(world, most=64)
    assert (plan.lane_groups[inner] == -1).all()


def test_a_line_without_room_has_no_signal_where_nothing_crosses_behind_it(tmp_path):
    # All streets leave the far node: the signal there is for people, whom the near one protects.
    street = {"highway": "tertiary", "maxspeed": "50", "oneway": "yes"}
    near, far = (0.0, 0.0), (MEDIAN, 0.0)
    ways = [
        (((-120.0, 0.0), near, far), street),
        ((far, (130.0, 0.0)), {**street, "highway": "residential"}),
        ((far, (MEDIAN, 120.0)), street),
        (((0.0, 120.0), near, (0.0, -120.0)), street),
    ]
    world = build_map(tmp_path, ways, side="right", nodes=[(near, SIGNALS), (far, SIGNALS)])
    approaches = find_approaches(world.roads)
    inner = np.flatnonzero(approaches.inner)
    assert len(inner) == 1
    assert world.roads.lengths()[inner] < 6.0
    assert (world.roads.traffic.controls[inner] == Control.SIGNALS).all()
    assert len(approaches.lanes) == 2


def test_who_crosses_both_carriageways_meets_neither(dual_carriageway):
    world = dual_carriageway
    plan = make_plan(world, most=64)
    crossing = {int(plan.lane_groups[lane]) for lane in east_west(world)} - {-1}
    main = set(plan.lane_groups[plan.lane_groups >= 0].tolist()) - crossing
    assert len(crossing) == len(main) == 2
    apart = {frozenset(pair) for pair in plan.apart.tolist()}
    assert {frozenset((a, b)) for a in crossing for b in main} <= apart
    # The red between lasts until the far carriageway is clear, too. So it does after the main
    # street, from which vehicles turn across the other carriageway.
    lines = [
        abs(world.roads.lanes[lane].centre_line[-1, 0])
        for lane in east_west(world)
        if plan.lane_groups[lane] >= 0
    ]
    outer = MEDIAN / 2.0
    through = (min(lines) + outer) / PRACTICE.clearing
    assert through > 1.8
    assert plan.clearances[[*crossing, *main]].min() > through
