"""The loop hears orders while programs compute, and changes nothing under them."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeVar

import pytest

from autosim.engine.step.run_monitor import RunFigures
from autosim.helper_processes.process_socket import ControlSocket
from autosim.model.phase import Phase
from autosim.orders.programs import GetPrograms, OrderProgram, ProgramAction
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.server.process.loop import SimulationLoop
from autosim.server.process.outbox import Outbox, OutboxWriter
from autosim.server.process.process_messages import (
    AttachRemoteProgram,
    Done,
    GetFigures,
    Pause,
    PhaseChanged,
    QueryResult,
    Request,
    Run,
    Stop,
)
from autosim.server.server_errors import ServerError
from autosim.userprogram.ipc.channel import ChannelError, SocketChannel
from autosim.userprogram.ipc.program_messages import attach_message, wait_messages
from autosim.v1 import autosim_pb2 as pb
from tests.server.light_simulation import LightSimulation, light_world

pytestmark = pytest.mark.timeout(60)

MessageT = TypeVar("MessageT")


class Rig:
    """The front's end of a loop that runs in a thread, over a simulation of two robots."""

    def __init__(self) -> None:
        self.simulation = LightSimulation(light_world(2))
        self._outbox = Outbox.create(self.simulation.tree.stop)
        self._bell = os.eventfd(0)
        self.front, self._theirs = ControlSocket.pair()
        self.front.set_timeout(30.0)
        writer = OutboxWriter(self._outbox, self._bell)
        loop = SimulationLoop(self.simulation, control=self._theirs, outbox=writer)
        self.thread = threading.Thread(target=loop.run)
        self.thread.start()
        self.expect(PhaseChanged)

    def expect(self, kind: type[MessageT]) -> MessageT:
        """The next message of that kind."""
        while True:
            message, _ = self.front.receive()
            if isinstance(message, kind):
                return message

    def done(self, number: int) -> None:
        """Waits until that request is done."""
        while self.expect(Done).number != number:
            pass

    def program(self) -> SocketChannel:
        """The end of a program that has just been woken, and computes."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.front.send(AttachRemoteProgram("peer", (320, 240)), (theirs.fileno(),))
        channel = SocketChannel(ours, pb.ServerMessage)
        channel.send(attach_message("remote.py", "r0", self.simulation.tree.digest))
        assert channel.receive(30.0).WhichOneof("kind") == "turn_started"
        return channel

    def close(self) -> None:
        """Ends the loop, if it still runs."""
        if self.thread.is_alive():
            self.front.send(Request(99, Stop()))
        self.thread.join(30.0)
        self.simulation.close()
        self.front.close()
        self._theirs.close()
        self._outbox.close()
        os.close(self._bell)


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.close()


def wait(channel: SocketChannel, until: int) -> None:
    for message in wait_messages([], until):
        channel.send(message)


def test_a_computing_program_is_seen_paused_under_and_ended(rig: Rig) -> None:
    rig.front.send(Request(1, Run()))
    program = rig.program()
    rig.front.send(Request(2, GetPrograms()))
    (report,) = rig.expect(QueryResult).answer
    assert report.turns.has_turn
    rig.front.send(Request(3, Pause()))
    assert rig.expect(PhaseChanged).phase is Phase.PAUSED
    rig.done(3)
    rig.front.send(Request(4, OrderProgram(ProgramAction.STOP, "r0")))
    answer = rig.expect(QueryResult)
    assert (answer.number, answer.answer) == (4, ())
    assert program.receive(30.0).dismissed.reason == "was stopped"
    program.close()


def test_an_order_for_another_process_is_refused(rig: Rig) -> None:
    rig.front.send(Request(1, AddRobot("robots/scout.xml", "scout")))
    refused = rig.expect(QueryResult)
    assert refused.number == 1
    assert isinstance(refused.answer, ServerError)
    assert str(refused.answer) == "a simulation process does not carry out AddRobot"


def test_the_loop_ends_while_a_program_computes(rig: Rig) -> None:
    rig.front.send(Request(1, Run()))
    program = rig.program()
    rig.front.send(Request(2, Stop()))
    rig.done(2)
    rig.thread.join(30.0)
    assert not rig.thread.is_alive()
    program.close()


def test_orders_are_heard_while_a_program_talks_without_end(rig: Rig) -> None:
    def talk() -> None:
        with suppress(ChannelError):
            while True:
                program.send(pb.ProgramMessage(wait=pb.Wait()))

    rig.front.send(Request(1, Run()))
    program = rig.program()
    talker = threading.Thread(target=talk)
    talker.start()
    rig.front.send(Request(2, Stop()))
    rig.done(2)
    rig.thread.join(30.0)
    rig.simulation.close()
    talker.join(30.0)
    program.close()


def test_no_robot_is_moved_under_a_program_that_computes(rig: Rig) -> None:
    rig.front.send(Request(1, Run()))
    program = rig.program()
    rig.front.send(Request(2, Pause()))
    rig.done(2)
    before = rig.simulation.state.to_bitstream()
    rig.front.send(Request(3, MoveRobot("r1", (7.0, 8.0))))
    rig.front.send(Request(4, GetFigures()))
    rig.expect(QueryResult)
    assert rig.simulation.state.to_bitstream() == before
    wait(program, 10**6)
    rig.done(3)
    assert rig.simulation.state.to_bitstream() != before
    program.close()


def test_a_run_of_some_steps_ends_when_programs_have_had_their_turns(rig: Rig) -> None:
    rig.front.send(Request(1, Run(real_time_factor=0.0)))
    program = rig.program()
    rig.front.send(Request(2, Pause()))
    rig.done(2)
    wait(program, rig.simulation.state.step + 1)
    rig.front.send(Request(3, Run(steps=1, real_time_factor=0.0, is_awaited=True)))
    assert program.receive(30.0).turn_started.step == rig.simulation.state.step
    rig.front.send(Request(4, GetFigures()))
    answer = rig.expect(QueryResult)
    assert isinstance(answer.answer, RunFigures)
    wait(program, 10**6)
    rig.done(3)
    assert rig.simulation.state.step == answer.answer.steps
    program.close()
