"""The time that a user program spends on what does not count towards its deadline.

Imports, kernels that numba compiles and the reading of the world's roads take seconds once, longer
on a busy machine, and say nothing of how a program computes. The program notes them in two words of
shared memory, which its host reads when a turn takes too long.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from autosim.userprogram.ipc.shared_memory import SharedMemory

_SINCE, _TOTAL = range(2)
"""Words: when the work under way began (`time.monotonic_ns`; 0: there is none), and all work that
is done [ns]. The clock is the same for all processes of a machine."""

_BYTES = 16
"""Size [bytes] of the shared memory: the two words."""


class PreparationClock:
    """Measures preparations of one program, in the thread that has its turns.

    Args:
        memory: where the words lie; None: in this process alone.
    """

    def __init__(self, memory: SharedMemory | None = None) -> None:
        self._memory = memory
        words = bytearray(_BYTES) if memory is None else memory.memory[:_BYTES]
        self._words = memoryview(words).cast("q")
        self._depth = 0

    @classmethod
    def create(cls) -> "PreparationClock":
        """A clock that another process, which opens its descriptor, sets."""
        return cls(SharedMemory.create(_BYTES, "autosim-clock", is_written_elsewhere=True))

    @classmethod
    def open(cls, descriptor: int) -> "PreparationClock":
        """The clock that another process reads. Takes over `descriptor`."""
        return cls(SharedMemory.open(descriptor, is_written=True))

    @property
    def fd(self) -> int:
        """The descriptor to hand to another process."""
        assert self._memory is not None
        return self._memory.fd

    @property
    def seconds(self) -> float:
        """Time [s] spent so far, that under way included."""
        since, total = self._words[_SINCE], self._words[_TOTAL]
        return 1e-9 * (total + (time.monotonic_ns() - since if since else 0))

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Inside, time counts as preparation; it may be nested."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """A preparation begins, maybe inside another one."""
        self._depth += 1
        if self._depth == 1:
            self._words[_SINCE] = time.monotonic_ns()

    def end(self) -> None:
        """The last preparation that has begun ends."""
        self._depth -= 1
        if self._depth == 0:
            self._words[_TOTAL] += time.monotonic_ns() - self._words[_SINCE]
            self._words[_SINCE] = 0

    def reset(self) -> None:
        """Discards preparations in progress, in a process that is replaced by another."""
        self._words[_SINCE] = 0

    def close(self) -> None:
        """Closes the descriptor."""
        if self._memory is not None:
            self._memory.close()


class _Current(threading.local):
    """The clock of the program that runs in this thread; None: there is none."""

    clock: PreparationClock | None = None


_current = _Current()


@contextmanager
def measured(clock: PreparationClock) -> Iterator[None]:
    """Inside, kernels that this thread has numba compile are preparations of `clock`."""
    _current.clock = clock
    try:
        yield
    finally:
        _current.clock = None


def measure_imports() -> None:
    """Has imports count from now on, in a process that runs one program and nothing else."""
    import builtins

    plain: Callable[..., ModuleType] = builtins.__import__

    def measure(name: str, *arguments: object, **keywords: object) -> ModuleType:
        clock = _current.clock
        if clock is None:
            return plain(name, *arguments, **keywords)
        clock.begin()
        try:
            return plain(name, *arguments, **keywords)
        finally:
            clock.end()
            measure_compilations()

    builtins.__import__ = measure


_is_listening = False


def measure_compilations() -> None:
    """Has compilations count from now on, once numba is there."""
    global _is_listening
    if _is_listening or "numba" not in sys.modules:
        return
    event: Any = sys.modules.get("numba.core.event")
    if not hasattr(event, "register"):  # it is being imported
        return
    _is_listening = True

    class Compilations(event.Listener):  # type: ignore[misc]
        """Hears when numba begins and ends to compile a function for types."""

        def on_start(self, event: object) -> None:
            if _current.clock is not None:
                _current.clock.begin()

        def on_end(self, event: object) -> None:
            if _current.clock is not None:
                _current.clock.end()

    event.register("numba:compile", Compilations())
