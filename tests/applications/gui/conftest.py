"""Windows without a screen, and a window that has the demo world open."""

import pytest

pytest.importorskip("PyQt6")

from tests.applications.gui.driving import LOAD_SECONDS, make_window, until
from tests.qt_fixtures import application, complaints

__all__ = ["application", "complaints"]


@pytest.fixture
def window(application, tmp_path, complaints):
    """A window with nothing loaded."""
    made = make_window(tmp_path)
    yield made
    made.close()
    made.deleteLater()
    application.processEvents()


@pytest.fixture(scope="module")
def loaded(application, tmp_path_factory):
    """A window with the demo world, loaded, its programs left out so that it stands still."""
    from autosim.applications.gui.server.operator import ServerStage

    made = make_window(tmp_path_factory.mktemp("window"), is_safe=True)
    made.load()
    until(lambda: made.operator.stage is ServerStage.READY and made.map.poses.size, LOAD_SECONDS)
    yield made
    made.close()
    made.deleteLater()
    application.processEvents()
