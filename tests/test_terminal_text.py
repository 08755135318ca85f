"""What commands print commands no terminal, whoever wrote it; file names may be any bytes."""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.applications.common import rich_console, terminal
from autosim.cli import main
from autosim.terminal_text import for_terminal
from tests.conftest import shared
from tests.paths import ROOT
from tests.world.maps import CROSSING, osm_text

NAME = os.fsdecode(b"t\xff\x1b[2Jown")
"""A file name that is not UTF-8 and clears the screen."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Straße 東京 \u200d👩\u200d🚒\n\tnext", "Straße 東京 \u200d👩\u200d🚒\n\tnext"),
        ("\x1b]0;title\x07", r"\u001b]0;title\u0007"),
        ("\x9b2J\x7f\r", r"\u009b2J\u007f\u000d"),
        ("safe\u202efdp.exe", r"safe\u202efdp.exe"),
        ("\udcff\U000e0041", r"\udcff\udb40\udc41"),
    ],
)
def test_what_terminals_obey_is_written_out(text, shown):
    assert for_terminal(text) == shown


def test_json_stays_the_same_json():
    record = {"name": "\x1b[2J \x9b \u202e \udcff \U000e0041 é"}
    text = for_terminal(json.dumps(record, ensure_ascii=False))
    assert json.loads(text) == record
    assert "\x9b" not in text


def test_lines_beside_progress_are_written_out(monkeypatch, capsys):
    with rich_console.CONSOLE.capture() as told:
        terminal.tell("robot \x1b[31m[bold]\udcff")
    assert told.get() == "robot \\u001b[31m[bold]\\udcff\n"


def test_every_command_prints_by_the_one_function_that_writes_out():
    folder = ROOT / "autosim" / "cli"
    assert any(folder.glob("*.py"))
    for file in folder.glob("*.py"):
        calls = re.findall(r"\b(?:click\.s?echo|print)\(", file.read_text(encoding="utf-8"))
        assert len(calls) == (1 if file.name == "cli_options.py" else 0), file


@pytest.fixture
def oddly_named(tmp_path, monkeypatch):
    """A map in the working directory, with a street whose name clears the screen, too."""
    ways = [(line, {**tags, "name": "\x85\u009b2J"}) for line, tags in CROSSING]
    (tmp_path / f"{NAME}.osm").write_text(osm_text(ways), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return f"{NAME}.osm"


def run(*arguments):
    done = CliRunner().invoke(main, arguments)
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.output)
    return done


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("check", "--json"),
        ("world", "build"),
        ("world", "check", "--json"),
        ("world", "info"),
        ("world", "info", "--json"),
        ("world", "view", "--size", "32", "--out", f"{NAME}.svg"),
        ("world", "export", "--out", f"{NAME}.xodr"),
        ("osm-manipulator", "--target", f"{NAME}2.osm", "--original"),
    ],
)
def test_a_map_may_have_any_name(oddly_named, command):
    assert run(*command, oddly_named).exit_code == 0


def test_a_fault_of_a_file_with_any_name_is_named(oddly_named):
    Path(oddly_named).write_bytes(b"<osm version='0.6'><node id='1' \x1b")
    done = run("world", "build", oddly_named)
    assert done.exit_code == 1
    assert r"t\udcff\u001b[2Jown.osm:1: error: " in done.output


def test_a_damaged_map_ends_every_command_with_a_reason():
    damaged = str(shared("osm/crashes/damaged.osm.pbf"))
    for command in (
        ("check",),
        ("world", "info"),
        ("demo", "--headless", "--osm"),
        ("server", "--headless", "--port", "0"),
        ("osm-manipulator", "--target", "other.osm", "--original"),
    ):
        done = run(*command, damaged)
        assert done.exit_code == 1, command
        assert "damaged.osm.pbf: error: its reader was ended by SIGSEGV" in done.output, command


def test_what_cannot_go_over_the_wire_is_named():
    done = run("ctl", "load", f"{NAME}.xml", "--server", "127.0.0.1:1", "--insecure")
    assert done.exit_code == 1
    assert "is not valid UTF-8, which worlds and servers need: rename it" in done.output
