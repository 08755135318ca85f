"""The network for SUMO: our lanes, rules and signals in its words."""

from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec

import numpy as np
import pytest
from lxml import etree

from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.sumo import netconvert
from autosim.traffic.sumo.foes import complete_foes, edges_in_the_way
from autosim.traffic.sumo.lane_map import LaneMap
from autosim.traffic.sumo.libsumo_loader import SumoError, load_sumo
from autosim.traffic.sumo.network_file import build, sumo_file
from autosim.traffic.sumo.sumo_network import sumo_network
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import LATERAL, lane_table_of
from tests.traffic.signals.junctions import signalled_crossing
from tests.world.maps import CROSSING, RESIDENTIAL, build_map

if not find_spec("sumo"):
    pytest.skip("netconvert is not installed", allow_module_level=True)


def crossing(tmp_path, **tags):
    street = {"highway": "tertiary"}
    ways = [(line, street | tags if k == 0 else street) for k, (line, _) in enumerate(CROSSING)]
    return build_map(tmp_path, ways, side="right")


def root_of(world):
    return etree.fromstring(sumo_file(world))


def exact_network_of(world):
    """The network of the engine, whose lanes are exactly those of the world, and its `<net>`."""
    allowed = lane_table_of(world.roads, range(len(FLEET))).allowed
    plan = make_plan(world, most=MOST_SIGNALS)
    network = sumo_network(world.roads, world.driving_side, plan, allowed)
    return network, build(network, is_exact=True)


def exact_root_of(world):
    return exact_network_of(world)[1]


def test_each_edge_has_the_lanes_of_its_street(tmp_path):
    world = crossing(tmp_path, lanes="4")
    found = sorted(
        (float(lane.get("width")), float(lane.get("speed")))
        for edge in root_of(world).iter("edge")
        for lane in edge.iter("lane")
        if edge.get("function") is None and lane.get("allow") != "pedestrian"
    )
    stated = sorted(
        (lane.width, lane.speed_limit) for lane in world.roads.lanes if not lane.is_connector
    )
    assert np.array(found) == pytest.approx(np.array(stated), abs=0.01)


def test_in_the_engine_each_lane_has_its_own_shape_length_and_width(tmp_path):
    world = crossing(tmp_path)
    root = exact_root_of(world)
    lanes = [*root.iter("lane")]
    inside = [each for each in lanes if each.get("id").startswith(":")]
    assert len(lanes) - len(inside) == (~world.roads.connectors).sum()
    assert len(inside) >= world.roads.connectors.sum()
    for lane in lanes:
        shape = np.array([each.split(",") for each in lane.get("shape").split()], dtype=float)
        found, _, across = world.roads.nearest_lane(shape[len(shape) // 2, :2])
        assert abs(across) < 0.01
        assert float(lane.get("width")) == pytest.approx(world.roads.lanes[found].width, abs=0.01)
        ways = np.hypot(*np.diff(shape[:, :2], axis=0).T).sum()
        assert float(lane.get("length")) == pytest.approx(ways, abs=0.01)


def test_each_lane_of_sumo_is_a_place_of_the_world_also_in_a_street_that_leads_back(tmp_path):
    loop = (((0.0, 0.0), (60.0, 20.0), (80.0, 80.0), (20.0, 60.0), (0.0, 0.0)), RESIDENTIAL)
    world = build_map(tmp_path, [*CROSSING, loop], side="left")
    network, root = exact_network_of(world)
    assert any(len(names) > 1 for names in network.edges)
    places = LaneMap(network, root)
    for lane in root.iter("lane"):
        found = places.stretch(lane.get("id"))
        assert found is not None
        shape = np.array([each.split(",") for each in lane.get("shape").split()], dtype=float)
        at = world.roads.lanes[found.lane].position(found.shift)[:2]
        if lane.get("id").startswith(":loop"):
            assert np.hypot(*(shape[0, :2] - at)) < 0.5


def test_edges_have_the_names_of_osm_ways(tmp_path):
    names = {each.get("id") for each in root_of(crossing(tmp_path)).iter("edge")}
    streets = {name for name in names if not name.startswith(":")}
    ways = {name.lstrip("-").split("#")[0] for name in streets}
    assert len(ways) == 2
    assert streets == {
        f"{sign}{way}#{part}" for sign in ("", "-") for way in ways for part in (0, 1)
    }


def test_who_gives_way_is_as_in_the_world(tmp_path):
    world = crossing(tmp_path, highway="primary")
    root = root_of(world)
    junction = max(root.iter("junction"), key=lambda each: len(each.get("intLanes")))
    assert junction.get("type") == "priority"
    requests = [*junction.iter("request")]
    links = junction.get("intLanes").split()
    assert len(requests) == len(links)
    states = {}
    for each in root.iter("connection"):
        if each.get("via") in links and not each.get("from").startswith(":"):
            states.setdefault(each.get("from").lstrip("-").split("#")[0], set()).add(
                each.get("state")
            )
    (first, second) = sorted(states.values(), key=lambda each: "M" in each, reverse=True)
    assert "M" in first
    assert "M" not in second
    foes = np.array([[int(c) for c in each.get("foes")[::-1]] for each in requests])
    waits = np.array([[int(c) for c in each.get("response")[::-1]] for each in requests])
    assert (foes == foes.T).all()
    assert (waits <= foes).all()
    assert (waits + waits.T)[foes > 0].all()


def test_signals_take_turns_and_each_link_has_a_place(tmp_path):
    root = root_of(signalled_crossing(tmp_path))
    (program,) = root.iter("tlLogic")
    places = sorted(
        int(each.get("linkIndex")) for each in root.iter("connection") if each.get("tl")
    )
    assert places == list(range(len(places)))
    states = [each.get("state") for each in program.iter("phase")]
    assert {len(state) for state in states} == {len(places)}
    assert all(any(state[place] in "Gg" for state in states) for place in places)


def test_in_the_engine_signals_have_their_fixed_times(tmp_path):
    root = exact_root_of(signalled_crossing(tmp_path))
    (program,) = root.iter("tlLogic")
    states = [each.get("state") for each in program.iter("phase")]
    assert sum(float(each.get("duration")) for each in program.iter("phase")) == pytest.approx(
        60.0, abs=15.0
    )
    assert {"r", "y", "G", "g"} == set("".join(states))


def exits_of(root):
    """The edges that follow each edge that is not within a junction, for vehicles."""
    exits = {each.get("id"): set() for each in root.iter("edge") if each.get("function") is None}
    for each in root.iter("connection"):
        if each.get("from") in exits and each.get("to") in exits:
            exits[each.get("from")].add(each.get("to"))
    return exits


def test_vehicles_turn_round_where_a_street_ends(tmp_path):
    exits = exits_of(root_of(crossing(tmp_path, highway="service")))
    assert len(exits) == 8
    assert all(exits.values())


def test_a_street_within_a_junction_is_a_part_of_it(tmp_path):
    offset = (
        (((-120.0, 0.0), (0.0, 0.0), (12.0, 0.0), (120.0, 0.0)), RESIDENTIAL),
        (((0.0, -120.0), (0.0, 0.0)), RESIDENTIAL),
        (((12.0, 0.0), (12.0, 120.0)), RESIDENTIAL),
    )
    exits = exits_of(root_of(build_map(tmp_path, offset, side="right")))
    # Four arms with two directions each, and from each arm a way to each other one.
    assert len(exits) == 8
    assert sorted(len(found) for found in exits.values()) == [1, 1, 1, 1, 3, 3, 3, 3]


def test_ways_that_cross_give_way_also_where_netconvert_does_not_see_it():
    root = etree.fromstring(
        """<net>
        <edge id=":a_0" function="internal"><lane id=":a_0_0" shape="-5,0 5,0"/></edge>
        <edge id=":a_1" function="internal"><lane id=":a_1_0" shape="0,-5 0,5"/></edge>
        <edge id=":a_2" function="internal"><lane id=":a_2_0" shape="9,-5 9,5"/></edge>
        <junction id="a" incLanes="w_0 s_0 e_0"><request index="0" response="000" foes="000"/>
        <request index="1" response="000" foes="000"/><request index="2" response="000" foes="000"/>
        </junction>
        <connection from="w" fromLane="0" to="x" via=":a_0_0" dir="s" state="M"/>
        <connection from="s" fromLane="0" to="y" via=":a_1_0" dir="l" state="M"/>
        <connection from="e" fromLane="0" to="z" via=":a_2_0" dir="s" state="M"/></net>"""
    )
    assert complete_foes(root) == 1
    requests = [(each.get("response"), each.get("foes")) for each in root.iter("request")]
    assert requests == [("000", "010"), ("001", "001"), ("000", "000")]
    assert [each.get("state") for each in root.iter("connection")] == ["M", "m", "M"]


def junction_with(*edges):
    """Two ways: one from (-5, 0) to (5, 0), and one from the end of the street `s`."""
    return etree.fromstring(
        f"""<net>
        <edge id="w"><lane id="w_0" shape="-30,0 -5,0"/></edge>{"".join(edges)}
        <edge id=":a_0" function="internal"><lane id=":a_0_0" shape="-5,0 5,0"/></edge>
        <junction id="a" incLanes="w_0 s_0"><request index="0" response="00" foes="00"/>
        <request index="1" response="00" foes="00"/></junction>
        <connection from="w" fromLane="0" to="x" via=":a_0_0" dir="s" state="M"/>
        <connection from="s" fromLane="0" to="y" via=":a_1_0" dir="r" state="m"/></net>"""
    )


@pytest.mark.parametrize(
    ("street", "way", "least"),
    [
        ("0,-40 0,-1", "0,-1 9,-9", 1.0),
        ("0,-40 0,3", "0,3 9,9", 5.0),
        ("0,-40 0,-3", "0,-3 9,-9", 0),
    ],
    ids=["ends too near", "leads across before its end", "ends before"],
)
def test_an_edge_that_ends_in_the_way_of_others_is_to_end_before(street, way, least):
    root = junction_with(
        f'<edge id="s"><lane id="s_0" shape="{street}"/></edge>',
        f'<edge id=":a_1" function="internal"><lane id=":a_1_0" shape="{way}"/></edge>',
    )
    found = edges_in_the_way(root)
    assert set(found) == ({"s"} if least else set())
    assert found.get("s", 0.0) == pytest.approx(least, abs=1.0)


def test_several_lanes_of_a_street_do_not_merge_within_a_junction(tmp_path):
    street = {"highway": "primary", "oneway": "yes"}
    ways = (
        (((-120.0, 0.0), (0.0, 0.0)), street | {"lanes": "3"}),
        (((0.0, 0.0), (120.0, 0.0)), street | {"lanes": "1"}),
        (((0.0, -120.0), (0.0, 0.0)), {"highway": "service"}),
    )
    root = root_of(build_map(tmp_path, ways, side="right"))
    pairs = [
        (each.get("from"), each.get("to"), each.get("toLane"))
        for each in root.iter("connection")
        if not each.get("from").startswith(":")
    ]
    assert len(pairs) == len(set(pairs))


def test_ways_through_junctions_are_as_long_as_their_shapes(tmp_path):
    """Otherwise SUMO's vehicles misjudge where ways part, and touch those that turn off."""
    street = {"highway": "primary", "oneway": "yes", "lanes": "3"}
    ways = (
        (((-120.0, 0.0), (0.0, 0.0)), street),
        (((0.0, 0.0), (100.0, -50.0)), street),
        (((0.0, 0.0), (0.0, 100.0)), {"highway": "tertiary"}),
    )
    root = root_of(build_map(tmp_path, ways, side="right"))
    inner = [edge for edge in root.iter("edge") if edge.get("function") == "internal"]
    assert max(len(edge) for edge in inner) > 1
    for lane in (lane for edge in inner for lane in edge):
        shape = np.array([p.split(",")[:2] for p in lane.get("shape").split()], dtype=float)
        length = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
        assert float(lane.get("length")) == pytest.approx(max(length, 0.1), abs=0.002)


def test_cars_do_not_change_within_junctions_to_ways_that_others_leave(tmp_path):
    root = root_of(crossing(tmp_path, lanes="4"))
    ways = {
        (each.get("from"), each.get("to"), each.get("fromLane")): each.get("changeRight")
        for each in root.iter("connection")
        if not each.get("from").startswith(":")
    }
    # The first lane of a street is its sidewalk.
    beside = [
        (start, end, lane, change)
        for (start, end, lane), change in ways.items()
        if lane == "2" and (start, end, "1") in ways
    ]
    assert beside
    for start, _, _, change in beside:
        parts = len({key[1] for key in ways if key[0] == start and key[2] == "1"}) > 1
        assert change == ("authority" if parts else None)


def test_drivers_see_other_streets_before_they_come_to_them(tmp_path):
    ways = [
        each
        for each in exact_root_of(crossing(tmp_path)).iter("connection")
        if not each.get("from").startswith(":")
    ]
    assert ways
    assert all(float(each.get("visibility")) == 30.0 for each in ways)


def test_in_the_engine_vehicles_turn_as_fast_as_ours(tmp_path):
    network, root = exact_network_of(crossing(tmp_path))
    lanes = lane_table_of(network.roads, range(len(FLEET)))
    speeds = {lane.get("id"): float(lane.get("speed")) for lane in root.iter("lane")}
    turning = [
        each.connection.connector
        for links in network.junctions.values()
        for each in links
        if abs(network.roads.lanes[each.connection.connector].turn) > 1.2
    ]
    assert turning
    bends = [
        np.sqrt(2.4 / LATERAL) * lanes.bends[lanes.starts[k] : lanes.starts[k + 1]].min()
        for k in turning
    ]
    inner = [speed for name, speed in speeds.items() if name.startswith(":")]
    # The file has the mean bend of each turn, and the lanes the sharpest place.
    assert min(inner) == pytest.approx(min(bends), rel=0.2)


def test_without_netconvert_it_says_what_to_install(tmp_path, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(netconvert, "distribution", missing)
    monkeypatch.delenv("SUMO_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SumoError, match=r"pip install 'autosim\[sumo\]'"):
        sumo_file(crossing(tmp_path))


def test_what_netconvert_refuses_is_an_error_with_its_words():
    files = [etree.fromstring("<nodes><node id='a' x='here' y='0'/></nodes>")]
    with pytest.raises(SumoError, match="netconvert refuses the network of this world: Error"):
        netconvert.build_network(files, {})


def test_the_same_world_gives_the_same_file(tmp_path):
    world = crossing(tmp_path)
    assert sumo_file(world) == sumo_file(world)


def test_sumo_reads_it(tmp_path):
    if not find_spec("libsumo"):
        pytest.skip("SUMO is not installed")
    libsumo = load_sumo()
    world = signalled_crossing(tmp_path)
    path = tmp_path / "town.net.xml"
    path.write_bytes(sumo_file(world))
    libsumo.start(["sumo", "--net-file", str(path), "--no-warnings"])
    try:
        lengths = sorted(libsumo.lane.getLength(name) for name in libsumo.lane.getIDList())
    finally:
        libsumo.close()
    assert max(lengths) == pytest.approx(max(world.roads.lengths()), abs=10.0)
