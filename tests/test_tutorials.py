"""The tutorials in docs/ do what they say: their commands are run, in order, as a reader would."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from autosim.userprogram.program_file import load_main
from tests.worlds import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
AUTOSIM = [sys.executable, "-m", "autosim"]


def commands(name: str) -> list[list[str]]:
    """The command lines of a tutorial, the first of which starts the server."""
    blocks = re.findall(r"```sh\n(.*?)```", (TUTORIALS / f"{name}.md").read_text(), re.DOTALL)
    lines = [line.split("#")[0].split() for block in blocks for line in block.splitlines()]
    assert lines[0][:2] == ["autosim", "server"]
    return lines


@contextmanager
def server(command: list[str], folder: Path) -> Iterator[dict[str, str]]:
    """The server of a tutorial on any free port; gives the environment of the other commands."""
    options = [*command[1:], "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*AUTOSIM, *options], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = iter(process.stderr.readline, "")
            address = next(filter(None, (re.search(r"^serving .* at (\S+);", s) for s in said)))
            yield environment | {"AUTOSIM_SERVER": address[1]}
        finally:
            process.terminate()


def run(command: list[str], folder: Path, environment: dict[str, str]) -> "tuple[int, str, str]":
    words = [*AUTOSIM, *command[1:]] if command[0] == "autosim" else command
    if command[:2] == ["autosim", "client"]:
        words = [*words, "--server", environment["AUTOSIM_SERVER"]]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def play(name: str, folder: Path) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each command after the server's, from a checkout."""
    (folder / "userprograms").symlink_to(ROOT / "userprograms")
    first, *others = commands(name)
    with server(first, folder) as environment:
        return [run(each, folder, environment) for each in others]


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"(?<=[ =])-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_the_wall_follower_keeps_its_distance(tmp_path: Path):
    results = play("wall_follower", tmp_path)
    assert [code for code, _, _ in results] == [0] * 5
    outputs = [out for _, out, _ in results]
    assert numbers(outputs[1]) == pytest.approx([4.1, 4.1], abs=0.2)
    assert outputs[3].splitlines()[1] == "scout.collisions 0"
    assert numbers(outputs[4]) == pytest.approx([4.0, 4.0], abs=1.2)


def test_the_convoy_keeps_together_and_its_cars_are_its_own(tmp_path: Path):
    *results, refused = play("convoy", tmp_path)
    assert [code for code, _, _ in results] == [0] * 4
    places = [numbers(line)[:2] for line in results[1][1].splitlines()]
    for (x0, y0), (x1, y1) in pairwise(places):
        assert 8.0 < ((x0 - x1) ** 2 + (y0 - y1) ** 2) ** 0.5 < 20.0
    speeds = numbers(results[2][1])
    assert min(speeds) > 5.0
    assert refused[0] == 1
    assert "robot 'second' is driven by the program" in refused[2]


def test_the_camera_writes_its_files(tmp_path: Path):
    pytest.importorskip("panda3d")
    client, listing = play("camera_to_files", tmp_path)
    assert client[0] == 0, client[2]
    pictures = listing[1].split()
    assert pictures[0] == "0000.png"
    assert len(pictures) >= 2


@pytest.mark.parametrize("number", [0, 1])
def test_the_forms_of_a_program_in_the_documentation_are_valid(tmp_path: Path, number: int):
    text = (ROOT / "docs" / "user_programs.md").read_text()
    program = tmp_path / "program.py"
    program.write_text(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[number])
    assert callable(load_main(program, module="documented"))


@pytest.mark.parametrize("name", ["wall_follower", "convoy", "camera_to_files"])
def test_the_lines_that_a_tutorial_quotes_stand_in_its_program(name: str):
    text = (TUTORIALS / f"{name}.md").read_text()
    program = (ROOT / "userprograms" / f"{name}.py").read_text()
    known = {line.strip().split("  #")[0] for line in program.splitlines()}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            assert line.strip().split("  #")[0] in known or "get_image(" in line, line
