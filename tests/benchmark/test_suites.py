"""Suites as data: what is shipped, and what is wrong with a file."""

from dataclasses import replace
from pathlib import Path

import pytest

from autosim.applications.benchmark.benchmark_plan import open_group
from autosim.benchmark.routes import choose_routes, make_route
from autosim.config.diagnostics import ConfigError
from autosim.config.files.lookup import PathError
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.loading.suite_file import load_suite, suite_names
from autosim.world.pipeline.cache import compile_world
from tests.benchmark.straight_road import street


def test_the_shipped_suites_can_be_read() -> None:
    shipped = {"town", "osm", "pedestrians", "night_rain", "junctions", "highway_merge"}
    assert shipped <= set(suite_names())
    for name in suite_names():
        assert load_suite(name).groups


def test_splits_of_the_osm_suite_share_no_town() -> None:
    towns = [(group.world, group.split) for group in load_suite("osm").groups]
    assert len({world for world, _ in towns}) == len(towns)
    assert {split for _, split in towns} == {"train", "validation", "test"}


def test_only_an_optional_town_may_be_absent() -> None:
    group = load_suite("osm").groups[0]
    absent = replace(group, world=Path("osm/city/nowhere.osm"))
    assert open_group(absent) is None
    with pytest.raises(ConfigError, match="cannot be read"):
        open_group(replace(absent, is_optional=False))


def test_an_unknown_suite_lists_the_known_ones() -> None:
    with pytest.raises(PathError, match=r"there is no suite 'moon' \(suites: .*town"):
        load_suite("moon")


def test_faults_of_a_suite_are_named_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text('<Suite name="bad">\n<Routes name="a" world="w.xml" length="-3"/>\n</Suite>\n')
    with pytest.raises(ConfigError, match=r"bad\.xml:2: .*length"):
        load_suite(file)
    file.write_text('<Suite name="bad"/>\n')
    with pytest.raises(ConfigError, match="has no <Routes>"):
        load_suite(file)


def test_a_route_must_follow_the_lanes_of_the_map() -> None:
    roads = street()
    with pytest.raises(UserError, match="lane 7, and the map has 2 lanes"):
        make_route(roads, (7,), 50.0)
    with pytest.raises(UserError, match="from lane 0 to 1, which does not follow"):
        make_route(roads, (0, 1), 50.0)


def test_routes_of_the_motorway_begin_on_its_ramps() -> None:
    (group,) = load_suite("highway_merge").groups
    roads = compile_world(load_world(group.world).terrain).roads
    routes = choose_routes(roads, group)
    assert len(routes) == len({lanes[0] for lanes in routes}) == 4
    assert roads.is_of_kind("motorway_link")[[lanes[0] for lanes in routes]].all()
    with pytest.raises(UserError, match="no lane of kind 'track' of this map leads on"):
        choose_routes(roads, replace(group, start="track"))


def test_a_map_without_routes_says_so() -> None:
    (group,) = load_suite("town").groups
    with pytest.raises(UserError, match="no lane of this map leads on"):
        choose_routes(street(), group)
