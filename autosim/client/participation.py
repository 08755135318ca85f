"""Taking part in the step with the code of this process: a user program without a file."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, NoReturn

import grpc

from autosim.client.mirror import Mirror
from autosim.simulation.state import State
from autosim.userprogram.channel import ChannelClosedError
from autosim.userprogram.messages import leave_message
from autosim.userprogram.session import Session, Surroundings
from autosim.v1.autosim_pb2_grpc import SimulatorStub

LEAVE_SECONDS = 1.0
"""How long a server may take to let go; one that is paused does not listen."""


@contextmanager
def participate(mirror: Mirror, *, program: str, robot: str) -> Iterator[Session]:
    """A session that is attached: what it sets counts, and the step waits for its waits.

    Inside, a session raises `ProgramStopped` when the server is lost or drops it. At the end the
    robots that it has driven brake.

    Args:
        mirror: connected to the server.
        program: a name for people.
        robot: the robot that it is for.

    Raises:
        DeviceError: the simulation refuses it.
        ProgramStopped: the server is lost.
    """
    state = State(mirror.tree)
    channel = _StreamChannel(mirror.connection.stub, state)
    session = Session(
        Surroundings(
            tree=mirror.tree,
            memory=state.buffer,
            channel=channel,
            step_seconds=mirror.step_seconds,
            load_place=_no_place,
        )
    )
    try:
        session.attach(program=program, robot=robot)
        yield session
    finally:
        channel.close()


class _StreamChannel:
    """The program's end of a channel over the network; the state that comes along is taken."""

    def __init__(self, stub: SimulatorStub, state: State) -> None:
        self._state = state
        self._outgoing: SimpleQueue[Any] = SimpleQueue()
        self._answers: Any = stub.Participate(iter(self._outgoing.get, None))
        self._is_over = threading.Event()
        self._answers.add_callback(self._is_over.set)

    def send(self, message: Any) -> None:
        """Sends `message`."""
        self._outgoing.put(message)

    def receive(self, timeout: float | None = None) -> Any:
        """The next message; a session waits for it without a timeout."""
        try:
            answer = next(self._answers)
        except (StopIteration, grpc.RpcError) as error:
            raise ChannelClosedError("the other end is gone") from error
        if answer.WhichOneof("kind") == "woken":
            self._state.from_bitstream(answer.woken.state, digest=self._state.tree.digest)
        return answer

    def close(self) -> None:
        """Leaves."""
        self.send(leave_message(reason="ended by its client", has_failed=False))
        self._outgoing.put(None)
        self._is_over.wait(LEAVE_SECONDS)
        self._answers.cancel()


def _no_place() -> NoReturn:
    raise FileNotFoundError("who drives by hand needs no map")
