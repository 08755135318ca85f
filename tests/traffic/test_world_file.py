"""`<Traffic>` in world files, and the node that it becomes."""

import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.instance_numbers import instance_numbers
from autosim.model.state import State
from autosim.traffic.traffic_node import counters_of, traffic_arrays_of
from tests.loading.round_trip import written_and_read
from tests.paths import ROOT

CIRCLE = (ROOT / "worlds" / "circle_town.xml").read_text()

TRAFFIC = """
<Traffic>
  <Vehicles count="7" density="2.5"/>
  <People count="3"/>
  <Seed value="5"/>
  <Imperfection value="0.5"/>
  <Share kind="bus" value="1"/>
  <Share kind="saloon" value="3"/>
</Traffic>
<Objects>"""


def world_with(tmp_path, element):
    path = tmp_path / "town.xml"
    path.write_text(CIRCLE.replace("<Objects>", element))
    return load_world(path)


def test_a_world_file_says_how_much_traffic_there_is(tmp_path):
    shares = (("bus", 1.0), ("saloon", 3.0))
    stated = TrafficDescription(
        vehicles=7, vehicle_density=2.5, people=3, seed=5, shares=shares, imperfection=0.5
    )
    assert world_with(tmp_path, TRAFFIC).traffic == stated


def test_traffic_comes_back_from_a_world_that_was_written(tmp_path):
    world = world_with(tmp_path, TRAFFIC)
    assert written_and_read(world, tmp_path).traffic == world.traffic


def test_the_tree_has_a_node_only_in_worlds_with_traffic(tmp_path):
    assert build_tree(world_with(tmp_path, "<Objects>")).find("traffic") is None
    tree = build_tree(world_with(tmp_path, TRAFFIC))
    arrays = traffic_arrays_of(State(tree))
    assert arrays.vehicles.shape == (7, 12)
    assert arrays.people.shape == (3, 9)
    assert "traffic" not in instance_numbers(tree)


def test_counters_are_read_by_name(tmp_path):
    state = State(build_tree(world_with(tmp_path, TRAFFIC)))
    traffic_arrays_of(state).counters[2] = 4
    assert counters_of(state)["deadlocks"] == 4


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ('<Traffic><Share kind="sledge" value="1"/></Traffic><Objects>', "sledge"),
        ('<Traffic><Share kind="bus" value="0"/></Traffic><Objects>', "all shares"),
        (
            '<Traffic/><Objects><Robot name="traffic"><File path="robots/impreza.xml"/></Robot>',
            "name",
        ),
    ],
)
def test_faults_are_named(tmp_path, element, words):
    with pytest.raises(UserError, match=words):
        world_with(tmp_path, element)


CONFIGURATION = """<configuration>
  <input>
    <net-file value="town.net.xml"/>
    <route-files value="early.rou.xml, late.rou.xml"/>
    <additional-files value="types.add.xml"/>
  </input>
  <time><begin value="100"/><end value="300"/><step-length value="0.5"/></time>
</configuration>"""


def test_a_configuration_of_sumo_names_the_routes_and_their_time(tmp_path):
    folder = tmp_path / "sumo"
    folder.mkdir()
    vehicle = '<routes><vehicle id="{0}" type="slow" depart="{0}"><route edges="7"/></vehicle>'
    vehicle += '<vehicle id="after {0}" depart="{1}"><route edges="7"/></vehicle></routes>'
    (folder / "town.sumocfg").write_text(CONFIGURATION)
    (folder / "early.rou.xml").write_text(vehicle.format(50, 150))
    (folder / "late.rou.xml").write_text(vehicle.format(299, 300))
    (folder / "types.add.xml").write_text('<additional><vType id="slow" tau="2.5"/></additional>')
    element = '<Traffic routes="sumo/town.sumocfg"/><Objects>'
    demand = world_with(tmp_path, element).traffic.demand
    assert [(each.name, each.seconds) for each in demand.departures] == [
        ("after 50", 50.0),
        ("299", 199.0),
    ]
    assert dict(demand.types[demand.departures[1].type].driving) == {"time_gap": 2.5}


def test_a_configuration_without_routes_is_an_error(tmp_path):
    (tmp_path / "town.sumocfg").write_text("<configuration><input/></configuration>")
    with pytest.raises(UserError, match="names no <route-files>"):
        world_with(tmp_path, '<Traffic routes="town.sumocfg"/><Objects>')
