"""Files of others are checked without running any code of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from autosim.loading.checker import check_file
from autosim.loading.robots.declared_plugins import declared_elements
from tests.kinds.plugins import write_thruster

WORLD = """
<World name="harbour">
  <Terrain><Map><Folder path="worlds/circle_town"/></Map></Terrain>
  <Objects><Robot name="boat"><File path="robots/bow_thruster.xml"/></Robot></Objects>
</World>
"""
STUDY = """
<Study name="s" seconds="1">
  <World path="worlds/harbour.xml"/>
  <Measure name="thrust" of="boat.hull.bow_thruster.thrust" take="max"/>
</Study>
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose plug-in leaves a file `ran` when it is run."""
    write_thruster(tmp_path)
    plugin = tmp_path / "plugins" / "bow_thruster.py"
    marker = str(tmp_path / "ran")
    plugin.write_text(f"{plugin.read_text()}\nopen({marker!r}, 'w').close()\n")
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "harbour.xml").write_text(WORLD)
    (tmp_path / "study.xml").write_text(STUDY)
    return tmp_path


@pytest.mark.parametrize("name", ["robots/bow_thruster.xml", "worlds/harbour.xml", "study.xml"])
def test_plug_ins_are_not_run(project: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(project))
    found = check_file(project / name)
    assert not (project / "ran").exists()
    assert not [each for each in found if each.level == "error"]
    (warning,) = [each for each in found if "<BowThruster>" in each.message]
    assert (warning.file.name, warning.line) == ("bow_thruster.xml", 11)
    assert "was not run; with --trust it is" in warning.message
    assert not [
        each for each in check_file(project / name, is_trusted=True) if each.level == "error"
    ]
    assert (project / "ran").exists()


def test_a_device_that_no_plug_in_declares_is_an_error_still(project: Path):
    file = project / "robots" / "bow_thruster.xml"
    file.write_text(file.read_text().replace("<BowThruster", "<Thruster").replace("/BowT", "/T"))
    messages = [each.message for each in check_file(file, roots=[project])]
    assert any("unknown element <Thruster> in <Devices>" in each for each in messages)


@pytest.mark.parametrize(
    ("text", "said"),
    [("KIND = (\n", "'(' was never closed"), ("a\0b", "zero byte|null bytes"), ("", "empty")],
)
def test_a_plug_in_that_is_not_python_is_named(project: Path, text: str, said: str):
    (project / "plugins" / "bow_thruster.py").write_text(text)
    found = check_file(project / "robots" / "bow_thruster.xml", roots=[project])
    (fault,) = [each for each in found if each.level == "error"]
    assert fault.line == 2
    assert any(each in fault.message for each in said.split("|"))


def test_the_elements_of_a_plug_in_are_found_in_its_text(project: Path):
    assert "BowThruster" in declared_elements(project / "plugins" / "bow_thruster.py")


def test_a_study_in_python_is_not_run(tmp_path: Path):
    file, marker = tmp_path / "study.py", tmp_path / "ran"
    file.write_text(f"open({str(marker)!r}, 'w').close()\n")
    (fault,) = check_file(file)
    assert (fault.level, marker.exists()) == ("error", False)
    assert "was not run" in fault.message
    assert "autosim check --trust runs it" in fault.message
    check_file(file, is_trusted=True)
    assert marker.exists()


def test_modules_in_the_working_directory_are_not_imported(tmp_path: Path):
    """A helper process must not take `numpy.py` of a downloaded folder for a library."""
    marker = tmp_path / "ran"
    for name in ("numpy", "lxml", "autosim", "mcap", "shapely"):
        (tmp_path / f"{name}.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    code = (
        "from autosim.helper_processes.process_socket import ControlSocket\n"
        "from autosim.helper_processes.start import start_python\n"
        "ours, theirs = ControlSocket.pair()\n"
        "process = start_python('autosim.loading.world_worker', theirs)\n"
        "theirs.close(), ours.close()\n"
        "assert process.wait() == 1\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, check=True)
    assert not marker.exists()
