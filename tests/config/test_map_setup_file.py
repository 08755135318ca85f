from pathlib import Path

import pytest

from autosim.config.descriptions import HighwayDimension, MapSetup
from autosim.config.loader import load_map_setup
from tests.config.samples import SETUP, faults, spoiled, write


def test_a_set_up_is_read(tmp_path: Path) -> None:
    setup = load_map_setup(write(tmp_path, SETUP))
    assert setup.name == "town"
    assert setup.origin == (-31.9728, 115.827)
    assert setup.road_levels_of_detail == 3
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
    ('<LevelsOfDetail value="3.0"/>', '<LevelsOfDetail value="2.5"/>', "expected a whole number"),
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
