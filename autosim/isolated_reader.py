"""Runs readers of foreign files in processes of their own.

Some libraries kill their process on a damaged file, or never return. They run in a forked process,
so a damaged file costs only itself, and a message says why.
"""

import faulthandler
import gc
import os
import pickle
import resource
import select
import signal
import traceback
from collections.abc import Callable
from io import FileIO
from typing import NoReturn, TypeVar

from autosim.helper_processes.process_activity import WorkWatch

Result = TypeVar("Result")

TIMEOUT_SECONDS = 300
"""Longest time [s] of a reader: the largest maps that are accepted take a tenth of it."""

IDLE_SECONDS = 15.0
"""Longest time [s] for which a reader may not use its processor. libosmium's threads seldom wait
for one another for ever after an error."""

_TRIES = 2
"""Number of processes that read a file, one after the other, where the first hangs."""

ADVICE = "the file is damaged; save or download it again"
_NOT_DONE = f"its reader was not done within {TIMEOUT_SECONDS} s: {ADVICE}"
_PART_BYTES = 1 << 20
"""Largest number of bytes that are read from a pipe at once: more than Linux lets a pipe hold."""

_HANGS = f"its reader hung: {ADVICE}"
_OUT_OF_MEMORY = "its reader was killed: probably there was not enough memory"


class IsolatedReaderError(Exception):
    """The process that read a file has died; the message says why, and what to do."""


def run_isolated(read: Callable[[], Result]) -> Result:
    """The result of `read()` in a forked process, or in a second one where the first hangs.

    Args:
        read: its result or exception is pickled; its changes are lost.

    Raises:
        IsolatedReaderError: the process died, used up its time, or hung twice.
        Exception: that of `read`.
    """
    for _ in range(_TRIES):
        answer = _answer_of(read)
        if answer is not None:
            break
    else:
        raise IsolatedReaderError(_HANGS)
    has_failed, result = pickle.loads(answer)
    if has_failed:
        raise result
    value: Result = result
    return value


def _answer_of(read: Callable[[], object]) -> bytes | None:
    """The pickled result or exception of `read()` in a forked process; None if it hangs."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        _answer(read, theirs)
    os.close(theirs)
    status = None
    try:
        with open(ours, "rb", buffering=0) as pipe:
            answer = _read_while_at_work(pipe, child)
        if answer is None:
            return None
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if status:
        raise IsolatedReaderError(exit_reason(status))
    return answer


def _read_while_at_work(pipe: FileIO, child: int) -> bytes | None:
    """All that comes through a pipe; None once its writer hangs."""
    watch = WorkWatch(child)
    parts: list[bytes] = []
    poll = select.poll()  # unlike select, for any number of open files
    poll.register(pipe, select.POLLIN)
    while True:
        if not poll.poll(1000.0 * IDLE_SECONDS):
            if not watch.has_worked():
                return None
            continue
        part = pipe.read(_PART_BYTES)
        if not part:
            return b"".join(parts)
        parts.append(part)


def exit_reason(status: int) -> str:
    """Why a reader gave no answer, by its exit code, which is negative for a signal."""
    if status == -signal.SIGALRM:
        return _NOT_DONE
    if status == -signal.SIGKILL:
        return _OUT_OF_MEMORY
    if status < 0:
        return f"its reader was ended by {_name_of(-status)}: {ADVICE}"
    return f"its reader ended with code {status}: {ADVICE}"


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _answer(read: Callable[[], object], pipe: int) -> NoReturn:
    """The whole life of the process that reads."""
    try:
        _prepare()
        with open(pipe, "wb") as stream:
            stream.write(_pickled(read))
    except BaseException:
        os._exit(1)
    os._exit(0)


def _prepare() -> None:
    # Ctrl-C at the terminal reaches all processes; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(TIMEOUT_SECONDS)
    # Garbage of the parent may own threads, which do not exist here and cannot be awaited.
    gc.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The parent reports in words what libraries print about a file, and how they die.
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)


def _pickled(read: Callable[[], object]) -> bytes:
    try:
        return pickle.dumps((False, read()), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))
        return pickle.dumps((True, error), pickle.HIGHEST_PROTOCOL)
