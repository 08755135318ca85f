"""The shipped models and the map of the demonstration town are what their generators write."""

from pathlib import Path

from autosim_assets.make_circle_town import make_town
from autosim_assets.make_highway_merge import make_motorway
from autosim_assets.make_models import make_models
from tests.paths import ROOT


def test_the_shipped_models_are_what_the_program_makes(tmp_path: Path) -> None:
    make_models(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("model.*"))
    assert len(made) == 234
    for path in made:
        assert (ROOT / "models" / path).read_bytes() == (tmp_path / path).read_bytes(), path


def test_the_town_is_what_its_script_writes() -> None:
    town = ROOT / "worlds/circle_town/circle_town.osm"
    assert town.read_text(encoding="utf-8") == make_town()


def test_the_motorway_is_what_its_script_writes() -> None:
    motorway = ROOT / "worlds/highway_merge/highway_merge.osm"
    assert motorway.read_text(encoding="utf-8") == make_motorway()
