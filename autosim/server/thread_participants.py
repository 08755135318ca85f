"""User programs in threads of the simulation's own process: the twin of `Participants`.

For tests and for use as a library. Programs run one at a time, in a fixed order, and give the
same bytes as in processes of their own. What threads cannot give: a limit on memory, a crash that
stops the program alone, and modules of their own (two programs share what they import).
"""

import ctypes
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from types import FrameType

from autosim.server.lockstep import Lockstep
from autosim.server.participants import require_robot
from autosim.simulation.commands import DeviceError
from autosim.simulation.notices import Notice
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.channel import QueueChannel
from autosim.userprogram.execution import own_frames, run_program
from autosim.userprogram.place import Place
from autosim.userprogram.session import ProgramStopped, Session, Surroundings


class ThreadParticipants(Lockstep):
    """The user programs of a simulation in one process (see `Lockstep`).

    Args:
        tree: laid out as the simulation's.
        memory: the live state that the simulation works on.
        step_seconds: of the simulation [s].
        load_place: gives the world's roads to programs that navigate.
        deadline: how long a program may take from one wait to the next [s of wall-clock time].
        start_deadline: how long it may take to come to its first wait [s].
        report: is told what people should know.
    """

    takes_turns = True

    def __init__(
        self,
        tree: SimulationTree,
        *,
        memory: memoryview,
        step_seconds: float,
        load_place: Callable[[], Place],
        report: Callable[[Notice], None],
        deadline: float = 2.0,
        start_deadline: float = 60.0,
    ) -> None:
        super().__init__(tree, deadline=deadline, start_deadline=start_deadline, report=report)
        self._memory = memory.toreadonly()
        self._step_seconds = step_seconds
        self._load_place = load_place

    def launch(self, program: Path, *, robot: str, arguments: Sequence[str] = ()) -> None:
        """Starts `program` in a thread of its own; it has its first turn in the next `barrier`.

        Args:
            program: the file. Its folder is put on `sys.path`.
            robot: the name of its robot: its `argv[0]`.
            arguments: the rest of its `argv`.

        Raises:
            DeviceError: UNKNOWN_ROBOT.
        """
        require_robot(self._tree, robot)
        ours, theirs = QueueChannel.pair()
        surroundings = Surroundings(
            tree=self._tree,
            memory=self._memory,
            channel=theirs,
            step_seconds=self._step_seconds,
            load_place=self._load_place,
        )
        thread = ProgramThread(
            Session(surroundings), ours, theirs, file=program, robot=robot, arguments=arguments
        )
        thread.start()
        self._admit(thread, name=str(program), robot=robot)


class ProgramThread:
    """A program in a thread: as `ProgramProcess`, as far as threads go."""

    def __init__(
        self,
        session: Session,
        channel: QueueChannel,
        program_channel: QueueChannel,
        *,
        file: Path,
        robot: str,
        arguments: Sequence[str],
    ) -> None:
        self.channel = channel
        self._session = session
        self._program_channel = program_channel
        self._file = file
        self._robot = robot
        self._arguments = arguments
        self._thread = threading.Thread(target=self._run, name=f"user program {file}", daemon=True)

    def start(self) -> None:
        """Starts the thread; it attaches and waits for its turn."""
        self._thread.start()

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
        """Where the program stands, "" when its thread has ended."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        if frame is None:
            return ""
        inner = takewhile(_is_inside_program, traceback.walk_stack(frame))
        stack = traceback.StackSummary.extract(reversed(list(inner)))
        return "".join(own_frames(stack).format())

    def _run(self) -> None:
        folder = str(self._file.absolute().parent)
        sys.path.insert(0, folder)
        try:
            self._session.attach(program=str(self._file), robot=self._robot)
            leave = run_program(
                self._session, file=self._file, robot=self._robot, arguments=self._arguments
            )
            self._program_channel.send(leave)
        except (ProgramStopped, DeviceError):
            self._program_channel.close()
        finally:
            sys.path.remove(folder)


def _is_inside_program(place: tuple[FrameType, int]) -> bool:
    """Whether a frame was called by `run_program`; walked from the innermost outwards."""
    return place[0].f_code is not run_program.__code__
