"""Ctrl-C while Panda3D is at work, which makes another error of it, or a crash."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C is noted; it counts at the end."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        # Ctrl-C counts in the main thread alone.
        yield
        return
    usual = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if noted:
        signal.raise_signal(signal.SIGINT)
