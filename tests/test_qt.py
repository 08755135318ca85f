"""A process of tests survives the X servers that its tests start and end."""

import os
import re
import subprocess
import sys

import pytest

from tests.paths import ROOT

pytest.importorskip("PyQt6")

MAKES_ONE = re.compile(r"QApplication\(\[")
IN_OTHER_PROCESSES = {"draw_pictures.py", "qt.py", "test_qt.py"}
"""Scripts that tests start, the one application, and this file."""

APPLICATIONS = """
import os
from tests.qt import qt_application
first = qt_application()
os.environ.update(QT_QPA_PLATFORM="xcb", DISPLAY=":59999")
assert qt_application() is first
print(first.platformName())
"""
LATE_APPLICATION = """
import os
from tests.qt import qt_application
os.environ.update(QT_QPA_PLATFORM="xcb", DISPLAY=":59999")
print(qt_application().platformName())
"""


@pytest.mark.parametrize("program", [APPLICATIONS, LATE_APPLICATION])
def test_a_test_that_names_a_screen_does_not_move_the_application_there(program: str) -> None:
    settings = {name: each for name, each in os.environ.items() if name != "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**settings, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "offscreen\n"


def test_no_test_makes_an_application_of_its_own() -> None:
    makers = [
        str(each.relative_to(ROOT))
        for each in sorted((ROOT / "tests").rglob("*.py"))
        if each.name not in IN_OTHER_PROCESSES and MAKES_ONE.search(each.read_text())
    ]
    # One line of this file starts Qt in another process, to see whether its screen works.
    assert makers == ["tests/tools/test_manipulator_window.py"]
