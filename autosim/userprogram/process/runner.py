"""The process of one user program: `python -m autosim.userprogram.process.runner FD…`.

`ProgramProcess` alone starts it, with the file descriptors of its channel, the state, its
assignment, the file for its stack, the clock of its preparations, and, where there are cameras, the
memory for pictures.
"""

import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from autosim.terminal_text import for_terminal
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.channel import ChannelError, ProgramChannel, SocketChannel
from autosim.userprogram.ipc.preparation import (
    PreparationClock,
    measure_imports,
    measured,
)
from autosim.userprogram.process import confinement
from autosim.userprogram.process.execution import (
    ProgramRefusedError,
    program_traceback,
    run_program,
)
from autosim.userprogram.process.layout_change import open_layout, take_layout
from autosim.userprogram.process.process_cleanup import kill_with_parent
from autosim.userprogram.session.navigation_map_file import load_navigation_map
from autosim.userprogram.session.program_memory import ProgramMemory
from autosim.userprogram.session.program_session import ProgramStopped, Session
from autosim.userprogram.session.session_context import SessionContext
from autosim.v1 import autosim_pb2 as pb


def main(descriptors: list[int]) -> int:
    """Runs the program; returns the exit code of the process."""
    kill_with_parent(signal.SIGKILL)
    channel_fd, state_fd, assignment_fd, stack_fd, clock_fd, *image_fds = descriptors
    for fd in descriptors:
        os.set_inheritable(fd, False)
    with open(assignment_fd, "rb") as file:
        assignment = Assignment.from_bytes(file.read())
    channel = SocketChannel(
        socket.socket(fileno=channel_fd), pb.ServerMessage, takes_descriptors=True
    )
    clock = PreparationClock.open(clock_fd)
    session = Session(_context(assignment, channel, state_fd, image_fds, clock))
    confinement.report_crashes(open(stack_fd, "w"))  # noqa: SIM115 - for the life of the process
    _unbuffer_output()
    try:
        measure_imports()
        with measured(clock):
            leave = _run(session, assignment)
        _send_or_print(leave, channel)
    except (ProgramStopped, ChannelError):
        return 1
    except ProgramRefusedError as error:
        print(for_terminal(f"{assignment.program}: error: {error}"), file=sys.stderr)
        return 1
    return int(leave.leave.has_failed)


def _context(
    assignment: Assignment,
    channel: SocketChannel[pb.ServerMessage],
    state_fd: int,
    image_fds: list[int],
    clock: PreparationClock,
) -> SessionContext:
    layout = open_layout(assignment, state_fd, image_fds)
    return SessionContext(
        tree=layout.tree,
        memory=layout.memory,
        channel=channel,
        step_seconds=assignment.step_seconds,
        load_navigation_map=lambda: load_navigation_map(assignment.world_file),
        images=layout.images,
        memory_of_program=ProgramMemory(
            channel, end_with_parent=lambda: kill_with_parent(signal.SIGKILL)
        ),
        take_layout=lambda: take_layout(channel),
        clock=clock,
    )


def _run(session: Session, assignment: Assignment) -> pb.ProgramMessage:
    """Runs the program under its limits; returns its Leave."""
    file = Path(assignment.program)
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file), *assignment.arguments]
    confinement.limit_resources(assignment.memory_bytes)
    threading.excepthook = _report_thread
    leave = run_program(
        session,
        file=file,
        robot=assignment.robot,
        arguments=assignment.arguments,
        is_process_wide=True,
        before_report=confinement.release_reserve,
    )
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the program may have closed or replaced it
            stream.flush()
    return leave


def _send_or_print(leave: pb.ProgramMessage, channel: ProgramChannel) -> None:
    """Tells how the program ended; here, where the simulation is over and `stop` has failed."""
    try:
        channel.send(leave)
    except ChannelError:
        print(for_terminal(leave.leave.traceback), end="", file=sys.stderr)


def _report_thread(end: threading.ExceptHookArgs) -> None:
    """The failure of a program's thread; the end of the simulation is not one."""
    if end.exc_value is not None and not isinstance(end.exc_value, ProgramStopped):
        print(for_terminal(program_traceback(end.exc_value)), end="", file=sys.stderr)


def _unbuffer_output() -> None:
    """Makes output of the program appear at once, so that it survives a kill."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True)


if __name__ == "__main__":
    sys.exit(main([int(each) for each in sys.argv[1:]]))
