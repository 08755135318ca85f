"""The documentation: its site builds without a warning, and all that it names exists."""

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

from autosim.cli import main
from tests.worlds import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INLINE = re.compile(r"`(autosim [a-z][^`\n]*)`")

NAMING = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
"""The pages whose file and module names are checked."""

TOP = (
    r"autosim(?:_assets|_testbench)?|benchmarks|docs|models|proto|robots|scripts|tests"
    r"|userprograms|worlds"
)
FILE = re.compile(rf"(?<![\w/.~-])((?:{TOP})/[\w./-]+)")
"""A path below the project's folder."""

SOURCE = re.compile(r"(?<![\w/.~-])([\w/]+\.py)\b")
"""A Python file, by its name or by the end of its path."""

MODULE = re.compile(r"(?<![\w/.-])(autosim(?:_assets|_testbench)?(?:\.[A-Za-z_]\w*)+)")

SAVED = re.compile(r"[Ss]ave (?:this|it) (?:once more )?as\s+`([^`]+)`")
"""A file that the reader of a page makes."""

PROJECT = re.compile(r"autosim new (\w+)")
"""A project that the reader of a page makes, with a world and a robot."""


def typed(page: Path) -> list[str]:
    """The `autosim` commands on a page: lines of code blocks, and code within lines."""
    text = page.read_text()
    fenced = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fenced if language in ("", "sh", "console", "text")]
    blocks += re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    whole = [re.sub(r"\\\n *", "", block) for block in blocks]
    lines = [line.strip().removeprefix("$ ") for block in whole for line in block.splitlines()]
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
        found = command.commands.get(name) or command.commands.get(getattr(command, "usual", ""))
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
    # Its notebooks are run by tests/test_notebooks.py.
    options = ("-q", "-W", "--keep-going", "-D", "nb_execution_mode=off")
    words = [sys.executable, "-m", "sphinx", *options, "docs", str(tmp_path)]
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


DEVICE = re.compile(r"autosim device new (\w+)")
"""The devices that a page has its reader begin."""

EXAMPLES = {
    *("plugins/propeller.py", "propeller.py", "follow.py"),
    *("autosim.devices", "autosim/LaneKeeping-v0", "autosim/Benchmark-v0", "autosim/Traffic-v0"),
    *("autosim/Fleet-v0", "autosim/Town-v0"),
}
"""Names on pages that are not files: a plug-in or program of a reader, an entry point group, an
environment."""


def made_by_reader(text: str) -> set[str]:
    """The files that a page tells its reader to make."""
    names = PROJECT.findall(text)
    projects = {path for name in names for path in (f"worlds/{name}.xml", f"robots/{name}_car.xml")}
    devices = DEVICE.findall(text)
    plugins = {
        path
        for name in devices
        for path in (f"plugins/{name}.py", f"plugins/test_{name}.py", f"robots/{name}.xml")
    }
    return {*SAVED.findall(text), *projects, *plugins, *EXAMPLES}


def missing_from(text: str) -> list[str]:
    """The files and modules that a page names and that do not exist."""
    made = made_by_reader(text)
    paths = {path.rstrip("./-") for path in FILE.findall(text)}
    missing = [path for path in paths - made if not (ROOT / path).exists()]
    sources = {*SOURCE.findall(text)} - made - {Path(each).name for each in made}
    known = [f"/{path.relative_to(ROOT)}" for path in python_files()]
    missing += [name for name in sources if not any(each.endswith(f"/{name}") for each in known)]
    modules = {*MODULE.findall(text)} - made
    return sorted({*missing, *(name for name in modules if not is_module(name))})


@cache
def python_files() -> tuple[Path, ...]:
    """All Python files of the project."""
    packages = ("autosim", "autosim_assets", "autosim_testbench")
    folders = (*packages, "benchmarks", "docs", "examples", "scripts", "tests", "userprograms")
    return tuple(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module, of a name in one, or of a protocol file."""
    if any((ROOT / "proto").rglob(name)):
        return True
    place, (*inner, last) = ROOT, name.split(".")
    for part in inner:
        if not (place / part).is_dir():
            place = place / f"{part}.py"
            break
        place = place / part
    if (place / last).is_dir() or (place / f"{last}.py").exists():
        return True
    file = place / "__init__.py" if place.is_dir() else place
    return file.exists() and re.search(rf"\b{last}\b", file.read_text()) is not None


@pytest.mark.parametrize("page", NAMING, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_file_and_module_that_a_page_names_exists(page: Path):
    assert not missing_from(page.read_text())


def test_names_of_files_that_moved_are_found():
    text = (
        "See `autosim/world/flanks.py`, `flanks.py`, `world/flanks.py`, autosim.world.flanks.Room"
    )
    assert missing_from(text) == [
        "autosim.world.flanks.Room",
        "autosim/world/flanks.py",
        "flanks.py",
        "world/flanks.py",
    ]
    assert not missing_from(
        "`autosim/world/levels`, `world/levels/level_division.py`, autosim.errors.UserError"
    )
    assert not missing_from(
        "Save this as `userprograms/mine.py`; mine.py is in `userprograms/mine.py`."
    )


def linked(page: Path) -> set[Path]:
    """The pages that a page links to."""
    return {
        (page.parent / target).resolve()
        for target in re.findall(r"\]\(([^)#]+\.md)", page.read_text())
    }


def test_the_first_page_leads_to_each_page_and_the_readme_to_it():
    first = ROOT / "docs/index.md"
    pages = set((ROOT / "docs").glob("*.md")) - {first}
    assert not pages - linked(first)
    assert first in linked(ROOT / "README.md")


@pytest.mark.parametrize(
    "parent", ["", "config", "world", "userprogram", "server", "client", "applications"]
)
def test_the_architecture_names_each_package(parent: str):
    words = set(re.findall(r"\w+", (ROOT / "ARCHITECTURE.md").read_text()))
    packages = {each.parent.name for each in (ROOT / "autosim" / parent).glob("*/__init__.py")}
    assert not packages - words
