"""The Qt application as a fixture, and what Qt complains of while a test runs."""

import pytest

from tests.qt import qt_application


@pytest.fixture(scope="session")
def application():
    found = qt_application()
    found.setStyle("Fusion")
    return found


@pytest.fixture
def complaints(application):
    """What Qt complains of while a test runs; a test that asks for it fails where there is any."""
    from PyQt6.QtCore import qInstallMessageHandler

    said = []
    known = ("propagateSizeHints", "This plugin does not support")

    def take(kind, context, text):
        if not any(each in text for each in known):
            said.append(text)

    old = qInstallMessageHandler(take)
    yield said
    qInstallMessageHandler(old)
    assert not said
