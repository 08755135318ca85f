"""The first demo installs a part of the one locked list."""

import re
import subprocess
import sys
from importlib.metadata import requires

from packaging.requirements import Requirement

from tests.paths import ROOT


def locked(*extras: str) -> dict[str, str]:
    """The lines of each package that AutoSim needs with some extras."""
    command = [sys.executable, str(ROOT / "scripts" / "locked_packages.py"), *extras]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    parts = re.split(r"^(?=\S)", done.stdout, flags=re.MULTILINE)[1:]
    return {part.split("==")[0]: part for part in parts}


def test_the_windows_need_no_tools_and_no_other_extras():
    names = locked("gui").keys()
    assert {"numpy", "pybullet", "panda3d", "pyqt6", "pyqt6-qt6"} <= names
    assert not names & {"ray", "eclipse-sumo", "libsumo", "mypy", "pytest", "pyarrow", "rerun-sdk"}
    assert not {"panda3d", "pyqt6"} & locked().keys()


def test_a_part_of_the_list_holds_all_that_its_packages_require():
    found = locked("gui")
    for name, lines in found.items():
        assert "--hash=sha256:" in lines
        if ";" in lines.splitlines()[0]:
            continue
        for each in map(Requirement, requires(name) or ()):
            if each.marker is None or each.marker.evaluate({"extra": ""}):
                wanted = re.sub(r"[-_.]+", "-", each.name).lower()
                assert wanted in found, f"{name} requires {wanted}"
