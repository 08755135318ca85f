"""Order of drawing, and the times at which a software driver fills pixels.

Mesa's llvmpipe places all vertices on one core, and fills pixels on all cores only when a picture
is complete or when it is flushed. With a flush in between, the other cores fill the first part
while the first core continues: together this takes a third off a picture's time for the same
work.
"""

import ctypes
from collections.abc import Callable
from enum import Enum

from autosim.client.panda.driver_threads import DriverThreads
from autosim.client.panda.panda_imports import core


class RenderBin(Enum):
    """When a surface's turn is: first what hides much and is dear, last what is much hidden.

    Each value is the place among Panda3D's bins, where 20 is for what says nothing.
    """

    WALLS = 12
    ROADS = 14
    REST = 20
    AFAR = 22


_LAST_BIN = 50
"""The place of the last of Panda3D's own bins."""


def take_turn(state: core.NodePath, turn: RenderBin) -> None:
    """Draws everything below the node `state` in the given turn."""
    if turn is not RenderBin.REST:
        # The nearest first: what it hides costs little where the processor draws.
        _make_bin(turn.name.lower(), turn.value, core.CullBinManager.BTFrontToBack)
        state.setBin(turn.name.lower(), 0)


def start_early(root: core.NodePath, *, hidden_from: int) -> None:
    """Makes a software driver fill pixels after the walls and after the roads.

    Once more after the rest would cost more than it saves: each time, the threads that fill pixels
    fetch the whole picture from memory.

    Args:
        root: the scene.
        hidden_from: bits of the cameras whose pictures are left alone.
    """
    flush = _flush()
    if flush is None:
        return
    threads = DriverThreads()
    starts = [
        ("walls", RenderBin.WALLS.value, _Start(flush, threads.step_aside)),
        ("roads", RenderBin.ROADS.value, _Start(flush)),
        ("all", _LAST_BIN, _Start(threads.spread)),
    ]
    for what, place, start in starts:
        name = f"after {what}"
        _make_bin(name, place + 1, core.CullBinManager.BTUnsorted)
        callback = core.CallbackNode(name)
        callback.setDrawCallback(core.PythonCallbackObject(start))
        callback.setBounds(core.OmniBoundingVolume())
        callback.setFinal(True)
        node = root.attachNewNode(callback)
        node.setBin(name, 0)
        node.hide(core.BitMask32(hidden_from))


class _Start:
    """Makes the driver fill pixels; its state stays as Panda3D left it."""

    def __init__(self, *actions: Callable[[], None]) -> None:
        self._actions = actions

    def __call__(self, data: core.GeomDrawCallbackData) -> None:
        for action in self._actions:
            action()
        data.setLostState(False)


def _flush() -> Callable[[], None] | None:
    """OpenGL's glFlush, which Panda3D has no name for; None where there is no such library."""
    try:
        flush: Callable[[], None] = ctypes.CDLL("libGL.so.1").glFlush
    except (OSError, AttributeError):
        return None
    return flush


def _make_bin(name: str, place: int, order: int) -> None:
    """All of the process share the bins; to make one again changes nothing."""
    core.CullBinManager.getGlobalPtr().addBin(name, order, place)
