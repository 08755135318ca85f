import hashlib
from math import pi
from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics
from autosim.config.world_settings import SkyDescription
from autosim.loading.checker import check_file
from autosim.loading.loader import load_world, world_for_osm
from tests.config.samples import OSM, ROBOT, SETUP, WORLD, spoiled, write, write_world


def test_a_world_is_read_with_all_its_files(tmp_path: Path) -> None:
    world = load_world(write_world(tmp_path))
    assert world.name == "town"
    assert (world.graphics.width, world.graphics.height) == (320, 200)
    assert not world.graphics.has_shadows
    assert world.graphics.far == 2000.0
    assert world.physics.step_seconds == 0.01
    assert world.physics.gravity == 9.81
    assert world.terrain.osm == tmp_path / "town" / "town.osm"
    assert world.terrain.setup.origin == (-31.9728, 115.827)
    assert world.terrain.height_map is None
    assert world.terrain.driving_side == "left"


def test_wet_ground_is_read_and_dry_when_not_given(tmp_path: Path) -> None:
    assert load_world(write_world(tmp_path)).physics.wetness == 0.0
    wet, _ = spoiled(WORLD, "</Dynamics>", '<Wetness value="0.5"/></Dynamics>')
    assert load_world(write_world(tmp_path, wet)).physics.wetness == 0.5
    snowy, _ = spoiled(WORLD, "</Dynamics>", '<SnowCover value="0.5"/></Dynamics>')
    assert load_world(write_world(tmp_path, snowy)).physics.snow_cover == 0.5


def test_day_time_and_weather_are_read(tmp_path: Path) -> None:
    text = """<Sky><Time hours="21.5" utcOffset="3"/><Date month="12" day="24"/>
    <Sun elevation="20" azimuth="200"/>
    <Clouds value="0.9"/><Visibility value="400"/><Snow value="0.5"/></Sky>"""
    world = load_world(write_world(tmp_path, WORLD.replace("</View>", "</View>" + text)))
    assert world.graphics.sky == SkyDescription(
        hours=21.5,
        utc_offset=3.0,
        month=12,
        day=24,
        sun_elevation=20.0,
        sun_azimuth=200.0,
        clouds=0.9,
        visibility=400.0,
        snow=0.5,
        snow_cover=0.5,
    )


def test_streets_are_as_wet_as_it_rains_unless_it_is_said(tmp_path: Path) -> None:
    def wetness(elements: str) -> float:
        text = WORLD.replace("</View>", f"</View><Sky>{elements}</Sky>")
        return load_world(write_world(tmp_path, text)).graphics.sky.wetness

    assert wetness('<Rain value="0.6"/>') == 0.6
    assert wetness('<Rain value="0.6"/><Wetness value="0.1"/>') == 0.1
    assert wetness("") == 0.0


def test_as_much_snow_lies_as_falls_unless_the_file_says_otherwise(tmp_path):
    def cover(elements: str) -> float:
        text, _ = spoiled(WORLD, "</Graphics>", f"<Sky>{elements}</Sky></Graphics>")
        return load_world(write_world(tmp_path, text)).graphics.sky.snow_cover

    assert cover('<Snow value="0.6"/>') == 0.6
    assert cover('<Snow value="0.6"/><SnowCover value="1.0"/>') == 1.0
    assert cover("") == 0.0


def test_a_day_that_no_month_has_is_refused(tmp_path: Path) -> None:
    sky = '</View><Sky><Date month="2" day="32"/></Sky>'
    with pytest.raises(ConfigError, match="day"):
        load_world(write_world(tmp_path, WORLD.replace("</View>", sky)))


def test_a_robot_is_placed_in_the_axes_of_the_world(tmp_path: Path) -> None:
    one, two = load_world(write_world(tmp_path)).robots
    assert (one.name, one.robot.name) == ("one", "cart")
    assert one.position == (1.0, 3.0, 2.0)
    assert one.yaw == pytest.approx(pi / 2 - 0.5)
    assert (one.program, one.program_side) == ("program.py", "client")
    assert one.program_arguments == ("fast", "12")
    assert (two.position, two.yaw, two.program) == (None, None, None)
    assert two.robot is one.robot


def test_a_robot_without_a_height_stands_on_the_ground(tmp_path: Path) -> None:
    path = write_world(tmp_path, WORLD.replace(' y="2.0"', ""))
    assert load_world(path).robots[0].position == (1.0, 3.0, None)


def test_the_shared_files_are_listed_with_their_digests(tmp_path: Path) -> None:
    files = load_world(write_world(tmp_path)).files
    names = [name for name, _ in files]
    assert names == ["town.xml", "robots/cart.xml", "town/town.osm", "town/setup.xml"]
    assert dict(files)["town/town.osm"] == hashlib.sha256(OSM.encode()).hexdigest()


def test_only_the_graphics_and_the_layout_may_differ(tmp_path: Path) -> None:
    def digest(text: str) -> str:
        return dict(load_world(write_world(tmp_path, text)).files)["town.xml"]

    plain = digest(WORLD)
    assert digest(WORLD.replace('width="320"', 'width="640"')) == plain
    start, end = WORLD.index("  <Graphics>"), WORLD.index("  <Physics>")
    assert digest(WORLD[:start] + WORLD[end:]) == plain
    assert digest(WORLD.replace("  <Terrain>", "\n<!-- the place --> <Terrain>")) == plain
    assert digest(WORLD.replace('"100"', '"120"')) != plain


def test_files_can_be_named_one_by_one(tmp_path: Path) -> None:
    write(tmp_path, OSM, "elsewhere/a.osm.gz")
    write(tmp_path, "P2", "elsewhere/b.png")
    write(tmp_path, SETUP.replace("-31.9728", "-30"), "elsewhere/c.xml")
    files = (
        '<OsmFile path="elsewhere/a.osm.gz"/><SetupFile path="elsewhere/c.xml"/>'
        '<HeightMap path="elsewhere/b.png"/>'
    )
    path = write_world(tmp_path, WORLD.replace('<Folder path="town"/>', files))
    terrain = load_world(path).terrain
    assert terrain.osm.name == "a.osm.gz"
    assert terrain.setup.origin == (-30.0, 115.827)
    assert terrain.height_map == tmp_path / "elsewhere" / "b.png"


def test_a_folder_may_hold_heights_and_lack_a_set_up(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    (tmp_path / "town" / "setup.xml").unlink()
    write(tmp_path, "P2", "town/heightmap.pgm")
    found = Diagnostics()
    terrain = load_world(path, diagnostics=found).terrain
    assert terrain.height_map == tmp_path / "town" / "heightmap.pgm"
    assert terrain.setup.highways == ()
    assert "no setup.xml" in found.warnings[0].message


ERRORS = [
    ('<Folder path="town"/>', '<Folder path="city"/>', "found no 'city' in:"),
    ('<Folder path="town"/>', '<Folder path="../town"/>', "leads upwards"),
    ('<Folder path="town"/>', '<Folder path="robots"/>', "has no map file"),
    ('<Folder path="town"/>', '<OsmFile path="town/setup.xml"/>', "expected a name that ends"),
    ('<Folder path="town"/>', '<OsmFile path="town"/>', "'town' is not a file"),
    ('<DrivingSide value="left"/>', '<DrivingSide value="lef"/>', "did you mean 'left'?"),
    ('<Robot name="two">', '<Robot name="one">', "there is already a 'one'"),
    ('<File path="robots/cart.xml"/>', '<File path="/etc/passwd"/>', "is absolute"),
    ('<File path="robots/cart.xml"/>', '<File path="robots/kart.xml"/>', "found no"),
    ('width="320"', 'width="3.5"', "expected a whole number"),
    ('<StepsPerSecond value="100"/>', '<StepsPerSecond value="0"/>', "[30, 10000] Hz"),
    ('side="client"', 'side="cloud"', "expected 'server' or 'client'"),
]


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_an_error_is_found_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text, line = spoiled(WORLD, old, new)
    path = write_world(tmp_path, text)
    found = [each for each in check_file(path) if message in each.message]
    assert [(each.level, each.line) for each in found] == [("error", line)]
    with pytest.raises(ConfigError):
        load_world(path)


def test_two_maps_in_a_folder_are_refused(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    write(tmp_path, OSM, "town/other.osm")
    (found,) = check_file(path)
    assert found.message.endswith("more than one map file: other.osm, town.osm")


def test_a_missing_program_and_a_lost_angle_are_warnings(tmp_path: Path) -> None:
    text = WORLD.replace('"program.py"', '"nothing.py"')
    text = text.replace('      <Position x="1.0" y="2.0" z="3.0"/>\n', "")
    found = check_file(write_world(tmp_path, text))
    assert [each.level for each in found] == ["warning", "warning"]


def test_a_heading_in_degrees_is_suspected(tmp_path: Path) -> None:
    text, line = spoiled(WORLD, '<RotY value="0.5"/>', '<RotY value="90"/>')
    (found,) = check_file(write_world(tmp_path, text))
    assert (found.level, found.line) == ("warning", line)
    assert "in radians, and 90 is more than a turn" in found.message


def test_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    path = write_world(tmp_path, WORLD.replace('"100"', '"x"'))
    write(tmp_path, ROBOT.replace('"1400.0"', '"0"'), "robots/cart.xml")
    write(tmp_path, SETUP.replace('"64.0"', '"60.0"'), "town/setup.xml")
    names = {each.file.name for each in check_file(path)}
    assert names == {"town.xml", "cart.xml", "setup.xml"}


def test_the_map_is_handed_to_its_own_checker(tmp_path: Path) -> None:
    finding = Diagnostic(tmp_path / "town.osm", 3, "warning", "a way without nodes")
    seen: list[Path] = []

    def checker(path: Path) -> list[Diagnostic]:
        seen.append(path)
        return [finding]

    path = write_world(tmp_path)
    osm = tmp_path / "town" / "town.osm"
    assert check_file(path, osm_checker=checker) == [finding]
    assert check_file(osm, osm_checker=checker) == [finding]
    assert seen == [osm, osm]
    assert check_file(osm) == []


def test_a_world_stands_around_any_extract(tmp_path: Path) -> None:
    osm = write(tmp_path, OSM, "perth.osm")
    robot = write(tmp_path, ROBOT, "cart.xml")
    world = world_for_osm(osm, robot=robot, program=None)
    assert (world.name, world.source, world.terrain.osm) == ("perth", osm, osm)
    assert world.terrain.setup.origin is None
    (placed,) = world.robots
    assert (placed.name, placed.position, placed.program) == ("cart", None, None)
    assert [name for name, _ in world.files] == ["perth.osm", "cart.xml"]


@pytest.mark.parametrize("name", ["gone.osm", "town.xml", "."])
def test_a_world_needs_an_extract(tmp_path: Path, name: str) -> None:
    write(tmp_path, OSM, "town.xml")
    with pytest.raises(ConfigError):
        world_for_osm(tmp_path / name, robot=write(tmp_path, ROBOT, "cart.xml"))


def test_a_device_that_is_faster_than_the_steps_is_a_warning(tmp_path: Path) -> None:
    file = write_world(tmp_path)
    robot = tmp_path / "robots" / "cart.xml"
    for rate, is_told in ((100, False), (400, True)):
        text = ROBOT.replace("<Alpha", f'<UpdateRate value="{rate}"/><Alpha')
        robot.write_text(text)
        found = [each for each in check_file(file) if "times a second" in each.message]
        assert bool(found) == is_told
    assert [each.level for each in found] == ["warning"] * 2
    assert "'one.chassis.gyro0' has new values 400 times a second" in found[0].message
    assert "lower the device's <UpdateRate>" in found[0].message
