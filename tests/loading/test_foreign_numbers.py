"""Numbers of files from elsewhere: whatever they are, the file is read or refused with its line."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.attribute_values import whole_of
from autosim.config.reading.sources import open_source
from autosim.traffic.demand.route_file import MOST_DEPARTURES, read_routes
from autosim.traffic.demand.sumo_configuration import read_configuration
from autosim.traffic.scenarios.scenario_file import read_scenario
from autosim.world.osm import tags
from tests.traffic.scenarios.test_files import XOSC

ROUTES = """<routes>
<vType id="car" vClass="passenger" length="4" tau="1" accel="2" decel="4" maxSpeed="50"
  minGap="2" speedFactor="1" probability="1"/>
<vTypeDistribution id="some" vTypes="car" probabilities="1"/>
<route id="r" edges="1 2" repeat="1" probability="1"/>
<routeDistribution id="rs" routes="r" probabilities="1"/>
<routeDistribution id="own"><route edges="3" probability="1"/></routeDistribution>
<vehicle id="v" type="some" route="rs" depart="1" departLane="0" departSpeed="3"/>
<trip id="t" from="1" to="2" depart="0:00:07"/>
<flow id="a" route="r" begin="0" end="60" period="20"/>
<flow id="b" route="r" begin="0" end="60" vehsPerHour="120"/>
<flow id="c" route="r" begin="0" end="60" number="3"/>
<flow id="d" route="r" begin="0" end="60" probability="0.1"/>
<flow id="e" route="r" begin="0" end="60" period="exp(0.1)" number="9"/>
<interval begin="0" end="60"><flow id="f" from="1" to="2" number="3"/></interval>
</routes>"""
CONFIGURATION = """<configuration>
<input><route-files value="town.rou.xml"/></input>
<time><begin value="0"/><end value="60"/><step-length value="1"/></time>
</configuration>"""
_VALUE = re.compile(r'(?<==")[^"]*(?=")')

ODD = """nan -nan inf -inf INF 1e8 1e26 1e300 -1e300 1e-300 -1 1e400 0 -0.0 ² ٣ १२ 1_000 0x10 1e +-3
exp(0) exp(1e300) exp(1e-300) 0.5.5 1:2:3:4:5 1:-1e9:0 $x true 1,5 ½ 𝟛 Ⅷ 1e308 1000001 -0.5"""
NUMBERS = st.one_of(
    st.sampled_from([*ODD.split(), "", " ", "9" * 400, "9" * 5000]),
    st.floats().map(repr),
    st.integers().map(str),
    st.text(string.digits + "+-.e:()²٣ ", max_size=8),
)
"""Texts in place of numbers."""

SEEDED = settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def with_values(text: str, draw: st.DrawFn) -> str:
    """`text` with up to three of the values of its attributes replaced by numbers of all kinds."""
    places = [each.span() for each in _VALUE.finditer(text)]
    for place in sorted(draw(st.sets(st.integers(0, len(places) - 1), min_size=1, max_size=3)))[
        ::-1
    ]:
        begin, end = places[place]
        text = f"{text[:begin]}{draw(NUMBERS)}{text[end:]}"
    return text


def require_read_or_refused(file: Path, text: str, read: object) -> None:
    """Reads a file; each fault names the file, and one of an element its line."""
    file.write_text(text, encoding="utf-8")
    found = Diagnostics()
    source = open_source(file, found)
    result = read(source) if source else None  # type: ignore[operator]
    assert (result is None) == bool(found.errors)
    for each in found.all:
        assert each.file == file
        assert 0 < each.line <= text.count("\n") + 1


@SEEDED
@given(data=st.data())
def test_routes(tmp_path: Path, data: st.DataObject):
    text = data.draw(st.composite(lambda draw: with_values(ROUTES, draw))())
    require_read_or_refused(tmp_path / "town.rou.xml", text, read_routes)


@SEEDED
@given(data=st.data())
def test_scenarios(tmp_path: Path, data: st.DataObject):
    text = data.draw(st.composite(lambda draw: with_values(XOSC, draw))())
    require_read_or_refused(tmp_path / "cut.xosc", text, read_scenario)


@SEEDED
@given(data=st.data())
def test_configurations(tmp_path: Path, data: st.DataObject):
    text = data.draw(st.composite(lambda draw: with_values(CONFIGURATION, draw))())
    require_read_or_refused(tmp_path / "town.sumocfg", text, read_configuration)


@SEEDED
@given(text=NUMBERS)
def test_tags_of_maps(text: str):
    for parse in (tags.parse_length, tags.parse_speed, tags.parse_count, tags.parse_number):
        value = parse(text)
        assert value is None or abs(value) < 1e19
    assert isinstance(tags.parse_layer({"layer": text}), int)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (
            'end="1e8" period="1"',
            f"it would bring more than {MOST_DEPARTURES} vehicles to the file",
        ),
        ('end="1e8" vehsPerHour="3600"', "too many"),
        ('end="1e8" probability="0.5"', "lasts 1e+07 s at most"),
        ('begin="1e26" period="1"', 'begin="1e26" is later than 1e+09 s'),
        ('end="60" period="1e-300"', "too many"),
        ('end="60" period="exp(1e300)"', "too many"),
        ('end="60" number="1e300"', 'number="1e300" is not a whole number'),
        ('end="60" number="٣"', 'number="٣" is not a whole number'),
        ('end="60" number="-3"', 'number="-3" is not a whole number'),
    ],
)
def test_flows_without_bounds_are_refused(tmp_path: Path, flow: str, said: str):
    file, found = tmp_path / "town.rou.xml", Diagnostics()
    file.write_text(f'<routes>\n<flow id="f" from="1" to="2" {flow}/>\n</routes>')
    assert read_routes(open_source(file, found)) is None
    (fault,) = found.all
    assert fault.line == 2
    assert said in fault.message


def test_a_long_flow_of_few_vehicles_is_read(tmp_path: Path):
    file, found = tmp_path / "town.rou.xml", Diagnostics()
    file.write_text('<routes><flow id="f" from="1" to="2" end="1e8" number="3"/></routes>')
    demand = read_routes(open_source(file, found))
    assert [each.seconds for each in demand.departures] == [0.0, 1e8 / 3, 2e8 / 3]


@pytest.mark.parametrize("repeat", ["1000000", "1e300", "-1", "²"])
def test_a_route_is_not_repeated_without_bounds(tmp_path: Path, repeat: str):
    file, found = tmp_path / "town.rou.xml", Diagnostics()
    file.write_text(f'<routes>\n<route id="r" edges="1" repeat="{repeat}"/>\n</routes>')
    assert read_routes(open_source(file, found)) is None
    assert found.errors[0].line == 2


@pytest.mark.parametrize("number", ["NaN", "INF", "²", "x"])
@pytest.mark.parametrize("name", ["laneId", "s", "offset"])
def test_a_lane_position_has_numbers(tmp_path: Path, name: str, number: str):
    values = {"roadId": "1", "laneId": "-1", "s": "5", "offset": "0"} | {name: number}
    own = " ".join(f'{key}="{value}"' for key, value in values.items())
    text = re.sub(r"<(WorldPosition|LanePosition)[^>]*/>", f"<LanePosition {own}/>", XOSC, count=1)
    file, found = tmp_path / "cut.xosc", Diagnostics()
    file.write_text(text, encoding="utf-8")
    assert read_scenario(open_source(file, found)) is None
    assert any(f"<LanePosition> {name}" in each.message and each.line for each in found.errors)


def test_whole_numbers_are_of_ascii_digits():
    assert [whole_of(each) for each in ("12", " -3 ", "+0")] == [12, -3, 0]
    assert [whole_of(each) for each in ("²", "٣", "1_0", "9" * 19, "", "1.0", "+-3")] == 7 * [None]
