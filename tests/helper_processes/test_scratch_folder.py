"""Folders for temporary files go with their process, however that ends."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.helper_processes.scratch_folder import ScratchFolder, sweep_scratch_folders
from tests.paths import ROOT

HOLDER = """
import sys
from autosim.helper_processes.scratch_folder import ScratchFolder
folder = ScratchFolder("held")
(folder.path / "file").write_text("content")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds a folder until its input ends."""
    environment = os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:
        yield process
        process.kill()


def path_of(holder: "subprocess.Popen[str]") -> Path:
    assert holder.stdout is not None
    return Path(holder.stdout.readline().strip())


def test_the_folder_of_a_killed_process_goes_with_the_next_one(
    holder: "subprocess.Popen[str]",
) -> None:
    left = path_of(holder)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (left / "file").exists()
    with ScratchFolder("next"):
        assert not left.exists()


def test_the_folder_of_a_process_that_lives_stays(holder: "subprocess.Popen[str]") -> None:
    held = path_of(holder)
    with ScratchFolder("next") as own:
        sweep_scratch_folders()
        assert (held / "file").exists()
        assert own.exists()
    assert holder.stdin is not None
    holder.stdin.close()
    holder.wait()
    assert not held.exists(), "it removes its folder when it ends"


def test_a_folder_goes_when_it_is_closed_and_with_its_object(folder: Path) -> None:
    with ScratchFolder("one") as path:
        (path / "file").touch()
    assert not path.exists()
    other = ScratchFolder("two")
    path = other.path
    del other
    assert not path.exists()


def test_a_fork_leaves_the_folder_of_its_parent() -> None:
    made = ScratchFolder("parent")
    child = os.fork()
    if child == 0:
        made.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert made.path.exists()
    made.close()


def test_other_files_of_that_name_are_left_alone(folder: Path) -> None:
    target = folder / "target"
    target.mkdir()
    (folder / "autosim-scratch-link").symlink_to(target)
    (folder / "autosim-scratch-file").touch()
    sweep_scratch_folders()
    assert target.exists()
    assert (folder / "autosim-scratch-file").exists()
