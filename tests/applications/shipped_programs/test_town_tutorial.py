"""docs/your_town_in_five_minutes.md: each of its commands does what it says, in its order."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from autosim.cli import main
from tests.applications.osm_replay import replaying
from tests.world.maps import TOWN
from tests.worlds import ROOT

TUTORIAL = (ROOT / "docs" / "your_town_in_five_minutes.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    autosim (.+)$", TUTORIAL, re.MULTILINE)
WORLD = re.findall(r"```xml\n(.*?)```", TUTORIAL, re.DOTALL)[0]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The results of all commands, run in one folder with a cache of its own."""
    folder = tmp_path_factory.mktemp("tutorial")
    results = {}
    with replaying() as server, pytest.MonkeyPatch.context() as patch:
        server.answers["/api/0.6/map"] = (200, TOWN.read_bytes())
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("AUTOSIM_OSM_SERVER", server.address)
        patch.setenv("AUTOSIM_PLACE_SERVER", server.address)
        Path("my_town.xml").write_text(WORLD, encoding="utf-8")
        for command in COMMANDS:
            results[command] = CliRunner().invoke(main, shlex.split(command))
    return folder, results


def test_it_has_commands():
    assert len(COMMANDS) >= 11
    assert {command.split()[0] for command in COMMANDS} == {"world", "check", "demo"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_tutorial_ends_well(done, command):
    result = done[1][command]
    assert result.exit_code == 0, result.output


def test_the_files_it_speaks_of_are_there(done):
    folder, _ = done
    named = re.findall(r"(?:--out|--3d) (\S+\.\w+)", "\n".join(COMMANDS))
    for name in [*named, "drive/path.png", "drive/chase.png", "drive/plan.png"]:
        assert (folder / name).stat().st_size > 100, name
    with Image.open(folder / "view.png") as view:
        assert view.size == (1280, 720)
    features = json.loads((folder / "my_town.geojson").read_text())["features"]
    assert len(features) > 100


def test_the_car_has_driven(done):
    summary = json.loads((done[0] / "drive" / "summary.json").read_text())
    assert summary["distance_m"] > 5.0
    assert not summary["failure"]
