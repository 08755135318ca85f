"""Running a user program's `main`, in a process or in a thread, and saying how it ended."""

import os
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from autosim.errors import UserError
from autosim.simulation import commands
from autosim.userprogram.api import active
from autosim.userprogram.messages import leave_message
from autosim.userprogram.program_file import ProgramError, load_main
from autosim.userprogram.session import ProgramStopped, Session

_MACHINERY = (str(Path(__file__).parent) + os.sep, commands.__file__, "<frozen runpy>")
"""Where frames begin that tell a user nothing about a program."""


def run_program(
    session: Session,
    *,
    file: Path,
    robot: str,
    arguments: Sequence[str],
    is_process_wide: bool = False,
    before_report: Callable[[], None] = lambda: None,
) -> Any:
    """Loads `file` and calls its `main([robot, *arguments])`.

    `is_process_wide`: the process is the program's alone, so that threads that it starts belong
    to it too. `before_report` is called before a failure is put into words.

    Returns:
        the Leave message that tells how it ended; whatever the program raises is in there.

    Raises:
        ProgramStopped: the simulation is over; there is nobody to tell.
    """
    try:
        with active(session, is_process_wide=is_process_wide):
            main = load_main(file, module=f"userprogram_{robot}", arguments=len(arguments))
            main([robot, *arguments])
            session.finish()
    except ProgramStopped:
        raise
    except (ProgramError, UserError) as error:
        # What a user can do something about is a sentence, not a traceback.
        return leave_message(reason=str(error))
    except SystemExit as error:
        return _exit_message(error.code)
    except BaseException as error:
        before_report()
        return leave_message(reason=one_line(error), traceback=program_traceback(error))
    return leave_message(reason="main returned", has_failed=False)


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


def is_program_frame(filename: str) -> bool:
    """Whether a frame of that file is the program's own, or of what it uses."""
    return not filename.startswith(_MACHINERY)


def own_frames(stack: traceback.StackSummary) -> traceback.StackSummary:
    """The frames of `stack` that are the program's own, or of what it uses."""
    return traceback.StackSummary.from_list(
        [frame for frame in stack if is_program_frame(frame.filename)]
    )


def _keep_own_frames(told: traceback.TracebackException) -> None:
    told.stack = own_frames(told.stack)
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other is not None:
            _keep_own_frames(other)


def _exit_message(code: Any) -> Any:
    if code is None or code == 0:
        return leave_message(reason="the program exited", has_failed=False)
    return leave_message(reason=f"the program exited with {code!r}")
