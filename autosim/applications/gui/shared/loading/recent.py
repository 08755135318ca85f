"""The worlds that were loaded last, newest first."""

from PyQt6.QtCore import QSettings

MOST = 8
"""Number of recent worlds in the menu: each has a digit from 1 to 8 as its key."""

_KEY = "recent_worlds"


class RecentWorlds:
    """A list that outlives the window.

    Args:
        settings: where it is kept.
    """

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def files(self) -> list[str]:
        """The files, newest first."""
        found = self._settings.value(_KEY, [], type=list)
        return [str(each) for each in found]

    def add(self, file: str) -> None:
        """Puts a file first."""
        files = [file, *(each for each in self.files if each != file)]
        self._settings.setValue(_KEY, files[:MOST])

    def clear(self) -> None:
        """Forgets them all."""
        self._settings.remove(_KEY)
