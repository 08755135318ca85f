"""Chooses the size with which a window opens."""

from PyQt6.QtWidgets import QWidget


def take_first_size(window: QWidget, width: int, height: int) -> None:
    """Gives a window a size, in logical pixels; a smaller one where its screen has no room.

    With large scaling a screen has few logical pixels, and not every desktop makes windows smaller
    that are larger than it.
    """
    screen = window.screen()
    if screen is not None:
        room = screen.availableSize()
        width, height = min(width, room.width()), min(height, room.height())
    window.resize(width, height)
