"""SUMO's files of routes: what they state, and what is wrong with them."""

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.sources import open_source
from autosim.traffic.demand.route_file import read_routes

TYPES = """<vType id="lorry" vClass="truck" length="9" tau="1.7" accel="0.9"/>
<vType id="car" vClass="passenger" length="4.0" speedFactor="normc(1,0.1,0.2,2)"/>"""


def read(tmp_path, text):
    path = tmp_path / "town.rou.xml"
    path.write_text(f"<routes>\n{text}\n</routes>")
    found = Diagnostics()
    source = open_source(path, found)
    return read_routes(source), [str(each) for each in found.all]


def test_vehicles_routes_and_trips_are_read_in_the_order_of_their_times(tmp_path):
    demand, faults = read(
        tmp_path,
        TYPES
        + """<vehicle id="late" type="lorry" depart="0:01:30" departSpeed="max" route="r"/>
        <route id="r" edges="1#0 -2"/>
        <vehicle id="own" depart="3"><route edges="5 6"/></vehicle>
        <trip id="trip" type="car" depart="7.5" from="1" via="3 4" to="2" departLane="1"/>""",
    )
    assert not faults
    own, trip, late = demand.departures
    assert [own.name, trip.name, late.name] == ["own", "trip", "late"]
    assert [own.seconds, trip.seconds, late.seconds] == [3.0, 7.5, 90.0]
    assert demand.routes[trip.route].streets == ("1", "3", "4", "2")
    assert demand.routes[late.route].streets == ("1#0", "-2")
    assert (trip.lane, own.lane, late.speed, own.speed) == (1, None, None, 0.0)
    lorry = demand.types[late.type]
    assert (lorry.kind, dict(lorry.driving)) == ("lorry", {"time_gap": 1.7, "acceleration": 0.9})
    assert demand.types[trip.type].kind == "hatchback"


@pytest.mark.parametrize(
    ("stated", "times"),
    [
        ('begin="10" end="70" period="20"', [10.0, 30.0, 50.0]),
        ('begin="0" end="60" vehsPerHour="120"', [0.0, 30.0]),
        ('begin="0" end="60" number="3"', [0.0, 20.0, 40.0]),
        ('period="5" number="2"', [0.0, 5.0]),
    ],
)
def test_a_flow_is_as_many_vehicles(tmp_path, stated, times):
    demand, faults = read(tmp_path, f'<flow id="f" from="1" to="2" {stated}/>')
    assert not faults
    assert [each.seconds for each in demand.departures] == times
    assert len({each.name for each in demand.departures}) == len(times)
    assert len(demand.routes) == 1


def test_flows_at_random_are_always_the_same_ones(tmp_path):
    text = '<flow id="f" from="1" to="2" begin="0" end="1000" {}/>'
    for rate in ('period="exp(0.1)"', 'probability="0.1"'):
        first, _ = read(tmp_path, text.format(rate))
        second, _ = read(tmp_path, text.format(rate))
        assert first == second
        assert 60 < len(first.departures) < 140


def test_the_vehicles_of_a_distribution_are_of_several_types(tmp_path):
    demand, faults = read(
        tmp_path,
        TYPES
        + """<vTypeDistribution id="mix" vTypes="lorry car" probabilities="0.5 0.5"/>
        <flow id="f" type="mix" from="1" to="2" begin="0" end="100" period="1"/>""",
    )
    assert not faults
    assert {name: 30 < count < 70 for name, count in demand.shares()} == {
        "lorry": True,
        "hatchback": True,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<vehicle id="a" depart="0" route="none"/>', "there is no <route> 'none'"),
        ('<trip id="a" depart="0" from="1" to="2" type="sledge"/>', "no <vType> 'sledge'"),
        ('<trip id="a" depart="soon" from="1" to="2"/>', 'depart="soon" is not a number'),
        ('<trip id="a" from="1" to="2"/>', "the attribute depart is missing"),
        ('<flow id="a" from="1" to="2"/>', "states no number, period"),
        ('<flow id="a" from="1" to="2" period="0"/>', "is not more than 0"),
        ('<vehicle id="a" depart="0"/>', "neither a route nor streets"),
        ('<flow id="a" from="1" to="2" period="0.001"/>', "too many"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, text, told):
    demand, faults = read(tmp_path, text)
    assert demand is None
    assert len(faults) == 1
    assert "town.rou.xml:2" in faults[0]
    assert told in faults[0]


def test_what_has_no_meaning_here_is_left_out_with_a_warning(tmp_path):
    demand, faults = read(
        tmp_path,
        """<vType id="tram" vClass="tram"/>
        <trip id="t" type="tram" depart="0" from="1" to="2"/>
        <person id="p" depart="0"><walk edges="1 2"/></person>
        <person id="q" depart="0"/>
        <vehicle id="b" depart="0"><route edges="1"/><stop busStop="s" duration="20"/></vehicle>""",
    )
    assert [each.name for each in demand.departures] == ["b"]
    assert len(faults) == 3
    assert "the class 'tram' are left out" in faults[0]
    assert "<person> is left out" in faults[1]
