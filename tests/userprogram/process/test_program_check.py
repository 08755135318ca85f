"""`autosim check` on user programs, which it does not run unless they are trusted."""

from pathlib import Path

import pytest

from autosim.loading.checker import check_file
from autosim.userprogram.process.program_check import check_program
from tests.paths import ROOT


def faults(folder: Path, text: str, *, is_trusted: bool = False) -> list[tuple[int, str]]:
    file = folder / "follow.py"
    file.write_text(text)
    found = check_file(file, program_checker=check_program, is_trusted=is_trusted)
    return [(each.line, each.message) for each in found]


SHIPPED = [each for each in ROOT.glob("userprograms/*.py") if "def main(" in each.read_text()]


@pytest.mark.parametrize("program", sorted(SHIPPED), ids=lambda it: it.stem)
def test_shipped_programs_have_no_faults(program: Path) -> None:
    assert check_file(program, program_checker=check_program) == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("from autosim.userprogram import wate\n\ndef main(argv): ...", 1, "no 'wate'"),
        ("def main(): ...", 1, "main must take one argument"),
        ("\n\ndef main(argv, more): ...", 3, "main must take one argument"),
        ("class Program:\n    def move(self): ...", 1, "none of start, step, stop"),
        ("class Program:\n    def step(self): ...", 2, "step must be step(self, dt)"),
        ("import autosim.userprogram\n\ndef mian(argv): ...", 1, "it defines mian"),
    ],
)
def test_a_program_with_a_fault_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    ((found_line, found_message),) = faults(tmp_path, text)
    assert found_line == line
    assert message in found_message


def test_programs_of_both_kinds_and_with_free_arguments_are_taken(tmp_path: Path) -> None:
    for text in (
        "def main(argv, speed=8.0): ...",
        "def main(*argv): ...",
        "main = print",
        "class Program:\n    def start(self, robot, *more): ...",
        "class Program(Base): ...",
    ):
        assert faults(tmp_path, text) == []


def test_a_program_is_run_only_where_it_is_trusted(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    text = f"import os\nos.mkdir({str(marker)!r})\n1 / 0\ndef main(argv): ..."
    assert faults(tmp_path, text) == []
    assert not marker.exists()
    ((_, message),) = faults(tmp_path, text, is_trusted=True)
    assert "ZeroDivisionError" in message
    assert marker.exists()


def test_a_study_remains_a_study(tmp_path: Path) -> None:
    ((_, message),) = faults(tmp_path, "study = None\ndef main(argv): ...")
    assert "a study in Python" in message
