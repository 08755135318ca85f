"""Draws the picture of the OSM Manipulator that stands in the tutorial; needs no screen.

python -m autosim.tools.gui.make_picture docs/osm_manipulator.png
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QEventLoop
from PyQt6.QtWidgets import QApplication

from autosim.tools.gui.manipulator_window import ManipulatorWindow
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest

_CHOSEN = 12
"""Number of the house that is chosen in the picture."""

_ORIGINAL = Path("worlds/circle_town/circle_town.osm")


def main(arguments: Sequence[str]) -> None:
    """Saves the window, after a preview of the shipped town, to the file named."""
    (path,) = arguments
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(["autosim"])
    window = ManipulatorWindow(FurnishRequest(_ORIGINAL), Path("out/furnished.osm"))
    window.show()
    window.preview()
    while window.is_busy:
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    window.map.choose(_CHOSEN)
    application.processEvents()
    window.grab().save(path)


if __name__ == "__main__":
    main(sys.argv[1:])
