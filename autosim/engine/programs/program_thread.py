"""A user program in a thread of the simulation's process."""

import ctypes
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import FrameType

from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import HostQueueChannel, QueueChannel, SocketChannel
from autosim.userprogram.ipc.preparation import (
    PreparationClock,
    measure_compilations,
    measured,
)
from autosim.userprogram.process.execution import ProgramRefusedError, own_frames, run_program
from autosim.userprogram.process.layout_change import take_layout
from autosim.userprogram.session.navigation_map import NavigationMap
from autosim.userprogram.session.program_session import ProgramStopped, Session
from autosim.userprogram.session.session_context import SessionContext
from autosim.v1 import autosim_pb2 as pb


@dataclass(frozen=True, slots=True)
class ThreadSetting:
    """Shared data of all programs in threads.

    `memory` is the live state, read-only; `step_seconds` of the simulation [s];
    `load_navigation_map` gives the world's roads to programs that navigate.
    """

    tree: SimulationTree
    """Tree of the simulation, laid out."""
    memory: memoryview
    step_seconds: float
    load_navigation_map: Callable[[], NavigationMap]


class ProgramThread:
    """A program in a thread: as `ProgramProcess`, as far as threads go. Use `start`."""

    is_remote = False
    is_thread = True

    def __init__(
        self,
        session: Session,
        channel: HostQueueChannel,
        program_channel: QueueChannel,
        *,
        file: Path,
        robot: str,
        arguments: Sequence[str],
        clock: PreparationClock,
    ) -> None:
        self.channel: HostQueueChannel | SocketChannel[pb.ProgramMessage] = channel
        self._session = session
        self._program_channel = program_channel
        self._file = file
        self._robot = robot
        self._arguments = arguments
        self._clock = clock
        self._program_end: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name=f"user program {file}", daemon=True)

    @classmethod
    def start(
        cls,
        setting: ThreadSetting,
        *,
        file: Path,
        robot: str,
        arguments: Sequence[str],
        images: ImageMemory | None = None,
    ) -> "ProgramThread":
        """Starts a thread for `file`; it attaches and waits for its turn."""
        ours, theirs = QueueChannel.pair()
        clock = PreparationClock.create()
        context = SessionContext(
            tree=setting.tree,
            memory=setting.memory,
            channel=theirs,
            step_seconds=setting.step_seconds,
            load_navigation_map=setting.load_navigation_map,
            images=images,
            take_layout=lambda: take_layout(theirs),
            clock=clock,
        )
        session = Session(context)
        program = cls(
            session, ours, theirs, file=file, robot=robot, arguments=arguments, clock=clock
        )
        program._thread.start()
        return program

    def offer(self) -> tuple[int, ...]:
        """Continues over a socket, which another process may serve in place of this one.

        Returns:
            the open files with which the other process takes the program over (`KeptThread`).
        """
        if not isinstance(self.channel, SocketChannel):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.channel.continue_over(
                SocketChannel(theirs, pb.ServerMessage, takes_descriptors=True)
            )
            self.channel, self._program_end = SocketChannel(ours, pb.ProgramMessage), theirs
        return (self.channel.fileno(), self._clock.fd)

    def give_away(self) -> int:
        """Leaves the program to another process, after `offer`.

        Returns:
            the descriptor that hangs up when that process ends the program: then `end` it.
        """
        assert self._program_end is not None
        self.channel.close()
        return self._program_end.fileno()

    @property
    def prepared_seconds(self) -> float:
        """Time [s] that it has compiled kernels and read the world's roads."""
        return self._clock.seconds

    @property
    def starved_seconds(self) -> float:
        """Not known of a thread."""
        return 0.0

    def wait(self, timeout: float) -> bool:
        """Whether the thread has ended, at the latest `timeout` [s] from now."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def end(self) -> str:
        """Drops the program: its next call, or its next line of Python, ends the thread."""
        self._session.stop()
        self.channel.close()
        if self._thread.is_alive() and self._thread.ident is not None:
            # The only way to stop an endless loop; it cannot interrupt a call into C.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(ProgramStopped)
            )
        return "ended before its main returned"

    def end_with_stack(self) -> str:
        """Drops a program that hangs; returns where it stands."""
        stack = self.stack()
        self.end()
        return stack

    def stack(self) -> str:
        """Position of the program in its code, "" when its thread has ended."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        if frame is None:
            return ""
        inner = takewhile(_is_inside_program, traceback.walk_stack(frame))
        stack = traceback.StackSummary.extract(reversed(list(inner)))
        return "".join(own_frames(stack).format())

    def _run(self) -> None:
        folder = str(self._file.absolute().parent)
        sys.path.insert(0, folder)
        measure_compilations()
        try:
            with measured(self._clock):
                leave = run_program(
                    self._session, file=self._file, robot=self._robot, arguments=self._arguments
                )
            self._program_channel.send(leave)
        except (ProgramStopped, ProgramRefusedError):
            self._program_channel.close()
        finally:
            sys.path.remove(folder)


def _is_inside_program(place: tuple[FrameType, int]) -> bool:
    """Whether a frame was called by `run_program`; walked from the innermost outwards."""
    return place[0].f_code is not run_program.__code__
