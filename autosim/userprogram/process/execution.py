"""Runs the `main` of a user program, in a process or in a thread, and reports how it ended."""

import os
import re
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from autosim.errors import UserError
from autosim.model import commands
from autosim.model.commands import DeviceError
from autosim.userprogram.api import use_session
from autosim.userprogram.ipc.program_messages import leave_message
from autosim.userprogram.process.program_file import ProgramFileError, load_main
from autosim.userprogram.session.program_session import ProgramStopped, Session
from autosim.v1 import autosim_pb2 as pb

_MACHINERY = (str(Path(__file__).parent.parent) + os.sep, commands.__file__, "<frozen runpy>")
"""Beginnings of the file names of frames that tell a user nothing about the program."""

_LIBRARIES = (
    str(Path(__file__).parents[2]) + os.sep,
    sysconfig.get_path("stdlib") + os.sep,
    sysconfig.get_path("purelib") + os.sep,
    sysconfig.get_path("platlib") + os.sep,
    "<frozen ",
)
"""Beginnings of the file names of what the machinery itself calls: this package, Python's library
and what is installed in it."""

_SCRIPT = re.compile(r'.*[/\\]autosim(?:"|$)')
"""File name of the installed command, in whose process a client runs its program."""


class ProgramRefusedError(BaseException):
    """The simulation refuses the program, whose own code has not begun."""


def run_program(
    session: Session,
    *,
    file: Path,
    robot: str,
    arguments: Sequence[str],
    is_process_wide: bool = False,
    before_report: Callable[[], None] = lambda: None,
) -> pb.ProgramMessage:
    """Loads `file`, takes part from then on, and calls its `main([robot, *arguments])`.

    The simulation does not wait for what a file imports.

    `is_process_wide`: the process is the program's alone, so that threads that it starts belong
    to it too. `before_report` is called before a failure is put into words.

    Returns:
        the Leave message that tells how it ended; whatever the program raises is in there.

    Raises:
        ProgramStopped: the simulation is over, so there is nothing to report to.
        ProgramRefusedError: the simulation rejects the program.
    """
    try:
        with use_session(session, is_process_wide=is_process_wide):
            with session.importing():
                main = load_main(file, module=f"userprogram_{robot}", arguments=len(arguments))
            _attach(session, file, robot)
            main([robot, *arguments])
            session.finish()
    except (ProgramStopped, ProgramRefusedError):
        raise
    except (ProgramFileError, UserError) as error:
        # A mistake of the user is reported in a sentence, without a traceback.
        return leave_message(reason=str(error))
    except SystemExit as error:
        return _exit_message(error.code)
    except BaseException as error:
        before_report()
        return leave_message(reason=one_line(error), traceback=program_traceback(error))
    return leave_message(reason="main returned", has_failed=False)


def _attach(session: Session, file: Path, robot: str) -> None:
    try:
        session.attach(program=str(file), robot=robot)
    except DeviceError as error:
        raise ProgramRefusedError(str(error)) from error


def one_line(error: BaseException) -> str:
    """Type and first line of an exception that a program raised."""
    try:
        lines = str(error).splitlines()
    except Exception:
        lines = ["(its text could not be made)"]
    return ": ".join([type(error).__name__, *lines[:1]])


def program_traceback(error: BaseException) -> str:
    """The traceback of `error` without the frames of this package, causes included."""
    told = traceback.TracebackException.from_exception(error)
    if isinstance(error.__context__, ProgramStopped):
        told.__context__ = None  # the end of the simulation, in which `stop` was called
    _keep_own_frames(told)
    return "".join(told.format())


def program_frames(filenames: Sequence[str]) -> list[int]:
    """Finds the frames of a stack that belong to the program, or to libraries that it calls.

    Frames of libraries that this package calls, for example while the program is in `wait`, are
    left out.

    Args:
        filenames: of all frames, the oldest first.

    Returns:
        The places of the frames, in ascending order.
    """
    own = [
        k
        for k, name in enumerate(filenames)
        if not name.startswith(_MACHINERY) and not _SCRIPT.match(name)
    ]
    found, is_inside = [], True
    for k, name in enumerate(filenames):
        if name.startswith(_MACHINERY) or _SCRIPT.match(name):
            is_inside = True
        elif not is_inside or not name.startswith(_LIBRARIES):
            is_inside = False
            found.append(k)
    # A program may lie among the libraries.
    return found or own


def own_frames(stack: traceback.StackSummary) -> traceback.StackSummary:
    """The frames of `stack` that belong to the program, or to libraries that it calls."""
    kept = program_frames([frame.filename for frame in stack])
    return traceback.StackSummary.from_list([stack[k] for k in kept])


def _keep_own_frames(told: traceback.TracebackException) -> None:
    told.stack = own_frames(told.stack)
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other is not None:
            _keep_own_frames(other)


def _exit_message(code: object) -> pb.ProgramMessage:
    if code is None or code == 0:
        return leave_message(reason="the program exited", has_failed=False)
    return leave_message(reason=f"the program exited with {code!r}")
