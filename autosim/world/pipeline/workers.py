"""Divides work over processes of this machine, for as long as the work lasts.

The processes are forked: they begin with all that their parent has, without a copy of it and
without running its main module again. They do nothing but arrays and geometry, so it does no harm
where their parent has threads. What comes back is in the order of the tasks, whoever did them.
"""

import ctypes
import gc
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

from autosim.errors import UserError

Result = TypeVar("Result")

_MOST = 16
_NUMBER = 4
OUT_OF_MEMORY = "probably there was not enough memory; a smaller window needs less"
"""Why a process is lost that somebody has killed, and what to do."""


class WorkerLostError(UserError):
    """A process that made a part of the world is gone."""


def usable_processors() -> int:
    """How many processors this process may use, at most 16."""
    return min(len(os.sched_getaffinity(0)), _MOST)


def give_back_memory() -> None:
    """Gives the memory that this process has freed back to the system.

    glibc keeps it, in holes between what is in use, which add up where many processes are forked.
    """
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def without_collector() -> Iterator[None]:
    """Keeps Python from looking for garbage in cycles, here and in the processes that begin here.

    A world in the making is a million small things, and none of them is in a cycle. To look at
    them all, again and again, takes a tenth of the time; and a process that looks at what it
    shares writes to it, and gets a copy of its own.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def in_processes(
    work: Callable[[int], Result],
    count: int,
    *,
    processes: int,
    finished: Callable[[int], None] = lambda done: None,
) -> list[Result]:
    """The results of `work(0)` to `work(count - 1)`.

    Args:
        work: done in forked processes, so what it changes is lost; its result is pickled.
        count: number of tasks.
        processes: how many work at once; with one, this process does it all.
        finished: called in this process with the number of tasks done so far.

    Raises:
        WorkerLostError: a process died, or had not enough memory.
        Exception: what `work` raised.
    """
    # A process of multiprocessing that is a daemon may start none.
    if min(processes, count) < 2 or multiprocessing.current_process().daemon:
        return _in_this_process(work, count, finished)
    crew = _Crew(work, min(processes, count))
    try:
        crew.begin(count)
        return crew.rest(finished)
    finally:
        crew.end()


@contextmanager
def meanwhile(work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Does one piece of work in a forked process while this one goes on.

    Args:
        work: as for `in_processes`. On one processor it is done when it is asked for.

    Yields:
        A function, to be called once, that waits for the result.

    Raises:
        WorkerLostError: as for `in_processes`, by that function.
    """
    with all_meanwhile([work], processes=1 if usable_processors() > 1 else 0) as results:
        yield lambda: results()[0]


@contextmanager
def all_meanwhile(
    tasks: Sequence[Callable[[], Result]], *, processes: int
) -> Iterator[Callable[[], list[Result]]]:
    """Does pieces of work in forked processes while this one goes on.

    The processes keep what they have made until it is asked for: nobody has to look after them.

    Args:
        tasks: as for `in_processes`; they are begun in their order.
        processes: how many work besides this one; with none, all is done when it is asked for.

    Yields:
        A function, to be called once, that waits for the results in the order of the tasks.

    Raises:
        WorkerLostError: as for `in_processes`, by that function.
    """
    with begun(tasks, processes=processes) as ahead:

        def results() -> list[Result]:
            done = ahead.done()
            return [done[k] if k in done else task() for k, task in enumerate(tasks)]

        yield results


class Begun(Generic[Result]):
    """Tasks that other processes do, until they are taken back."""

    def __init__(
        self, queue: Iterator[int], crew: "_Crew[list[tuple[int, Result]]] | None", stack: ExitStack
    ) -> None:
        self._queue, self._crew, self._stack = queue, crew, stack

    def take_back(self) -> list[int]:
        """The numbers of those tasks that nobody has begun, and nobody will but the caller."""
        return list(self._queue)

    def done(self) -> dict[int, Result]:
        """Waits for the results of those tasks that others have begun, by their numbers.

        To be called once.

        Raises:
            WorkerLostError: as for `in_processes`.
        """
        # What the processes hold is as large as their results: they end as soon as they can.
        with self._stack:
            return dict(chain.from_iterable(self._crew.rest())) if self._crew else {}


@contextmanager
def begun(tasks: Sequence[Callable[[], Result]], *, processes: int) -> Iterator[Begun[Result]]:
    """Begins pieces of work in forked processes while this one goes on, as `all_meanwhile` does.

    What they have not begun when this process has time may be taken back.
    """
    size = min(processes, len(tasks))
    if size < 1 or multiprocessing.current_process().daemon:
        yield Begun(iter(range(len(tasks))), None, ExitStack())
        return
    with ExitStack() as stack:
        queue = stack.enter_context(_queue(len(tasks)))
        crew = _Crew(lambda _: [(task, tasks[task]()) for task in queue], size)
        stack.callback(crew.end)
        crew.begin(size)
        yield Begun(queue, crew, stack)


@contextmanager
def _queue(count: int) -> Iterator[Iterator[int]]:
    """The numbers up to `count`, from which processes that begin inside take one by one."""
    numbers, writer = os.pipe()
    try:
        with open(writer, "wb") as pipe:
            pipe.write(b"".join(k.to_bytes(_NUMBER, "little") for k in range(count)))
        yield (
            int.from_bytes(number, "little")
            for number in iter(lambda: os.read(numbers, _NUMBER), b"")
        )
    finally:
        os.close(numbers)


def _in_this_process(
    work: Callable[[int], Result], count: int, finished: Callable[[int], None]
) -> list[Result]:
    results = []
    for task in range(count):
        results.append(work(task))
        finished(task + 1)
    return results


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a task raised, and where."""

    error: Exception
    trace: str


class _Crew(Generic[Result]):
    """Processes that wait for the numbers of tasks and answer with their results."""

    def __init__(self, work: Callable[[int], Result], size: int) -> None:
        context = multiprocessing.get_context("fork")
        self._processes: list[ForkProcess] = []
        self._lines: list[Connection] = []
        self._waiting: list[int] = []
        self._at_work: dict[Connection, int] = {}
        for _ in range(size):
            near, far = context.Pipe()
            self._lines.append(near)
            process = context.Process(target=_serve, args=(work, far, self._lines), daemon=True)
            process.start()
            far.close()
            self._processes.append(process)

    def begin(self, count: int) -> None:
        """Gives the first tasks out."""
        self._waiting = list(reversed(range(count)))
        for line in self._lines:
            self._send(line)

    def rest(self, finished: Callable[[int], None] = lambda done: None) -> list[Result]:
        """Gives out the tasks that are left; the results of all, in their order."""
        found: dict[int, Result] = {}
        while self._at_work:
            ready = set(wait(list(self._at_work)))
            for line in [each for each in self._at_work if each in ready]:
                found[self._at_work.pop(line)] = self._answer(line)
                finished(len(found))
                self._send(line)
        return [found[task] for task in sorted(found)]

    def _send(self, line: Connection) -> None:
        if not self._waiting:
            return
        self._at_work[line] = self._waiting.pop()
        try:
            line.send(self._at_work[line])
        except OSError:
            raise self._lost(line) from None

    def _answer(self, line: Connection) -> Result:
        try:
            answer = line.recv()
        except (EOFError, OSError):
            raise self._lost(line) from None
        if isinstance(answer, _Failure):
            if isinstance(answer.error, MemoryError):
                raise WorkerLostError(f"a part of the world is not made: {OUT_OF_MEMORY}")
            answer.error.add_note(answer.trace)
            raise answer.error
        result: Result = answer
        return result

    def _lost(self, line: Connection) -> WorkerLostError:
        process = self._processes[self._lines.index(line)]
        process.join()
        return WorkerLostError(
            f"a process that made a part of the world {_how_it_ended(process.exitcode or 0)}"
        )

    def end(self) -> None:
        """Ends all processes, whatever they are at."""
        for line in self._lines:
            line.close()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
            process.close()


def _how_it_ended(code: int) -> str:
    if code == -signal.SIGKILL:
        return f"was killed: {OUT_OF_MEMORY}"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended by itself with code {code}"


def _serve(work: Callable[[int], Result], line: Connection, others: Sequence[Connection]) -> None:
    """The life of a process of a crew: it ends when its parent hangs up."""
    # At the terminal Ctrl-C reaches all; the parent decides, and ends its crew.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # With the parent's ends left open here nobody would notice that the parent is gone.
    for other in others:
        other.close()
    with suppress(EOFError, OSError):
        while True:
            line.send(_done(work, line.recv()))
    os._exit(0)


def _done(work: Callable[[int], Result], task: int) -> Result | _Failure:
    try:
        return work(task)
    except Exception as error:
        return _Failure(error, "".join(traceback.format_exception(error)))
