"""Route files of the CARLA Leaderboard become suites on OpenDRIVE maps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.benchmark.benchmark_commands import import_routes, run_benchmark
from autosim.applications.benchmark.benchmark_plan import open_group
from autosim.applications.sweeps.executors.local_pool import LocalPool
from autosim.benchmark.carla_routes import read_carla_routes
from autosim.benchmark.routes import make_route, plan_routes
from autosim.config.diagnostics import ConfigError
from autosim.config.suites import RouteGroup
from autosim.errors import UserError
from autosim.loading.suite_file import load_suite
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.world.opendrive.files import crossroads

ROUTES = """\
<routes>
  <route id="7" town="Town90">
    <weathers>
      <weather route_percentage="0" precipitation="40.0" sun_altitude_angle="-90.0"/>
    </weathers>
    <waypoints>
      <position x="-100.0" y="1.7" z="0.0"/>
      <position x="-40.0" y="1.7" z="0.0"/>
      <position x="1.7" y="-90.0" z="0.0"/>
    </waypoints>
    <scenarios><scenario name="a" type="Accident"/></scenarios>
  </route>
  <route id="8" town="Town90">
    <waypoint x="-60.0" y="1.7" z="0.0" yaw="0.0"/>
    <waypoint x="80.0" y="1.7" z="0.0" yaw="0.0"/>
  </route>
</routes>
"""


@pytest.fixture
def routes(tmp_path: Path) -> Path:
    """Two routes: left to the north, in CARLA's axes, and straight on."""
    (tmp_path / "Town90.xodr").write_text(crossroads())
    file = tmp_path / "routes.xml"
    file.write_text(ROUTES)
    return file


def imported(routes: Path) -> tuple[list[RouteGroup], RoadNetwork, Path]:
    out = routes.parent / "carla.xml"
    (line,) = import_routes(routes, routes.parent, out, vehicles=2, people=0)
    assert "2 routes in Town90; scenarios are left out" in line
    groups = list(load_suite(out).groups)
    described = open_group(groups[0])
    assert described is not None
    return groups, compile_world(described.terrain).roads, out


def test_routes_lead_where_they_do_in_carla(routes: Path) -> None:
    (left, straight), roads, _ = imported(routes)
    (first,), (second,) = plan_routes(roads, left), plan_routes(roads, straight)
    driven = make_route(roads, first.lanes, first.length, first.station)
    assert driven.start == pytest.approx((-100.0, -1.75), abs=0.6)
    assert driven.goal == pytest.approx((1.75, 90.0), abs=1.1)
    assert second.length == pytest.approx(140.0, abs=0.5)
    assert np.abs(make_route(roads, *second).points[:, 1] + 1.75).max() < 0.2


def test_rain_night_and_traffic_are_taken_over(routes: Path) -> None:
    (left, straight), _, _ = imported(routes)
    assert (left.name, left.rain, left.hours, left.vehicles) == ("route_7", 0.4, 0.0, 2)
    assert (straight.rain, straight.hours) == (0.0, None)


def test_waypoints_beside_the_streets_are_named(routes: Path) -> None:
    (left, _), roads, _ = imported(routes)
    away = replace(left, waypoints=((-60.0, -1.75), (60.0, 70.0)))
    with pytest.raises(UserError, match=r"no lane is within 8 m of the waypoint 60,70 in .*Town90"):
        plan_routes(roads, away)
    back = replace(left, waypoints=((40.0, -1.75), (-60.0, -1.75), (-40.0, -1.75)))
    with pytest.raises(UserError, match="no lanes lead from the waypoint"):
        plan_routes(roads, back)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<routes/>", "has no <route>"),
        ('<routes><route id="1"/></routes>', r'1: <route id="1"> names no town'),
        ('<routes><route id="1" town="T"/></routes>', "has 0 waypoints"),
        (
            '<routes><route id="1" town="T"><waypoint x="a" y="0"/><waypoint/></route></routes>',
            "<waypoint> has no number x: a",
        ),
    ],
)
def test_a_file_that_has_no_routes_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "routes.xml"
    file.write_text(text)
    with pytest.raises(UserError, match=words):
        read_carla_routes(file)


def test_a_town_without_a_map_and_a_file_that_is_absent_are_named(
    routes: Path, tmp_path: Path
) -> None:
    (tmp_path / "Town90.xodr").unlink()
    with pytest.raises(UserError, match=r"no map of Town90 in .*expected Town90\.xodr"):
        list(import_routes(routes, tmp_path, tmp_path / "out.xml", vehicles=0, people=0))
    with pytest.raises(ConfigError, match=r"gone\.xml"):
        read_carla_routes(tmp_path / "gone.xml")


def test_waypoints_of_a_suite_are_places(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text(
        '<Suite name="bad">\n<Routes name="a" world="w.xml" waypoints="1,2 3"/>\n</Suite>\n'
    )
    with pytest.raises(ConfigError, match=r"bad\.xml:2: .*waypoints: expected two places"):
        load_suite(file)


@pytest.mark.slow
def test_a_route_of_carla_is_driven(routes: Path) -> None:
    *_, suite = imported(routes)
    lines = run_benchmark(
        *(str(suite), "idm", LocalPool(1)),
        out=routes.parent / "out",
        limit=1,
        seeds=None,
        is_again=False,
    )
    first = next(iter(lines))
    assert "completion 100.00 %" in first
    assert "arrived" in first
