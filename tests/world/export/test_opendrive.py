"""OpenDRIVE: what is written is right by itself, and netconvert reads the same lanes back."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from shapely import LineString

from autosim.world.export.carriageway_graph import build_carriageway_graph
from autosim.world.export.opendrive import opendrive
from tests.world.maps import CROSSING, MAPS, TOWN, build_map

NETCONVERT = Path(sys.executable).parent / "netconvert"
WIDE = {"highway": "primary", "lanes": "4"}


@pytest.fixture(scope="module", params=["left", "right"])
def crossing(request, tmp_path_factory):
    bend = ((0.0, 0.0), (100.0, 20.0), (150.0, 90.0))
    ways = [(CROSSING[0][0][:2] + bend[1:], WIDE), CROSSING[1]]
    return build_map(tmp_path_factory.mktemp("map"), ways, side=request.param)


@pytest.fixture(scope="module")
def document(crossing):
    return etree.fromstring(opendrive(crossing))


def floats(element, *names):
    return [float(element.get(name)) for name in names]


def driving(road):
    """The lanes of a road that carry traffic."""
    return road.findall(".//right/lane[@type='driving']")


def end_of(geometry):
    """Where a piece of a reference line ends, and in which direction."""
    x, y, heading, length = floats(geometry, "x", "y", "hdg", "length")
    if geometry.find("line") is not None:
        u, v, turn = length, 0.0, 0.0
    else:
        cubic = geometry.find("paramPoly3")
        assert cubic.get("pRange") == "normalized"
        a, b = ([float(cubic.get(f"{k}{axis}")) for k in "abcd"] for axis in "UV")
        u, v = sum(a), sum(b)
        slopes = [k[1] + 2 * k[2] + 3 * k[3] for k in (a, b)]
        turn = np.arctan2(slopes[1], slopes[0])
    cos, sin = np.cos(heading), np.sin(heading)
    return x + cos * u - sin * v, y + sin * u + cos * v, heading + turn


def test_reference_lines_have_no_gaps_and_no_kinks(document):
    for road in document.iter("road"):
        pieces = road.findall("planView/geometry")
        assert sum(floats(each, "length")[0] for each in pieces) == pytest.approx(
            float(road.get("length")), abs=1e-5
        )
        for first, second in pairwise(pieces):
            *end, heading = end_of(first)
            assert end == pytest.approx(floats(second, "x", "y"), abs=1e-4)
            turn = heading - float(second.get("hdg"))
            assert np.angle(np.exp(1j * turn)) == pytest.approx(0.0, abs=1e-4)


def test_lanes_lie_right_of_the_centre_where_ours_are(crossing, document):
    carriageways = build_carriageway_graph(crossing.roads).carriageways
    roads = [road for road in document.iter("road") if road.get("junction") == "-1"]
    assert [len(driving(road)) for road in roads] == [len(each.lanes) for each in carriageways]
    assert max(len(each.lanes) for each in carriageways) == 2
    for road, carriageway in zip(roads, carriageways, strict=True):
        piece = road.find("planView/geometry")
        x, y, heading = floats(piece, "x", "y", "hdg")
        right = np.array([np.sin(heading), -np.cos(heading)])
        offset = -float(road.find("lanes/laneOffset").get("a"))
        for index, lane in zip(carriageway.lanes, driving(road), strict=True):
            width = float(lane.find("width").get("a"))
            expected = np.array([x, y]) + (offset + width / 2.0) * right
            assert crossing.roads.lanes[index].position(0.0)[:2] == pytest.approx(
                expected, abs=0.05
            )
            offset += width


def test_a_broken_line_lies_between_two_lanes_of_one_direction(document):
    for road in document.iter("road"):
        lanes = driving(road)
        marks = [[each.get("type") for each in lane.findall("roadMark")] for lane in lanes]
        assert marks == [["broken"]] * (len(lanes) - 1) + [[]]


def test_the_crossing_is_one_junction_through_which_links_lead(crossing, document):
    junctions = document.findall("junction")
    inner = max(junctions, key=len)
    assert len(inner) >= 12
    roads = {road.get("id"): road for road in document.iter("road")}
    for junction in junctions:
        for connection in junction.findall("connection"):
            through = roads[connection.get("connectingRoad")]
            assert through.get("junction") == junction.get("id")
            before, after = through.find("link")
            assert before.get("elementId") == connection.get("incomingRoad")
            incoming = roads[before.get("elementId")]
            assert incoming.find("link/successor").get("elementId") == junction.get("id")
            outgoing = roads[after.get("elementId")]
            assert outgoing.find("link/predecessor").get("elementId") == junction.get("id")
            x, y, _ = end_of(incoming.findall("planView/geometry")[-1])
            start = floats(through.find("planView/geometry"), "x", "y")
            assert np.hypot(x - start[0], y - start[1]) < 8.0


def test_signs_stand_where_vehicles_wait(tmp_path):
    ways = [(CROSSING[0][0], {"highway": "primary"}), CROSSING[1]]
    signals = [((0.0, 120.0), {"highway": "stop"})]
    world = build_map(tmp_path, [*ways, (((0.0, 120.0), (60.0, 120.0)), WIDE)], nodes=signals)
    document = etree.fromstring(opendrive(world))
    roads = {road.get("id"): road for road in document.iter("road")}
    low = {each.get("low") for each in document.iter("priority")}
    high = {each.get("high") for each in document.iter("priority")}
    assert len(low) >= 2
    assert not low & high
    for number in low:
        (signal,) = roads[number].iter("signal")
        assert (signal.get("country"), signal.get("type")) == ("DE", "205")
        assert 0.0 < float(signal.get("s")) < float(roads[number].get("length"))
    assert all(not list(roads[number].iter("signal")) for number in high)


def test_it_says_where_it_is_and_whose_it_is(crossing, document):
    header = document.find("header")
    assert (header.get("revMajor"), header.get("revMinor")) == ("1", "7")
    assert f"+lat_0={crossing.origin[0]!r}" in header.findtext("geoReference")
    data = {each.get("code"): each.get("value") for each in header.iter("userData")}
    assert data == {"attribution": crossing.attribution, "drivingSide": crossing.driving_side}


def test_the_same_world_gives_the_same_bytes(crossing):
    assert opendrive(crossing) == opendrive(crossing)


def converted(world, folder):
    """The edges (by id) and the connections that netconvert makes of a world's OpenDRIVE."""
    source, target = folder / "world.xodr", folder / "world.net.xml"
    source.write_bytes(opendrive(world))
    command = [NETCONVERT, "--opendrive", source, "--output-file", target]
    options = ["--offset.disable-normalization", "--opendrive.curve-resolution", "1"]
    subprocess.run([*command, *options], check=True, capture_output=True, timeout=120)
    network = etree.parse(target).getroot()
    edges = {e.get("id"): e for e in network.iter("edge") if e.get("function") != "internal"}
    return edges, [c for c in network.iter("connection") if not c.get("from").startswith(":")]


@pytest.mark.skipif(not NETCONVERT.exists(), reason="netconvert (eclipse-sumo) is not installed")
@pytest.mark.parametrize(
    "path",
    [
        TOWN,
        MAPS / "city/neukolln.osm",
        MAPS / "city/perth_peanut_roundabout.osm",
        MAPS / "city/leeds_cycleway.osm",
        pytest.param(MAPS / "city/monaco.osm.gz", marks=pytest.mark.long),
        pytest.param(MAPS / "pbf/helsinki.osm.pbf", marks=pytest.mark.long),
    ],
    ids=lambda path: path.name.split(".")[0],
)
def test_netconvert_reads_the_same_lanes_back(built, path, tmp_path):
    world = built(path)
    layout = build_carriageway_graph(world.roads)
    edges, connections = converted(world, tmp_path)
    # A road that begins and ends at one junction is cut in two by SUMO: "-84#0" and "-84#1".
    numbers = {name: int(name.removeprefix("-").split("#")[0]) for name in edges}
    assert set(numbers.values()) == set(range(len(layout.carriageways)))
    assert all(_is_loop(layout, numbers[name]) for name in edges if "#" in name)
    lane_at, matches = {}, []
    for name, edge in edges.items():
        indices = layout.carriageways[numbers[name]].lanes[::-1]
        for index, lane in zip(indices, edge.findall("lane"), strict=True):
            lane_at[name, lane.get("index")] = index
            matches.append("#" in name or matches_lane(lane, world.roads.lanes[index]))
    assert np.mean(matches) > 0.99
    pairs = [
        (lane_at[c.get("from"), c.get("fromLane")], lane_at[c.get("to"), c.get("toLane")])
        for c in connections
    ]
    found = {(start, end) for start, end in pairs if start != end}
    written = {(each.start, each.end) for each in layout.connections if each.start != each.end}
    assert found <= written
    # Of several lanes of one road that lead into one lane, SUMO keeps one.
    owners = layout.owners
    merging = Counter((owners[start], end) for start, end in written)
    assert all(merging[owners[start], end] > 1 for start, end in written - found)
    assert {(owners[a], b) for a, b in found} == {(owners[a], b) for a, b in written}


def _is_loop(layout, number):
    connections, owners = layout.connections, layout.owners
    begins = {each.junction for each in connections if owners[each.end] == number}
    return begins == {each.junction for each in connections if owners[each.start] == number}


def matches_lane(read, lane):
    """Whether a lane that netconvert has read has our place, direction and speed limit."""
    # netconvert cuts edges back at junctions by rules of its own; short ones are turned over,
    # and of some no more than 0.2 m are left, which say nothing of place and direction.
    points = [[float(v) for v in each.split(",")[:2]] for each in read.get("shape").split()]
    middle = LineString(points).interpolate(0.5, normalized=True).coords[0]
    is_long = lane.length > 20.0 and float(read.get("length")) > 1.0
    return float(read.get("speed")) == pytest.approx(lane.speed_limit, abs=0.01) and (
        not is_long
        or (
            abs(lane.local_coordinates(middle)[1]) < 0.5
            and lane.local_coordinates(points[0])[0] < lane.local_coordinates(points[-1])[0]
        )
    )
