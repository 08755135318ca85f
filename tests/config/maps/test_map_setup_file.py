from pathlib import Path

import pytest

from autosim.config.descriptions import HighwayDimension, MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.loading.loader import load_map_setup
from tests.config.samples import SETUP, faults, spoiled, write


def test_a_set_up_is_read(tmp_path: Path) -> None:
    setup = load_map_setup(write(tmp_path, SETUP))
    assert setup.name == "town"
    assert setup.origin == (-31.9728, 115.827)
    assert (setup.kerb_height, setup.terrain_levels_of_detail) == (0.12, 4)
    assert setup.highways == (
        ("residential", HighwayDimension(8.0, 1.5, 1.0)),
        ("service", HighwayDimension(3.0, 0.0, 0.0)),
    )


def test_what_is_left_out_has_the_defaults_of_the_record(tmp_path: Path) -> None:
    path = write(tmp_path, '<Setup name="bare"/>')
    assert load_map_setup(path) == MapSetup(name="bare", source=path)


ERRORS = [
    ('<TileSize value="64.0"/>', '<TileSize value="60"/>', "must be a multiple of"),
    ('<TileSize value="64.0"/>', '<TileSize value="4"/>', "must be a multiple of"),
    ('<LevelsOfDetail value="4.0"/>', '<LevelsOfDetail value="2.5"/>', "expected a whole number"),
    ('lat="-31.9728"', 'lat="-91"', "expected a number in [-85, 85] °"),
    ('width="8.0"', 'width="0"', "<residential> width: expected"),
    ('<service width="3.0"/>', '<residential width="3"/>', "more than once"),
]


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_an_error_is_found_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text, line = spoiled(SETUP, old, new)
    (found,) = faults(tmp_path, text)
    assert (found.level, found.line) == ("error", line)
    assert message in found.message


def test_a_highway_that_openstreetmap_does_not_know_is_used_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, SETUP.replace("<service", "<sevrice"))
    assert load_map_setup(path).highways[1][0] == "sevrice"
    (found,) = faults(tmp_path, path.read_text())
    assert found.level == "warning"
    assert found.message.endswith("did you mean 'service'?")


ROADS = """
<Setup name="old"><TerrainSetup>
  <RoadDimensions>
    <HeightAboveTerrain value="0.1"/>
    <LevelsOfDetail value="3"/>
  </RoadDimensions>
  <RoadTextures>
    <LeftPavement file="left.png"/>
    <RightPavement file="right.png"/>
    <LeftCurb file="same.png"/>
    <RightCurb file="same.png"/>
    <Intersection file="crossing.png"/>
  </RoadTextures>
</TerrainSetup></Setup>
"""


def test_the_options_of_roads_are_read_without_a_warning(tmp_path: Path) -> None:
    found = Diagnostics()
    setup = load_map_setup(write(tmp_path, ROADS.strip()), diagnostics=found)
    assert found.all == ()
    assert (setup.height_above_terrain, setup.road_levels_of_detail) == (0.1, 3)
    assert dict(setup.road_textures)["RightPavement"] == "right.png"
    assert dict(setup.road_textures)["Intersection"] == "crossing.png"


def test_a_picture_that_is_not_there_is_a_warning_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "here.png").touch()
    text = ROADS.strip().replace("left.png", "here.png")
    found = [each for each in faults(tmp_path, text) if "AutoSim's own" in each.message]
    assert [each.line for each in found] == [8, 9, 10, 11]
    assert all("found no '" in each.message for each in found)


def test_the_camera_may_be_followed_at_every_picture(tmp_path: Path) -> None:
    text = SETUP.replace("<HeightData", '<CameraStepsPerTile value="-1"/><HeightData')
    assert load_map_setup(write(tmp_path, text)).camera_steps_per_tile == -1.0
