"""What is written is what is read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.config.descriptions import ProgramLimits
from autosim.config.files.lookup import PathError, roots_of_new
from autosim.config.world_settings import SkyDescription
from autosim.loading.loader import load_world, world_for_osm
from autosim.loading.world_writer import write_world
from tests.loading.round_trip import written_and_read
from tests.worlds import ROOT

SHIPPED = sorted(each.name for each in (ROOT / "worlds").glob("*.xml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_world_comes_back_as_it_was(name, tmp_path):
    world = load_world(ROOT / "worlds" / name)
    found = written_and_read(world, tmp_path)
    assert replace(found, robots=()) == replace(world, robots=())
    for robot, before in zip(found.robots, world.robots, strict=True):
        assert robot.position == pytest.approx(before.position)
        assert robot.yaw == pytest.approx(before.yaw, abs=1e-6)
        assert replace(robot, yaw=before.yaw) == before


@given(
    st.floats(-1e4, 1e4),
    st.floats(-1e4, 1e4),
    st.floats(-100.0, 1000.0) | st.none(),
    st.floats(-6.2, 6.2),
)
def test_any_place_comes_back(tmp_path_factory, x, y, z, yaw):
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    robot = replace(world.robots[0], position=(x, y, z), yaw=yaw)
    world = replace(world, robots=(robot,))
    (found,) = written_and_read(world, tmp_path_factory.mktemp("place")).robots
    assert found.position == pytest.approx((x, y, z), abs=1e-6)
    turned = (found.yaw - yaw) % 6.283185307179586
    assert min(turned, 6.283185307179586 - turned) < 1e-5


def test_what_a_program_may_do_comes_back(tmp_path):
    world = load_world(ROOT / "worlds" / "convoy.xml")
    limits = ProgramLimits(0.5, 512 << 20, "sandbox", True)
    robot = replace(
        world.robots[0],
        program_limits=limits,
        program_side="client",
        program_arguments=("a b", '<"&', "it's", ""),
    )
    world = replace(world, robots=(robot,))
    assert written_and_read(world, tmp_path).robots[0].program_limits == limits
    assert written_and_read(world, tmp_path).robots[0].program_arguments == (
        "a b",
        '<"&',
        "it's",
        "",
    )


def test_programs_are_found_from_where_a_world_is_saved(tmp_path):
    project = tmp_path / "project"
    for folder in ("worlds", "robots", "userprograms"):
        (project / folder).mkdir(parents=True)
    (project / "userprograms" / "mine.py").write_text("def main(argv): pass")
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    robot = world.robots[0]
    robots = tuple(
        replace(robot, name=name, program=f"userprograms/{name}.py")
        for name in ("mine", "driver", "elsewhere")
    )
    world = replace(world, source=project / "worlds" / "world.xml", robots=robots)
    world.source.write_text("<World/>")
    found = written_and_read(world, tmp_path)
    assert [each.program for each in found.robots] == [
        "project/userprograms/mine.py",
        "userprograms/driver.py",
        "userprograms/elsewhere.py",
    ]


def test_a_world_of_an_extract_is_saved_beside_it(tmp_path):
    extract = tmp_path / "place.osm"
    extract.write_text("<osm/>")
    world = world_for_osm(extract)
    found = written_and_read(world, tmp_path)
    assert found.terrain.osm == extract
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(PathError, match="save the world beside it"):
        write_world(world, roots_of_new(elsewhere / "saved.xml"))


def test_day_time_and_weather_come_back(tmp_path):
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    sky = SkyDescription(21.5, 3.0, 12, 24, 30.0, 120.0, 0.9, 300.0, 0.5, 0.0, 0.25)
    world = replace(world, graphics=replace(world.graphics, sky=sky))
    assert written_and_read(world, tmp_path).graphics == world.graphics


@pytest.mark.parametrize("traffic", ['engine="sumo" routes="town.rou.xml"', ""])
def test_routes_and_trips_come_back(tmp_path, traffic):
    routes = '<routes><vehicle id="v" depart="3"><route edges="10 30"/></vehicle></routes>'
    (tmp_path / "town.rou.xml").write_text(routes)
    trips = '<Trip kind="bus" streets="12#0 -7" depart="30" every="120" count="5"/>'
    world = (ROOT / "worlds" / "circle_town.xml").read_text()
    section = f"<Traffic {traffic}><People count='3'/>{trips}</Traffic><Objects"
    file = tmp_path / "town.xml"
    file.write_text(world.replace("<Objects", section, 1))
    world = load_world(file)
    assert world.traffic.demand.departures
    assert written_and_read(world, tmp_path).traffic == world.traffic
