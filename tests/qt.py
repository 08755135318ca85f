"""The one Qt application of a process of tests, which no X server can end.

Qt and Xlib end the process when their X server does, and a second application, or widgets that
outlive theirs, crash it. So there is one, on the platform that was set before the first test, and
it is kept until the process ends. A test that needs an X server starts its window in another
process.
"""

import os
from functools import cache

import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_PLATFORM = os.environ["QT_QPA_PLATFORM"]


@cache
def qt_application() -> QApplication:
    """The application, also while a test has named another platform in the environment."""
    return QApplication(["test", "-platform", _PLATFORM])
