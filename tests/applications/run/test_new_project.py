"""`autosim new`: all that it writes runs."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from autosim.applications.run.new_project import check_name
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from tests.applications.osm_replay import ANSWER, replaying
from tests.applications.serving import Shell
from tests.conftest import shared
from tests.worlds import ROOT


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "harbour"
    result = Shell.plain("new", str(folder))
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].endswith("harbour/worlds/harbour.xml")
    return folder


def test_what_cannot_be_written_is_named(tmp_path: Path):
    # No file may grow beyond a block, as on a disk that is full.
    limited = f"ulimit -f 1; exec {sys.executable} -m autosim new harbour"
    done = subprocess.run(
        ["sh", "-c", limited],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert re.search(r"^error: harbour/\S+ cannot be written: File too large", done.stderr)


def test_its_files_have_no_faults(project: Path):
    files = [str(path) for kind in ("worlds", "robots") for path in (project / kind).glob("*.xml")]
    result = Shell.plain("check", *files)
    assert (result.exit_code, result.stderr) == (0, "2 files, 0 errors, 0 warnings\n")


def test_its_world_is_sound_and_found_from_anywhere(project: Path, monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    world = load_world(project / "worlds" / "harbour.xml")
    assert world.robots[0].robot.name == "harbour_car"
    compiled = compile_world(world.terrain)
    assert dict(compiled.invariants)["open_edges"] == 0
    assert not compiled.ignored


def test_its_test_passes(project: Path, tmp_path: Path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_a_project_on_a_map_of_ones_own_drives_there(tmp_path: Path):
    osm = shared("osm/city/tiny_roundabout.osm")
    result = Shell.plain("new", str(tmp_path / "home"), "--osm", str(osm))
    assert result.exit_code == 0, result.output
    world = tmp_path / "home" / "worlds" / "home.xml"
    assert (world.parent / "home" / "home.osm").read_bytes() == osm.read_bytes()
    checked = Shell.plain("check", str(world))
    assert (checked.exit_code, checked.stderr) == (0, "1 file, 0 errors, 0 warnings\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(world.parents[1]),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("text", [None, "this is not a map"])
def test_what_is_not_a_map_makes_no_project(tmp_path: Path, text: str | None):
    osm = tmp_path / "map.txt"
    if text is not None:
        osm.write_text(text)
    result = Shell.plain("new", str(tmp_path / "home"), "--osm", str(osm))
    assert result.exit_code == 1
    assert "map.txt" in result.stderr
    assert not (tmp_path / "home").exists()


def test_a_map_that_was_cut_short_makes_no_project(tmp_path: Path):
    osm = tmp_path / "map.osm"
    osm.write_text('<osm version="0.6">\n<node id="1" lat="0.0" lon="0.0"/>\n<node id="2" la')
    result = Shell.plain("new", str(tmp_path / "home"), "--osm", str(osm))
    assert result.exit_code == 1
    assert "map.osm:3: error: the file ends in the middle" in result.stderr
    assert not (tmp_path / "home").exists()


def test_nothing_is_overwritten(project: Path):
    program = project / "userprograms" / "harbour.py"
    before = program.read_text()
    program.write_text("mine")
    result = Shell.plain("new", str(project))
    assert result.exit_code == 1
    assert "there is already something at" in result.stderr
    assert program.read_text() == "mine"
    program.write_text(before)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("my-town", "my_town"),
        ("3rd street", "my_3rd_street"),
        ("class", "my_class"),
        ("stra\N{LATIN SMALL LETTER SHARP S}e", "stra_e"),
        ("...", "my_town"),
    ],
)
def test_a_bad_name_is_refused_with_a_better_one(tmp_path: Path, name: str, near: str):
    result = Shell.plain("new", str(tmp_path / name))
    assert result.exit_code == 1
    assert f"'{name}' cannot be the name of a project" in result.stderr
    assert f"try '{near}'" in result.stderr
    assert not list(tmp_path.iterdir())
    check_name(near)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    result = Shell.plain("new", str(tmp_path / "file" / "town"))
    assert result.exit_code == 1
    assert "README.md cannot be written: Not a directory" in result.stderr


def test_paths_of_a_lone_file_stay_in_its_folder(project: Path, tmp_path: Path):
    lone = tmp_path / "worlds"
    lone.mkdir()
    (lone / "harbour.xml").write_text((project / "worlds" / "harbour.xml").read_text())
    with pytest.raises(UserError, match="harbour_car"):
        load_world(lone / "harbour.xml")


def test_a_project_on_the_map_of_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "ring_town"
    with replaying() as server:
        monkeypatch.setenv("AUTOSIM_OSM_SERVER", server.address)
        monkeypatch.setenv("AUTOSIM_PLACE_SERVER", server.address)
        result = Shell.plain("new", str(folder), "--place", "Ring Town")
        assert result.exit_code == 0, result.output
        refused = Shell.plain("new", str(folder), "--place", "Ring Town")
        assert "already something" in refused.output
        assert len(server.requests) == 2  # a name and a map, for the first project alone
    (file,) = folder.glob("worlds/ring_town/*.osm*")
    assert file.read_text() == ANSWER


def test_a_project_is_on_one_map(tmp_path: Path):
    result = Shell.plain("new", str(tmp_path / "a"), "--place", "x", "--map", "x.osm")
    assert result.exit_code == 2
    assert "either --map or --place" in result.output


def test_a_place_without_a_name_is_refused(tmp_path: Path):
    result = Shell.plain("new", str(tmp_path / "a"), "--place", " ")
    assert result.exit_code == 2
    assert "--place is empty: give the name of a place" in result.output
    assert not (tmp_path / "a").exists()


def test_a_place_without_a_network_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setenv("AUTOSIM_PLACE_SERVER", address)
    result = Shell.plain("new", str(tmp_path / "a"), "--place", "Leeds, England")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {address} cannot be reached (")
    assert result.stderr.endswith("A map that is on the disk already needs none\n")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "a").exists()
