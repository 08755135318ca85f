"""The documentation: its site is built without a warning, what it tells people to type exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from autosim.cli import main
from tests.worlds import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INLINE = re.compile(r"`(autosim [a-z][^`\n]*)`")


def typed(page: Path) -> list[str]:
    """The `autosim` commands on a page: lines of code blocks, and code within lines."""
    text = page.read_text()
    blocks = re.findall(r"```(?:sh|console|text)?\n(.*?)```", text, re.DOTALL)
    blocks += re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    found = [line for line in lines if line.startswith("autosim ")]
    return sorted({*found, *INLINE.findall(text)})


COMMANDS = [(page.relative_to(ROOT), line) for page in PAGES for line in typed(page)]


def options_of(command: click.Command) -> set[str]:
    return {option for each in command.params for option in (*each.opts, *each.secondary_opts)}


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_what_a_page_tells_to_type_is_a_command_with_these_options(page: Path, line: str):
    words = shlex.split(line.split("  #")[0], comments=True)[1:]
    command: click.Command = main
    while isinstance(command, click.Group) and words and words[0] != "…":
        name = words.pop(0)
        if name in options_of(command):
            words.pop(0)  # its value
            continue
        if set(name) & set("|[<"):
            return  # a choice, not something to type
        found = command.commands.get(name)
        assert found is not None, f"{page} says 'autosim … {name}'"
        command = found
    known = {*options_of(command), "--help", "-h"}
    before_arguments = words[: words.index("--")] if "--" in words else words
    for word in before_arguments:
        if word.startswith("--"):
            assert word.split("=")[0].rstrip("]") in known, f"{page}: no {word} in '{line}'"


def test_there_are_such_commands():
    assert len(COMMANDS) > 40
    assert len({page for page, _ in COMMANDS}) > 6


def test_the_site_is_built_without_a_warning(tmp_path: Path):
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "docs", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "user program" in (tmp_path / "reference" / "user_programs.html").read_text()
    for page in ("index", "first_drive", "reference/commands"):
        text = (tmp_path / f"{page}.html").read_text()
        # Nothing is fetched when the site is read.
        assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', text)


def test_the_library_page_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "reference" / "library.md").read_text()
    steps, places = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(steps.replace("240", "24"), {})
    assert capsys.readouterr().out.startswith("24 ")
    exec(places, {})
    assert "Placement(name='impreza'" in capsys.readouterr().out
