"""Who goes first where two ways cross."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.traffic.vehicles import spawning
from autosim.traffic.vehicles.traffic_context import RAN_RED
from autosim.world.lanes.lane_rules import Control, SignalState
from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import crossroads, lane, line, put, run, vehicles_on

EAST, NORTH = 0, 3
LORRIES = (("lorry", 1.0),)


def with_rules(roads, *, controls=(), yields=-1):
    """The crossroads with signs before them; `yields`: 0 those who drive east wait."""
    kinds = np.zeros(6, dtype=np.uint8)
    stops = np.full(6, np.nan)
    for number, control in controls:
        kinds[number], stops[number] = control, roads.lengths()[number] - 0.3
    traffic = replace(
        roads.traffic,
        controls=kinds,
        stop_lines=stops,
        conflict_lanes=np.array([[1, 4]], dtype=np.int32),
        conflict_spans=np.array([[[5.0, 11.0], [5.0, 11.0]]]),
        conflict_yields=np.array([yields], dtype=np.int8),
    )
    return replace(roads, traffic=traffic)


def is_through(vehicles, place):
    return vehicles.rows["front"][place] > 0 and vehicles.boxes[place, :2].sum() > 6.0


def order_of_passing(vehicles, seconds=40.0):
    """The places of the two vehicles in the order in which they are through."""
    order = []

    def look():
        for place in range(2):
            x, y = vehicles.boxes[place, :2]
            if place not in order and max(x, y) > 6.0:
                order.append(place)

    run(vehicles, seconds, each=look)
    return order


@pytest.mark.parametrize("yields", [0, 1])
def test_who_has_to_give_way_lets_the_other_go_first(yields):
    roads = with_rules(crossroads(), yields=yields)
    vehicles = vehicles_on(roads, 2)
    put(vehicles, 0, EAST, 60.0, 10.0)
    put(vehicles, 1, NORTH, 60.0, 10.0)
    assert order_of_passing(vehicles) == [1 - yields, yields]
    assert vehicles.counts[0] == 0


def test_without_a_rule_nobody_is_hit_either():
    vehicles = vehicles_on(with_rules(crossroads()), 2)
    put(vehicles, 0, EAST, 60.0, 10.0)
    put(vehicles, 1, NORTH, 60.0, 10.0)
    assert len(order_of_passing(vehicles)) == 2
    assert vehicles.counts[0] == 0


def test_at_a_stop_sign_one_stops_though_nobody_comes():
    roads = with_rules(crossroads(), controls=[(EAST, Control.STOP)], yields=0)
    vehicles = vehicles_on(roads, 1)
    put(vehicles, 0, EAST, 60.0, 10.0)
    least = []
    run(vehicles, 25.0, each=lambda: least.append(vehicles.rows["speed"][0]))
    assert min(least[100:]) < 0.5
    assert is_through(vehicles, 0) or not vehicles.rows[0].active


def test_red_holds_one_before_the_line_and_green_lets_him_go():
    roads = with_rules(crossroads(), controls=[(EAST, Control.SIGNALS)])
    signals = np.full(6, -1, dtype=np.int64)
    signals[EAST] = 1
    vehicles = vehicles_on(roads, 1, signals=signals)
    put(vehicles, 0, EAST, 60.0, 10.0)
    step = run(vehicles, 20.0)
    assert vehicles.rows["speed"][0] == pytest.approx(0.0, abs=0.1)
    assert 0.0 <= roads.traffic.stop_lines[EAST] - vehicles.rows["station"][0] < 2.0
    signals[EAST] = 3
    run(vehicles, 10.0, begin=step)
    assert is_through(vehicles, 0)


def before_two_signals(second, kind="hatchback"):
    """A vehicle before green, behind which another line `second` [m] after the crossing has red."""
    roads = with_rules(crossroads(), controls=[(EAST, Control.SIGNALS), (2, Control.SIGNALS)])
    stops = roads.traffic.stop_lines.copy()
    stops[2] = second
    roads = replace(roads, traffic=replace(roads.traffic, stop_lines=stops))
    signals = np.full(6, -1, dtype=np.int64)
    signals[EAST], signals[2] = 3, 1
    vehicles = vehicles_on(roads, 1, signals=signals, shares=((kind, 1.0),))
    vehicles.town.lanes.allowed[:] = True
    put(vehicles, 0, EAST, 60.0, 10.0)
    return vehicles, 8.0 + second


def test_who_can_stand_before_the_next_signal_does_not_wait_for_it_here():
    vehicles, line_x = before_two_signals(40.0)
    run(vehicles, 20.0)
    front = vehicles.boxes[0, 0] + vehicles.town.sizes["length"][0] / 2.0
    assert 0.0 <= line_x - front < 2.0


def test_who_cannot_stand_between_two_signals_waits_for_both_but_not_for_ever():
    vehicles, line_x = before_two_signals(2.0, "lorry")
    stood = []

    def look():
        if vehicles.rows["speed"][0] < 0.05 and vehicles.boxes[0, 0] < -8.0:
            stood.append(vehicles.boxes[0, 0])

    run(vehicles, 40.0, each=look)
    assert 7.0 < len(stood) / 240.0 < 12.0
    # It goes as far as the second line then, and obeys that one, too.
    front = vehicles.boxes[0, 0] + vehicles.town.sizes["length"][0] / 2.0
    assert 0.0 <= line_x - front < 2.0
    assert vehicles.counts[RAN_RED] == 0


def ring_of_queues():
    """Four streets round a square, each full but for the last room, and one more from outside.

    Streets 0, 2, 4, 6 go round, connectors 1, 3, 5, 7 lead on; 8 and connector 9 lead into 0.
    """
    corners = np.array([(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)])
    lanes = []
    for k in range(4):
        here, there, after = corners[k], corners[(k + 1) % 4], corners[(k + 2) % 4]
        along, turned = (there - here) / 20.0, (after - there) / 20.0
        lanes += [
            lane(2 * k, line(here + 5.0 * along, there - 5.0 * along), successors=(2 * k + 1,)),
            lane(
                2 * k + 1,
                line(there - 5.0 * along, there - along + turned, there + 5.0 * turned),
                successors=((2 * k + 2) % 8,),
                is_connector=True,
            ),
        ]
    lanes += [
        lane(8, line((-60.0, 0.0), (-5.0, 0.0)), successors=(9,)),
        lane(9, line((-5.0, 0.0), (5.0, 0.0)), successors=(0,), is_connector=True),
    ]
    return RoadNetwork.from_lanes(lanes)


def test_nobody_from_outside_takes_the_last_room_of_a_ring():
    vehicles = vehicles_on(ring_of_queues(), 5)
    vehicles.town.lanes.allowed[:] = True
    for place, street in enumerate((2, 4, 6)):
        put(vehicles, place, street, 9.5)
    put(vehicles, 3, 8, 30.0, 5.0)
    moved = []
    run(vehicles, 60.0, each=lambda: moved.append(vehicles.rows["speed"].max()))
    assert max(moved[-2400:]) > 0.5
    assert vehicles.counts[0] == vehicles.counts[1] == 0


@pytest.mark.parametrize(("is_circle", "has_line"), [(True, False), (False, False), (True, True)])
def test_a_vehicle_of_a_circle_moves_up_in_a_junction_but_not_into_one(is_circle, has_line):
    controls = ((EAST, Control.GIVE_WAY),) if has_line else ()
    vehicles = vehicles_on(with_rules(crossroads(), controls=controls), 2, shares=LORRIES)
    vehicles.town.lanes.allowed[:] = True
    put(vehicles, 0, EAST, 90.0, 5.0)
    # It stands close behind the junction, and in the circle it waits for the first one.
    put(vehicles, 1, 2, 8.5)
    vehicles.rows["told_speed"][1] = 0.0

    def close_circle():
        if is_circle:
            vehicles.rows["blocker"][1] = 0

    run(vehicles, 30.0, each=close_circle)
    front = vehicles.boxes[0, 0] + vehicles.town.sizes["length"][0] / 2.0
    rear = vehicles.boxes[1, 0] - vehicles.town.sizes["length"][1] / 2.0
    assert vehicles.counts[0] == 0
    if is_circle and not has_line:
        assert 1.0 < rear - front < 3.5
    else:
        assert front < (-8.0 if has_line else -2.0)


def beside(apart=2.6):
    """Two ways of 20 m side by side through a junction, nearer than a lorry is wide with room."""
    lanes = []
    for k in range(2):
        y, first = k * apart, 3 * k
        wide = k * 4.0
        lanes += [
            lane(first, line((-60.0, y + wide), (0.0, y)), successors=(first + 1,)),
            lane(first + 1, line((0.0, y), (20.0, y)), successors=(first + 2,), is_connector=True),
            lane(first + 2, line((20.0, y), (80.0, y + wide))),
        ]
    return RoadNetwork.from_lanes(lanes)


@pytest.mark.parametrize(
    ("shares", "do_pass"), [((("hatchback", 1.0),), True), ((("lorry", 1.0),), False)]
)
def test_cars_pass_beside_each_other_where_lorries_take_turns(shares, do_pass):
    vehicles = vehicles_on(beside(), 2, shares=shares)
    vehicles.town.lanes.allowed[:] = True
    put(vehicles, 0, 0, 40.0, speed=8.0)
    put(vehicles, 1, 3, 40.0, speed=8.0)
    together = []

    def look():
        x = vehicles.boxes[:, 0]
        together.append(bool(((x > 4.0) & (x < 16.0)).all()))

    run(vehicles, 12.0, each=look)
    assert any(together) is do_pass
    assert vehicles.counts[0] == 0


@pytest.mark.parametrize("gap", [3.0, 6.0, 12.0, 25.0])
def test_who_comes_onto_a_street_can_stop_before_those_who_stand_across_it(gap):
    # Two streets that cross on one level, without a junction between them on the map.
    street = lane(0, line((-150.0, 0.0), (150.0, 0.0)), limit=30.0)
    across = lane(1, line((0.0, -150.0), (0.0, 150.0)))
    vehicles = vehicles_on(RoadNetwork.from_lanes([street, across]), 2)
    put(vehicles, 0, 1, 151.0)
    vehicles.rows["told_speed"][0] = 0.0
    begin = vehicles.town.lanes.spans[vehicles.town.lanes.conflict_starts[0], 0]
    station = begin - gap
    put(vehicles, 1, 0, station, spawning.free_speed(vehicles.town, 0, station, 4.2))
    run(vehicles, 8.0)
    assert vehicles.counts[0] == 0
    assert vehicles.rows["station"][1] < begin + 0.5


def test_who_lets_another_pass_stands_until_that_one_is_past():
    vehicles = vehicles_on(crossroads(), 2)
    put(vehicles, 0, EAST, 111.0)
    put(vehicles, 1, NORTH, 105.0)
    # Both have the right of way: the first stood in it and waited for the second, who got past.
    for place in range(2):
        vehicles.rows["committed"][place] = vehicles.town.register.commits[place] = 30.0
    vehicles.rows["passes"] = 1, 0
    vehicles.rows["lets_pass"][0] = vehicles.rows["rolled"][1] + 20.0
    when, at_first = {}, vehicles.boxes[0, 0]

    def look():
        x, y = vehicles.boxes[0, 0], vehicles.boxes[1, 1]
        when.setdefault("first moves", y) if x > at_first + 0.3 else None
        when.setdefault("first is through", x) if x > 8.0 else None

    run(vehicles, 20.0, each=look)
    assert when["first moves"] > 5.0
    assert "first is through" in when
    assert vehicles.counts[0] == 0


def test_on_the_way_to_a_red_line_one_heeds_those_who_cross_before_it():
    # A signal 30 m behind a place where a street crosses on one level, without a junction.
    street = lane(0, line((-100.0, 0.0), (30.0, 0.0)), successors=(1,))
    behind = lane(0, line((30.0, 0.0), (60.0, 0.0)), is_connector=True)
    across = lane(1, line((0.0, -100.0), (0.0, 100.0)))
    roads = RoadNetwork.from_lanes([street, behind, across])
    kinds, stops = np.zeros(3, dtype=np.uint8), np.full(3, np.nan)
    kinds[0], stops[0] = Control.SIGNALS, 129.0
    roads = replace(roads, traffic=replace(roads.traffic, controls=kinds, stop_lines=stops))
    signals = np.full(3, -1, dtype=np.int64)
    signals[0] = 1
    vehicles = vehicles_on(roads, 2, signals=signals)
    put(vehicles, 0, 0, 60.0, 10.0)
    put(vehicles, 1, 2, 101.0)
    vehicles.rows["told_speed"][1] = 0.0
    step = run(vehicles, 15.0)
    assert vehicles.counts[0] == 0
    assert vehicles.rows["station"][0] < 99.0
    vehicles.rows["told_speed"][1] = np.nan
    run(vehicles, 25.0, begin=step)
    assert vehicles.counts[0] == 0
    assert 125.0 < vehicles.rows["station"][0] <= 129.0


def with_signal(network=None):
    """A vehicle to the east, for which a signal shines, and what that shows, to be written."""
    roads = with_rules(network or crossroads(), controls=[(EAST, Control.SIGNALS)])
    signals = np.full(len(roads.roads), -1, dtype=np.int64)
    signals[EAST] = SignalState.GREEN
    return vehicles_on(roads, 2, signals=signals), signals, roads.lengths()[EAST] - 0.3


def test_a_signal_that_turns_red_stops_also_who_has_the_right_of_way_already():
    vehicles, signals, line_at = with_signal()
    put(vehicles, 0, EAST, 60.0, 10.0)
    row, begun = vehicles.rows[0], 0
    while row.station < line_at - 20.0:
        begun = run(vehicles, 0.05, begin=begun)
    assert row.committed > 20.0
    signals[EAST] = SignalState.RED
    begun = run(vehicles, 20.0, begin=begun)
    assert row.front == 0
    assert line_at - 1.0 < row.station <= line_at
    # Others have the right of way meanwhile.
    put(vehicles, 1, NORTH, 60.0, 10.0)
    begun = run(vehicles, 15.0, begin=begun)
    assert is_through(vehicles, 1)
    signals[EAST] = SignalState.GREEN
    run(vehicles, 15.0, begin=begun)
    assert is_through(vehicles, 0)
    assert vehicles.counts[RAN_RED] == vehicles.counts[0] == 0


def test_a_red_light_counts_as_run_after_a_second():
    for seconds, expected in ((0.5, 0), (2.0, 1)):
        vehicles, signals, line_at = with_signal()
        signals[EAST] = SignalState.RED
        begun = run(vehicles, seconds)
        # Nobody could stop there.
        put(vehicles, 0, EAST, line_at - 2.0, 10.0)
        run(vehicles, 1.0, begin=begun)
        assert vehicles.rows["front"][0] > 0
        assert vehicles.counts[RAN_RED] == expected
