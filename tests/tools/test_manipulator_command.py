"""`autosim osm-manipulator`, and the tutorial that uses it, typed as it stands."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from PIL import Image

from autosim.applications.maps import osm_manipulator as application
from autosim.cli import main
from tests.tools.houses import house_list, read_houses
from tests.world.maps import RESIDENTIAL, write_map
from tests.worlds import ROOT

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
TUTORIAL = ROOT / "docs" / "furnish_a_town.md"


def run(*words):
    return CliRunner().invoke(main, ["osm-manipulator", *map(str, words)])


def test_it_writes_a_map_a_preview_and_a_report(tmp_path):
    original, target, png = write_map(tmp_path, [STREET]), tmp_path / "o.osm", tmp_path / "p.png"
    result = run(
        "--original",
        original,
        "--target",
        target,
        "--houses",
        house_list(tmp_path),
        "--preview",
        png,
    )
    assert result.exit_code == 0, result.output
    houses = read_houses(target)
    assert f"set       {len(houses)}" in result.stdout
    assert "wide" in result.stdout
    assert "© OpenStreetMap contributors" in result.stdout
    with Image.open(png) as picture:
        assert max(picture.size) >= 1600


def test_a_preview_alone_writes_no_map(tmp_path):
    original = write_map(tmp_path, [STREET])
    result = run("--original", original, "--preview", tmp_path / "new" / "p.png")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "p.png").is_file()
    assert not list(tmp_path.glob("*.pbf"))


def test_its_options_reach_the_houses(tmp_path):
    original, houses = write_map(tmp_path, [STREET]), house_list(tmp_path)
    common = ("--original", original, "--houses", houses)
    sparse, dense = tmp_path / "sparse.osm", tmp_path / "dense.osm"
    assert run(*common, "--target", sparse, "--distance-between-houses", 30).exit_code == 0
    assert run(*common, "--target", dense, "--distance-between-houses", 1).exit_code == 0
    assert len(read_houses(sparse)) < 0.6 * len(read_houses(dense))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--original"),
        (("--original", "map.osm"), "name a target file"),
        (("--original", "map.osm", "--target", "map.osm"), "choose another name"),
        (("--original", "map.osm", "--target", "x.txt"), "not a map file"),
        (("--original", "nowhere.osm", "--target", "x.osm"), "No such file"),
        (("--original", "map.osm", "--target", "x.osm", "--houses", "no.xml"), "no.xml"),
        (("--original", "map.osm", "--target", "x.osm", "--distance-to-street", "-1"), "range"),
        (
            ("--original", "map.osm", "--preview", "x.gif"),
            "x.gif: expected a name that ends in .png",
        ),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    write_map(tmp_path, [STREET])
    result = run(*words)
    assert result.exit_code in (1, 2)
    assert message in result.output
    assert "Traceback" not in result.output
    assert {path.name for path in tmp_path.iterdir()} == {"map.osm"}


def test_where_no_house_fits_it_says_so(tmp_path):
    ways = [STREET, (((-400, -400), (400, -400), (400, 400), (-400, 400), (-400, -400)),)]
    ways[1] = (*ways[1], {"landuse": "quarry"})
    target = tmp_path / "o.osm"
    result = run("--original", write_map(tmp_path, ways), "--target", target)
    assert result.exit_code == 0
    assert "no place was found" in result.stdout
    assert "quarry" in result.stdout
    assert target.is_file()


def test_without_a_screen_the_window_is_a_message(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    result = run("--gui")
    assert result.exit_code == 1
    assert "no screen" in result.output


def test_the_window_gets_what_was_typed(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(application, "open_window", lambda *seen: opened.append(seen))
    result = run("--gui", "--original", "a.osm", "--target", "b.osm", "--distance-to-street", "7")
    assert result.exit_code == 0, result.output
    (request, target), *_ = opened
    assert (str(request.original), str(target)) == ("a.osm", "b.osm")
    assert request.spacing.to_street == 7.0


def test_the_terminal_needs_no_qt():
    code = "import sys; import autosim.applications.maps.osm_manipulator as _; "
    code += "print('PyQt6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder in which the tutorial can be typed: `worlds` as in the checkout, an empty `out`."""
    shutil.copytree(ROOT / "worlds", tmp_path / "worlds")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_the_tutorial_works_as_it_stands(desk):
    text = TUTORIAL.read_text(encoding="utf-8")
    (listing,) = re.findall(r"```xml\n(.*?)```", text, re.DOTALL)
    (desk / "out" / "my_houses.xml").write_text(listing, encoding="utf-8")
    commands = re.findall(r"^    autosim (.+)$", text, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        words = shlex.split(command)
        if "--gui" in words:
            continue
        if words[0] == "demo":
            words += ["--seconds", "0.5", "--headless"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, f"autosim {command}\n{result.output}"
    assert (desk / "out" / "new_houses.png").is_file()
    assert (desk / "out" / "furnished" / "plan.png").is_file()
    names = {house.tags["name"] for house in read_houses(desk / "out" / "cottages.osm.gz")}
    assert "cottage" in names


def test_the_tutorials_pictures_are_there():
    named = re.findall(r"\]\(([\w/.]+)\)", TUTORIAL.read_text(encoding="utf-8"))
    assert named
    assert all((TUTORIAL.parent / name).is_file() for name in named)
