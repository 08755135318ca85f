"""Taking part in the step with the code of this process: a user program without a file."""

import threading
from queue import SimpleQueue
from typing import NoReturn

import grpc

from autosim.client.link.mirror import Mirror
from autosim.model.state import State
from autosim.userprogram.ipc.channel import ChannelClosedError
from autosim.userprogram.ipc.program_messages import leave_message
from autosim.userprogram.session.program_session import Session
from autosim.userprogram.session.session_context import SessionContext
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub

LEAVE_SECONDS = 5.0
"""Longest time [s] to wait for a server's goodbye, on a busy machine."""


class Participation:
    """A part in the step: what its session sets counts, and the step waits for its waits.

    The session raises `ProgramStopped` when the server is lost or drops it, and once this is
    closed. At the end the robots that it has driven brake.

    Args:
        mirror: connected to the server.
    """

    def __init__(self, mirror: Mirror) -> None:
        state = State(mirror.tree)
        self._channel = _StreamChannel(mirror.connection.stub, state)
        self._session = Session(
            SessionContext(
                tree=mirror.tree,
                memory=state.buffer,
                channel=self._channel,
                step_seconds=mirror.step_seconds,
                load_navigation_map=_no_place,
            )
        )

    def attach(self, *, program: str, robot: str) -> Session:
        """Takes part from now on; waits while the simulation stands still.

        Args:
            program: its name in messages.
            robot: the robot that it is for.

        Raises:
            DeviceError: the simulation refuses it.
            ProgramStopped: the server is lost.
        """
        self._session.attach(program=program, robot=robot)
        return self._session

    def close(self) -> None:
        """Leaves; also from another thread, while the session waits."""
        self._channel.close()

    def __enter__(self) -> "Participation":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _StreamChannel:
    """The program's end of a channel over the network; the state that comes along is taken."""

    def __init__(self, stub: SimulatorStub, state: State) -> None:
        self._state = state
        self._outgoing: SimpleQueue[pb.ProgramMessage | None] = SimpleQueue()
        self._answers = stub.Participate(iter(self._outgoing.get, None))
        self._is_over = threading.Event()
        self._answers.add_callback(self._is_over.set)

    def send(self, message: pb.ProgramMessage) -> None:
        """Sends `message`."""
        self._outgoing.put(message)

    def receive(self, timeout: float | None = None) -> pb.ServerMessage:
        """The next message; a session waits for it without a timeout."""
        try:
            answer = next(self._answers)
        except (StopIteration, grpc.RpcError) as error:
            raise ChannelClosedError("the other end is gone") from error
        if answer.WhichOneof("kind") == "turn_started":
            self._state.from_bitstream(answer.turn_started.state, digest=self._state.tree.digest)
        return answer

    def close(self) -> None:
        """Leaves."""
        self.send(leave_message(reason="ended by its client", has_failed=False))
        self._outgoing.put(None)
        self._is_over.wait(LEAVE_SECONDS)
        self._answers.cancel()


def _no_place() -> NoReturn:
    raise FileNotFoundError("who drives by hand needs no map")
