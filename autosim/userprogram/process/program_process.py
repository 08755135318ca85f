"""A user program in its own process, from its host's side: starting, ending, inspecting."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from autosim.access.variables import TOKENS
from autosim.helper_processes.fork_server import ModuleProcess
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import ChannelError, SocketChannel
from autosim.userprogram.ipc.preparation import PreparationClock
from autosim.userprogram.ipc.program_messages import snapshot_message
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.execution import program_frames
from autosim.userprogram.process.layout_change import readable_file, send_layout
from autosim.userprogram.process.process_cleanup import kill_marked
from autosim.userprogram.process.program_copy import CopyGoneError, ProgramCopy, WokenProgram
from autosim.userprogram.process.sandbox import sandbox_command
from autosim.v1 import autosim_pb2 as pb

RUNNER = "autosim.userprogram.process.runner"
_MARK = "AUTOSIM_PROGRAM"
_STACK_SECONDS = 0.3
"""Time [s] for a hanging program to write its stack before it is killed."""

_END_SECONDS = 1.0
"""Time [s] to wait for a killed process to end; it ends later if the kernel holds it."""

_STACK_BYTES = 30_000
"""Number of bytes that are read of a stack: some 300 frames."""

_FRAME = '  File "'
"""Beginning of a line of faulthandler that names a frame; the name of its file follows."""


@dataclass(frozen=True, slots=True)
class HandedProcess:
    """The data with which another host takes over a running program, in addition to its open files.

    `pid`, `mark` and `is_sandboxed` are those of the process that was started; `is_woken`: it has
    gone back to a snapshot since, and its tie is the last of the files.
    """

    pid: int
    mark: str
    is_sandboxed: bool
    is_woken: bool


class ProgramProcess:
    """A running program: its process group, its channel, and how it ended.

    Use `start`. The thread that starts it must live as long as the program: the program ends
    with it. A program that has gone back to a snapshot ends with this process.

    `pid`: of the process that was started, which leads its own group. `copies_end_with_it`: its
    copies at snapshots end with that process, as everything in a sandbox does.
    """

    is_remote = False
    is_thread = False

    def __init__(
        self,
        process: "subprocess.Popen[bytes] | None",
        channel: SocketChannel[pb.ProgramMessage],
        stack_fd: int,
        mark: str,
        *,
        pid: int,
        pidfd: int,
        clock: PreparationClock,
        is_sandboxed: bool = False,
    ) -> None:
        self._process, self._starter = process, os.getpid()
        self._woken: WokenProgram | None = None
        self.pid, self._pidfd = pid, pidfd
        self._stack_fd = stack_fd
        self._mark = mark
        self._clock = clock
        self.copies_end_with_it = is_sandboxed
        self._stack = ""
        self._ended = ""
        self.channel = channel

    @classmethod
    def start(
        cls,
        assignment: Assignment,
        *,
        state: SharedState,
        images: ImageMemory | None = None,
        output: tuple[int, int] | None = None,
    ) -> "ProgramProcess":
        """Starts the process; the program attaches over `channel` when it is ready.

        Args:
            assignment: what to run.
            state: the program reads its live state in place.
            images: where pictures come in; on clients.
            output: the descriptors to which it prints, for output and error output; they stay the
                caller's. None: it prints where this process does.

        Raises:
            SandboxError: it is to run in a sandbox, and there is none.
            OSError: the system allows no more processes or open files. Nothing is left open.
        """
        lock = sandbox_command(Path(assignment.program)) if assignment.is_sandboxed else []
        with ExitStack() as theirs, ExitStack() as ours:
            our_socket, their_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.enter_context(our_socket)
            theirs.enter_context(their_socket)
            stack_fd = os.memfd_create("autosim-stack", os.MFD_CLOEXEC)
            ours.callback(os.close, stack_fd)
            clock = PreparationClock.create()
            told_fd = readable_file(assignment.to_bytes())
            theirs.callback(os.close, told_fd)
            descriptors = [their_socket.fileno(), state.fd, told_fd, stack_fd, clock.fd]
            if images is not None:
                descriptors.append(images.fd)
            mark = f"{_MARK}={uuid4()}"
            command = [*lock, sys.executable, "-P", "-m", RUNNER, *map(str, descriptors)]
            process = ModuleProcess(
                command,
                pass_fds=descriptors,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output[0] if output is not None else None,
                stderr=output[1] if output is not None else None,
                env=_environment() | dict([mark.split("=")]),
            )
            ours.callback(_abandon, process)
            program = cls(
                process,
                SocketChannel(our_socket, pb.ProgramMessage),
                stack_fd,
                mark,
                pid=process.pid,
                pidfd=os.pidfd_open(process.pid),
                clock=clock,
                is_sandboxed=assignment.is_sandboxed,
            )
            ours.pop_all()
        return program

    @classmethod
    def taken_over(cls, handed: HandedProcess, descriptors: Sequence[int]) -> "ProgramProcess":
        """A program that another process has started and `handed` over with these open files.

        How it exits is known only where it has gone back to a snapshot.
        """
        channel_fd, pidfd, stack_fd, clock_fd, *tie = descriptors
        connection = socket.socket(fileno=channel_fd)
        program = cls(
            None,
            SocketChannel(connection, pb.ProgramMessage),
            stack_fd,
            handed.mark,
            pid=handed.pid,
            pidfd=pidfd,
            clock=PreparationClock.open(clock_fd),
            is_sandboxed=handed.is_sandboxed,
        )
        if handed.is_woken:
            program._woken = WokenProgram(pidfd, connection, socket.socket(fileno=tie[0]))
        return program

    @property
    def handed(self) -> HandedProcess:
        """The data with which another host takes it over."""
        return HandedProcess(self.pid, self._mark, self.copies_end_with_it, self._woken is not None)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Its open files here, as `taken_over` wants them."""
        tie = () if self._woken is None else (self._woken.tie.fileno(),)
        return (self.channel.fileno(), self._pidfd, self._stack_fd, self._clock.fd, *tie)

    @property
    def is_child(self) -> bool:
        """Whether it is a child of this process, and ends with it."""
        is_started_here = self._process is not None and os.getpid() == self._starter
        return is_started_here and self._woken is None

    def change_layout(
        self, assignment: Assignment, state: SharedState, images: ImageMemory | None
    ) -> None:
        """Has the program read another state from its next turn on; its tree is in `assignment`.

        Raises:
            ChannelError: the program is gone, or does not listen.
        """
        send_layout(self.channel, assignment, state, images)

    @property
    def prepared_seconds(self) -> float:
        """Time [s] that it has imported and compiled: see `PreparationClock`."""
        return self._clock.seconds

    @property
    def starved_seconds(self) -> float:
        """Time [s] for which it was ready to run and the machine ran others; 0: not known."""
        try:
            pid = _pid_of(self._pidfd)
            # Of its main thread: time on a processor [ns], time waiting for one [ns], times run.
            return 1e-9 * int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return 0.0

    def keep(self, name: str) -> ProgramCopy | None:
        """Has the program make a copy of itself that sleeps at this moment.

        Args:
            name: of the snapshot.

        Returns:
            the copy, of which `await_asleep` tells whether there is one; None: the program is gone.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self.channel.send(snapshot_message(name), (theirs.fileno(),))
            except ChannelError:
                ours.close()
                return None
        return ProgramCopy(ours)

    def go_back(self, copy: ProgramCopy) -> None:
        """Kills the process, and continues with one that wakes up from a copy.

        Raises:
            CopyGoneError: no process wakes up; then the program has ended.
        """
        if not self._ended:
            self._kill()
            kill_marked(self._mark)
            self._close()
        self.go_on_with(copy)

    def let_go(self) -> None:
        """Closes the channel and the pidfd in a process that only sleeps, until `go_on_with`."""
        self._close()

    def forget(self) -> None:
        """Closes all of it in a process that neither talks to the program nor ends it."""
        if not self._ended:
            self._close()
            os.close(self._stack_fd)
            self._clock.close()
            self._ended = "has ended since"

    def go_on_with(self, copy: ProgramCopy) -> None:
        """Continues with the process that wakes up from a copy, after `let_go`.

        Raises:
            CopyGoneError: no process wakes up; then the program has ended.
        """
        try:
            woken = copy.wake()
        except CopyGoneError:
            os.close(self._stack_fd)
            self._clock.close()
            self._ended = "has ended since the snapshot was made, and its copy with it"
            raise
        self._woken, self._pidfd, self._ended, self._stack = woken, woken.pidfd, "", ""
        # Where the program has crashed since, its stack lies there.
        self._clock.reset()
        os.ftruncate(self._stack_fd, 0)
        os.lseek(self._stack_fd, 0, os.SEEK_SET)
        self.channel = SocketChannel(woken.channel, pb.ProgramMessage)

    def wait(self, timeout: float) -> bool:
        """Whether the process has ended, at the latest `timeout` [s] from now."""
        if self._ended:
            return True
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(timeout * 1000))

    def end(self) -> str:
        """Kills the process and all that it started; says how it ended, by itself or so.

        What it started in sessions of its own is known by a mark in the environment.
        """
        if not self._ended:
            self._ended = _description(self._kill())
            kill_marked(self._mark)
            self._stack = _read_stack(self._stack_fd)
            self._close()
            os.close(self._stack_fd)
            self._clock.close()
        return self._ended

    def _kill(self) -> int | None:
        """Kills it; its exit code, None where this process cannot know it."""
        self._send_signal(signal.SIGKILL)
        self.wait(_END_SECONDS)
        code = None if self._woken is None else self._woken.exit_code()
        process = self._process if os.getpid() == self._starter else None
        if process is not None and process.returncode is None:
            # The group is killed before its leader is reaped: until then no other process can get
            # its number.
            os.killpg(process.pid, signal.SIGKILL)
            started = process.wait()
            code = started if self._woken is None else code
        return code

    def _send_signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    def _close(self) -> None:
        self.channel.close()
        os.close(self._pidfd)
        if self._woken is not None:
            self._woken.tie.close()
            self._woken = None

    def end_with_stack(self) -> str:
        """Ends a process that hangs; returns the program's stack, "" where it could not be got."""
        if not self.wait(0.0):
            self._send_signal(signal.SIGUSR1)
            self.wait(_STACK_SECONDS)
        self.end()
        return self._stack

    def stack(self) -> str:
        """Position of the program when it crashed, once it has ended; "" where it did not."""
        return self._stack


def _environment() -> dict[str, str]:
    """This process's own, without the tokens that open servers."""
    return {name: value for name, value in os.environ.items() if name not in TOKENS}


def _abandon(process: "subprocess.Popen[bytes]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _pid_of(pidfd: int) -> int:
    """The process of a pidfd, which may have been opened where processes have other numbers."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def _description(code: int | None) -> str:
    if code is None:
        return "ended before its main returned"
    if code >= 0:
        return f"ended with exit code {code} before its main returned"
    names = {each.value: each.name for each in signal.Signals}
    return f"killed by {names.get(-code, f'signal {-code}')}"


def _read_stack(fd: int) -> str:
    """The lines of the program itself in the output of faulthandler."""
    lines = os.pread(fd, _STACK_BYTES, 0).decode("utf-8", "replace").splitlines()
    lines = [line for line in lines if not line.startswith("Extension modules:")]
    # faulthandler writes the newest frame first.
    frames = [k for k, line in enumerate(lines) if line.startswith(_FRAME)][::-1]
    kept = program_frames([lines[k].removeprefix(_FRAME) for k in frames])
    dropped = set(frames) - {frames[k] for k in kept}
    return "\n".join(line for k, line in enumerate(lines) if k not in dropped)
