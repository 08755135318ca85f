"""Turn restrictions bar lanes from leading where they must not, and say when they cannot."""

import pytest

from autosim.world.lanes.routing import route
from tests.world.maps import RESIDENTIAL, build_map

WEST, EAST, SOUTH, NORTH = 1, 2, 3, 4
ARMS = (
    (((-120.0, 0.0), (0.0, 0.0)), RESIDENTIAL),
    (((0.0, 0.0), (120.0, 0.0)), RESIDENTIAL),
    (((0.0, -120.0), (0.0, 0.0)), RESIDENTIAL),
    (((0.0, 0.0), (0.0, 120.0)), RESIDENTIAL),
)
MIDDLE = (0.0, 0.0)
PLACES = {WEST: (-80.0, 0.0), EAST: (80.0, 0.0), SOUTH: (0.0, -80.0), NORTH: (0.0, 80.0)}


def restriction(kind, first=WEST, last=NORTH, via=("node", MIDDLE), **tags):
    members = [("way", first, "from"), (*via, "via"), ("way", last, "to")]
    return members, {"type": "restriction", "restriction": kind} | tags


def exits(world, arm):
    """The arms to which one comes from an arm."""
    roads = world.roads
    of_road = {
        int(roads.roads[roads.nearest_lane(place)[0]]): name for name, place in PLACES.items()
    }
    found = set()
    for lane in roads.lanes:
        if not lane.is_connector and of_road[lane.road] == arm:
            for k in lane.successors:
                found.add(of_road[roads.lanes[k].road])
    return found - {arm}


def town(tmp_path, *relations, side="right", ways=ARMS):
    return build_map(tmp_path, ways, side=side, relations=relations)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("kind", "last", "left"),
    [
        ("no_left_turn", NORTH, {EAST, SOUTH}),
        ("no_right_turn", SOUTH, {EAST, NORTH}),
        ("no_straight_on", EAST, {NORTH, SOUTH}),
        ("only_straight_on", EAST, {EAST}),
        ("only_left_turn", NORTH, {NORTH}),
    ],
)
def test_it_bars_what_it_says_and_nothing_else(tmp_path, kind, last, left, side):
    world = town(tmp_path, restriction(kind, last=last), side=side)
    assert exits(world, WEST) == left
    assert exits(world, EAST) == {WEST, NORTH, SOUTH}
    assert dict(world.used)["turn restrictions"] == 1


def test_no_entry_and_no_exit_name_several_ways(tmp_path):
    members = [("way", WEST, "from"), ("way", EAST, "from"), ("node", MIDDLE, "via"),
               ("way", NORTH, "to")]  # fmt: skip
    world = town(tmp_path, (members, {"type": "restriction", "restriction": "no_entry"}))
    assert exits(world, WEST) == {EAST, SOUTH}
    assert exits(world, EAST) == {WEST, SOUTH}
    assert NORTH in exits(world, SOUTH)


def test_a_street_with_no_way_out_ends(tmp_path):
    relations = [restriction("no_entry", last=last) for last in (NORTH, EAST, SOUTH)]
    world = town(tmp_path, *relations)
    assert exits(world, WEST) == set()
    index, _, _ = world.roads.nearest_lane((-80.0, 0.0), 0.0)
    assert route(world.roads, index, length=500.0, seed=0) == [index]


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        (restriction("no_left_turn", **{"except": "bus;motorcar"}), "cars are excepted"),
        (
            (restriction("x")[0], {"type": "restriction", "restriction:hgv": "no_left_turn"}),
            "not for cars",
        ),
        (
            (
                restriction("x")[0],
                {"type": "restriction", "restriction:conditional": "no_left_turn @ (Mo-Fr)"},
            ),
            "conditional",
        ),
        (restriction("no_left_turn", last=99), "a member is not in the file"),
        (
            restriction("no_left_turn", via=("node", (120.0, 0.0))),
            "its ways do not meet at its via",
        ),
        (
            (restriction("x")[0][:2], {"type": "restriction", "restriction": "no_left_turn"}),
            "no to",
        ),
        (restriction("no_jumping_over"), None),
    ],
)
def test_what_cannot_be_applied_gives_its_reason(tmp_path, relation, reason):
    world = town(tmp_path, relation)
    if reason is None:  # whatever may not be done is not done
        assert exits(world, WEST) == {EAST, SOUTH}
        return
    assert exits(world, WEST) == {EAST, NORTH, SOUTH}
    assert dict(world.ignored)[f"relations: restriction: {reason}"] == 1


def test_restriction_for_motorcars_binds(tmp_path):
    tags = {"type": "restriction", "restriction:motorcar": "no_left_turn"}
    assert NORTH not in exits(town(tmp_path, (restriction("x")[0], tags)), WEST)


def test_where_a_way_goes_on_the_turn_decides_which_side_is_meant(tmp_path):
    ways = [(((-120.0, 0.0), MIDDLE, (120.0, 0.0)), RESIDENTIAL), *ARMS[2:]]
    relation = restriction("no_left_turn", first=1, last=3)
    world = town(tmp_path, relation, ways=ways)
    assert exits(world, WEST) == {EAST, SOUTH}
    assert exits(world, EAST) == {WEST, NORTH, SOUTH}


def test_a_route_does_not_take_a_path_that_is_barred_via_a_way(tmp_path):
    ways = [
        (((-150.0, 0.0), (0.0, 0.0)), RESIDENTIAL),
        (((0.0, 0.0), (0.0, 40.0)), RESIDENTIAL | {"oneway": "yes"}),
        (((0.0, 40.0), (-150.0, 40.0)), RESIDENTIAL),
        (((0.0, 40.0), (150.0, 40.0)), RESIDENTIAL),
    ]
    relation = restriction("no_u_turn", first=1, last=3, via=("way", 2))
    world, free = town(tmp_path, relation, ways=ways), town(tmp_path, ways=ways)
    (path,) = world.roads.traffic.barred_paths()
    assert path == (0, 1, 2)
    driven, driven_freely = ({paths(each, 0, seed) for seed in range(40)} for each in (world, free))
    assert path in driven_freely
    assert driven == driven_freely - {path} | {(0, 1, 3)}


def test_a_prescribed_path_bars_the_others(tmp_path):
    ways = [
        (((-150.0, 0.0), (0.0, 0.0)), RESIDENTIAL),
        (((0.0, 0.0), (0.0, 40.0)), RESIDENTIAL | {"oneway": "yes"}),
        (((0.0, 40.0), (-150.0, 40.0)), RESIDENTIAL),
        (((0.0, 40.0), (150.0, 40.0)), RESIDENTIAL),
    ]
    relation = restriction("only_right_turn", first=1, last=4, via=("way", 2))
    world = town(tmp_path, relation, ways=ways)
    assert world.roads.traffic.barred_paths() == [(0, 1, 2)]
    assert {paths(world, 0, seed) for seed in range(10)} == {(0, 1, 3)}


def paths(world, street, seed):
    """The first three streets of a route from a street on."""
    roads = world.roads
    start = next(lane.index for lane in roads.lanes if lane.road == street)
    lanes = route(roads, start, length=400.0, seed=seed)
    return tuple(int(roads.roads[k]) for k in lanes if not roads.connectors[k])[:3]
