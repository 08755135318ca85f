"""The Qt application of the tests of the window."""

import pytest

pytest.importorskip("PyQt6")

from tests.qt_fixtures import application, complaints

__all__ = ["application", "complaints"]
