"""Sidewalks and crosswalks of the network for SUMO, and people who walk there."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

if not find_spec("sumo"):
    pytest.skip("netconvert is not installed", allow_module_level=True)

from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.sumo.crosswalks import add_crosswalks
from autosim.traffic.sumo.netconvert import find_netconvert
from autosim.traffic.sumo.network_file import sumo_file
from autosim.traffic.sumo.plain_files import plain_files
from autosim.traffic.sumo.sidewalks import add_sidewalks
from autosim.traffic.sumo.sumo_network import sumo_network
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from tests.traffic.signals.junctions import signalled_crossing
from tests.world.maps import build_map

CROSSWALK = {"highway": "crossing"}


def street(tmp_path, side, place):
    """A street from west to east with a crosswalk, and one that leaves it to the north."""
    tags = {"highway": "tertiary", "maxspeed": "50"}
    ways = [
        (((-120.0, 0.0), (0.0, 0.0), (place, 0.0), (120.0, 0.0)), tags),
        (((0.0, 0.0), (0.0, 120.0)), {"highway": "residential"}),
    ]
    return build_map(tmp_path, ways, side=side, nodes=[((place, 0.0), CROSSWALK)])


def streets_of(root):
    return [each for each in root.iter("edge") if each.get("function") is None]


def crossings_of(root):
    return [each for each in root.iter("edge") if each.get("function") == "crossing"]


def points_of(lane):
    return np.array([each.split(",")[:2] for each in lane.get("shape").split()], dtype=float)


@pytest.mark.parametrize("side", ["right", "left"])
def test_streets_have_sidewalks_at_the_kerb_where_people_walk(tmp_path, side):
    world = street(tmp_path, side, 12.0)
    edges = streets_of(etree.fromstring(sumo_file(world)))
    assert edges
    for edge in edges:
        first, second = edge.findall("lane")[:2]
        assert (first.get("index"), first.get("allow")) == ("0", "pedestrian")
        assert "pedestrian" in second.get("disallow")
        line = points_of(second)
        ahead = line[-1] - line[0]
        aside = points_of(first)[-1] - line[-1]
        left = ahead[0] * aside[1] - ahead[1] * aside[0]
        assert left < 0.0 if side == "right" else left > 0.0
        # The lanes of vehicles are where they are without sidewalks.
        middle = line[len(line) // 2] if len(line) > 2 else line.mean(axis=0)
        assert abs(world.roads.nearest_lane(middle)[2]) < 0.3


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_crosswalk_leads_over_both_directions_of_its_street(tmp_path, side):
    root = etree.fromstring(sumo_file(street(tmp_path, side, 12.0)))
    (crossing,) = crossings_of(root)
    names = crossing.get("crossingEdges").split()
    assert len(names) == 2
    for edge in streets_of(root):
        if edge.get("id") in names:
            xs = points_of(edge.find("lane"))[:, 0]
            assert xs.max() > 90.0
    assert [each for each in root.iter("edge") if each.get("function") == "walkingarea"]


def test_a_crosswalk_far_from_junctions_gets_its_own_node(tmp_path):
    root = etree.fromstring(sumo_file(street(tmp_path, "right", 60.0)))
    (crossing,) = crossings_of(root)
    x, _ = points_of(crossing.find("lane")).mean(axis=0)
    assert x == pytest.approx(60.0, abs=2.0)


def test_a_straight_street_without_a_shape_has_that_of_its_nodes(tmp_path):
    world = street(tmp_path, "right", 60.0)
    allowed = lane_table_of(world.roads, range(len(FLEET))).allowed
    plan = make_plan(world, most=MOST_SIGNALS)
    network = sumo_network(world.roads, world.driving_side, plan, allowed)
    files = plain_files(network, is_exact=False)
    for edge in files[1]:
        del edge.attrib["shape"]
    add_sidewalks(network, files, dict.fromkeys(range(len(network.edges)), 2.0))
    add_crosswalks(network, files)
    places = {each.get("id"): points_of_node(each) for each in files[0]}
    assert len(files[1]) == 8
    for edge in files[1]:
        line = points_of(edge)
        assert np.hypot(*(line[0] - places[edge.get("from")])) < 3.0
        assert np.hypot(*(line[-1] - places[edge.get("to")])) < 3.0


def points_of_node(node):
    return np.array([float(node.get("x")), float(node.get("y"))])


def test_without_a_crosswalk_there_is_none(tmp_path):
    root = etree.fromstring(sumo_file(signalled_crossing(tmp_path)))
    assert not crossings_of(root)


def test_signals_have_a_green_for_people(tmp_path):
    root = etree.fromstring(sumo_file(signalled_crossing(tmp_path, with_people=True)))
    (crossing,) = crossings_of(root)
    (link,) = [each for each in root.iter("connection") if each.get("to") == crossing.get("id")]
    (program,) = root.iter("tlLogic")
    assert link.get("tl") == program.get("id")
    place = int(link.get("linkIndex"))
    shown = {phase.get("state")[place] for phase in program.iter("phase")}
    assert shown == {"G", "r"}


def walk(tmp_path, world):
    """SUMO's statistics with people who cross a street with cars, and their ways [m]."""
    net, routes, out, trips_out = (
        tmp_path / each for each in ("a.net.xml", "a.rou.xml", "out.xml", "trips.xml")
    )
    net.write_bytes(sumo_file(world))
    edges = streets_of(etree.parse(str(net)).getroot())
    ends = {each.get("id"): points_of(each.findall("lane")[-1]) for each in edges}
    east = next(name for name, line in ends.items() if line[-1, 0] > 90.0)
    west = next(name for name, line in ends.items() if line[-1, 0] < -90.0)
    back = next(name for name, line in ends.items() if line[0, 0] > 90.0)
    trips = "".join(
        f'<trip id="c{k}" depart="{k * 4}" from="{back}" to="{west}"/>'
        f'<person id="p{k}" depart="{k * 4}" departPos="5"><walk '
        f'from="{east}" to="{back}" arrivalPos="-5"/></person>'
        for k in range(20)
    )
    routes.write_text(f"<routes>{trips}</routes>")
    program = Path(find_netconvert()).with_name("sumo")
    words = ["-n", net, "-r", routes, "-e", "900", "--seed", "1", "--no-step-log", "--no-warnings"]
    words += ["--collision.check-junctions", "--statistic-output", out]
    words += ["--tripinfo-output", trips_out]
    subprocess.run([program, *words], check=True, capture_output=True)
    walks = etree.parse(str(trips_out)).iter("walk")
    return etree.parse(str(out)).getroot(), [float(each.get("routeLength")) for each in walks]


@pytest.mark.parametrize("place", [12.0, 60.0])
def test_people_cross_in_sumo_and_vehicles_let_them(tmp_path: Path, place: float) -> None:
    found, walks = walk(tmp_path, street(tmp_path, "right", place))
    assert int(found.find("vehicles").get("inserted")) == 20
    assert int(found.find("vehicles").get("running")) == 0
    assert int(found.find("persons").get("running")) == 0
    assert int(found.find("safety").get("collisions")) == 0
    assert int(found.find("teleports").get("total")) == 0
    assert len(walks) == 20
    # Over the crosswalk, and not round the end of the street.
    assert max(walks) < 40.0
