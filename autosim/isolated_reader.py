"""Runs readers of foreign files in processes of their own.

Some libraries kill their process on a damaged file, or never return. They run in a forked process,
so a damaged file costs only itself, and a message says why.
"""

import faulthandler
import gc
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

Result = TypeVar("Result")

TIMEOUT_SECONDS = 300
"""Longest time [s] of a reader: the largest maps that are accepted take a tenth of it."""

ADVICE = "the file is damaged; save or download it again"
_NOT_DONE = f"its reader was not done within {TIMEOUT_SECONDS} s: {ADVICE}"
_OUT_OF_MEMORY = "its reader was killed: probably there was not enough memory"


class IsolatedReaderError(Exception):
    """The process that read a file has died; the message says why, and what to do."""


def run_isolated(read: Callable[[], Result]) -> Result:
    """The result of `read()` in a forked process.

    Args:
        read: its result or exception is pickled; its changes are lost.

    Raises:
        ReaderLostError: the process died, or used up its time.
        Exception: that of `read`.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        _answer(read, theirs)
    os.close(theirs)
    status = None
    try:
        with open(ours, "rb") as pipe:
            answer = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if status:
        raise IsolatedReaderError(exit_reason(status))
    has_failed, result = pickle.loads(answer)
    if has_failed:
        raise result
    value: Result = result
    return value


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
