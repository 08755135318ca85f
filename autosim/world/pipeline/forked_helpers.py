"""Work that this process and forked helpers share.

A helper is a fork: it begins with all that its parent has, without a copy of it, and only results
travel. A fork has none of the other threads of its parent, and a lock that one of them holds stays
locked in it for ever. So a process with several threads forks no helpers: it does the work alone,
with the same results.
"""

import ctypes
import fcntl
import gc
import multiprocessing
import os
import signal
import sys
import termios
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import TracebackType

from autosim.errors import UserError

Task = Callable[[], object]

_MOST_PROCESSES = 16
"""More processes share one memory bus, and gain a world of a few dozen blocks nothing."""

_NUMBER_BYTES = 4
"""Bytes of the number of a task; a pipe holds 16 000 of them, of which a large world has 1000."""

OUT_OF_MEMORY = "probably there was not enough memory; a smaller window needs less"
"""Probable cause of a killed process, and what to do."""


class WorkerLostError(UserError):
    """A process that made a part of the world is gone."""


class TaskError(Exception):
    """A task has failed. `task` is its number; the cause is what it raised."""

    def __init__(self, task: int) -> None:
        super().__init__(task)
        self.task = task


def usable_processors() -> int:
    """Number of processors that this process may use, at most 16."""
    return min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)


def may_fork() -> bool:
    """Whether a fork of this process can do any work; see the module's docstring.

    Threads of libraries that Python does not know of (OpenBLAS) prepare for forks themselves. A
    daemon of `multiprocessing` may start no process.
    """
    return threading.active_count() == 1 and not multiprocessing.current_process().daemon


def trim_memory() -> None:
    """Gives the memory that this process has freed back to the system.

    glibc keeps it, in holes between what is in use, which add up where many processes are forked.
    """
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disables the garbage collector for cycles, here and in the processes that begin here.

    A world in the making is a million small objects, and none of them is in a cycle. Searching
    them again and again takes a twentieth of the time; and a process that searches shared memory
    writes to it, and gets its own copy.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class _Failure:
    """Exception of a task."""

    task: int
    error: Exception


class WorkQueue:
    """Tasks that this process and its helpers take from one queue.

    Use it as a context: at its end all helpers are gone, whatever they are at. Helpers keep their
    results until `collect`, so this process may do something else before it helps.

    Args:
        tasks: called in a helper or here, in about this order; those that take longest come first.
        helpers: how many processes are forked.
    """

    def __init__(self, tasks: Sequence[Task], *, helpers: int) -> None:
        self._tasks = tasks
        self._results: dict[int, object] = {}
        self._helpers: list[ForkProcess] = []
        self._lines: list[Connection] = []
        self._queue, writer = os.pipe()
        with open(writer, "wb") as pipe:
            pipe.write(b"".join(k.to_bytes(_NUMBER_BYTES, "little") for k in range(len(tasks))))
        # Where the system has no room for another process, there are fewer helpers.
        with suppress(OSError):
            for _ in range(helpers):
                self._fork()

    def _fork(self) -> None:
        context = multiprocessing.get_context("fork")
        near, far = context.Pipe()
        with near, far:
            helper = context.Process(target=self._serve, args=(near, far), daemon=True)
            helper.start()
            self._helpers.append(helper)
            self._lines.append(Connection(os.dup(near.fileno())))

    def __enter__(self) -> "WorkQueue":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all helpers, whatever they are at; it may be called again."""
        if self._queue < 0:
            return
        os.close(self._queue)
        self._queue = -1
        # They are as large as the world, and the caller may keep this object.
        self._tasks, self._results = (), {}
        for line in self._lines:
            line.close()
        for helper in self._helpers:
            helper.kill()
        for helper in self._helpers:
            helper.join()
            helper.close()

    @property
    def is_all_taken(self) -> bool:
        """Whether all tasks have been begun."""
        waiting = fcntl.ioctl(self._queue, termios.FIONREAD, bytes(4))
        return not int.from_bytes(waiting, sys.byteorder)

    def work(self) -> int | None:
        """Executes a task that has not been begun; returns its number, None without one.

        Raises:
            TaskError: the task failed.
        """
        task = next(self._taken(), None)
        if task is not None:
            try:
                self._results[task] = self._tasks[task]()
            except Exception as error:
                raise TaskError(task) from error
        return task

    @property
    def is_done(self) -> bool:
        """Whether all helpers have their results ready, so that `collect` need not wait."""
        return len(wait(self._lines, timeout=0)) == len(self._lines)

    def collect(self) -> list[object]:
        """Waits for the helpers; the results of all tasks, in their order.

        Without helpers, the tasks that are left are done here.

        Raises:
            TaskError: a task failed.
            WorkerLostError: a helper died.
        """
        while not self._helpers and self.work() is not None:
            pass
        for helper, line in zip(self._helpers, self._lines, strict=True):
            self._results |= _answer(helper, line)
        return [self._results[task] for task in range(len(self._tasks))]

    def _taken(self) -> Iterator[int]:
        """The numbers of tasks, each taken off the queue when it is asked for."""
        while number := os.read(self._queue, _NUMBER_BYTES):
            yield int.from_bytes(number, "little")

    def _serve(self, near: Connection, far: Connection) -> None:
        """The life of a helper: it ends when it has told its results, or its parent is gone."""
        # At the terminal Ctrl-C reaches all; the parent decides, and ends its helpers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # With the parent's ends left open here no helper would notice that the parent is gone.
        for line in (near, *self._lines):
            line.close()
        with suppress(OSError):
            far.send(self._all_done())
        os._exit(0)

    def _all_done(self) -> dict[int, object] | _Failure:
        """The results of the tasks that this helper could take, by their numbers."""
        results: dict[int, object] = {}
        for task in self._taken():
            try:
                results[task] = self._tasks[task]()
            except Exception as error:
                error.add_note("".join(traceback.format_exception(error)))
                return _Failure(task, error)
        return results


def _answer(helper: ForkProcess, line: Connection) -> dict[int, object]:
    try:
        answer = line.recv()
    except (EOFError, OSError):
        helper.join()
        ended = _how_it_ended(helper.exitcode or 0)
        raise WorkerLostError(f"a process that made a part of the world {ended}") from None
    if isinstance(answer, _Failure):
        raise TaskError(answer.task) from answer.error
    results: dict[int, object] = answer
    return results


def _how_it_ended(code: int) -> str:
    if code == -signal.SIGKILL:
        return f"was killed: {OUT_OF_MEMORY}"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended by itself with code {code}"
