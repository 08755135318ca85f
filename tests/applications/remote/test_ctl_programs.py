"""`autosim ctl` starts user programs of a running server, and hears of those that fail at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applications.serving import Shell, light_server
from tests.userprogram.rig import write

LOOPS = """
from autosim.userprogram import wait

def main(argv):
    while True:
        wait(0.1)
"""

FAULTS = {
    "syntax": ("x = 1\ndef main(argv:\n", "SyntaxError: '(' was never closed", 2),
    "module": ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'", 1),
    "start": (
        "class Program:\n    def start(self, robot):\n        raise ValueError('no petrol')\n",
        "ValueError: no petrol",
        3,
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a project."""
    folder = tmp_path_factory.mktemp("project") / "userprograms"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def shell(project: Path) -> Iterator[Shell]:
    """A server that runs two robots, r0 and r1, with programs in `project`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOSIM_PATH", str(project.parent))
        with light_server(real_time_factor=1.0) as server:
            yield Shell(server.address)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_program_that_fails_at_once_is_an_error_with_file_and_line(
    shell: Shell, project: Path, fault: str
):
    text, reason, line = FAULTS[fault]
    file = write(project, fault, text)
    for order in (("attach", file.name, "--robot", "r0"), ("restart-program", "r0")):
        error = shell.error("ctl", *order)
        assert reason in error
        assert f'{file}", line {line}' in error


def test_a_program_is_started_again_with_other_arguments(shell: Shell, project: Path):
    text = LOOPS.replace("while True", "print(*argv, flush=True)\n    while True")
    file = write(project, "talks", text)
    shell.ok("ctl", "attach", file.name, "--robot", "r1", "a", "b")

    def arguments(*words: str) -> list[str]:
        (found,) = (
            each
            for each in shell.record("ctl", "restart-program", "r1", *words)
            if each["robot"] == "r1"
        )
        return list(found["arguments"])

    assert arguments() == ["a", "b"]
    assert arguments("c", "d") == ["c", "d"]
    assert arguments("--no-arguments") == []
    shell.ok("ctl", "stop-program", "r1")


def test_a_running_program_that_is_started_again_with_a_fault_is_an_error(
    shell: Shell, project: Path
):
    file = write(project, "edited", LOOPS)
    assert "r1: userprograms/edited.py: running" in shell.ok(
        "ctl", "attach", file.name, "--robot", "r1"
    )
    assert "1 restarts" in shell.ok("ctl", "restart-program", "r1")
    write(project, "edited", "def main(argv):\n    1 / 0\n")
    error = shell.error("ctl", "restart-program", "r1")
    assert f'{file}", line 2, in main' in error
    assert "ZeroDivisionError" in error


def test_a_fault_is_told_also_while_another_program_computes(shell: Shell, project: Path):
    busy = "from autosim.userprogram import wait\nimport time\n\ndef main(argv):\n"
    busy += "    while True:\n        time.sleep(0.2)\n        wait(0.001)\n"
    shell.ok("ctl", "attach", write(project, "busy", busy).name, "--robot", "r1")
    file = write(project, "late", FAULTS["start"][0])
    assert "no petrol" in shell.error("ctl", "attach", file.name, "--robot", "r0")
    stopped = shell.record("ctl", "stop-program", "r1")
    assert {each["robot"]: each["state"] for each in stopped}["r1"] == "stopped"
