"""What the simulation takes from peers whose messages it does not control."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.participant import Participant
from autosim.engine.programs.process_participants import ProcessParticipants
from autosim.model.commands import Command, DeviceErrorCode
from autosim.userprogram.ipc.camera_images import PictureRequest
from autosim.userprogram.ipc.channel import ChannelTimeoutError
from autosim.userprogram.ipc.program_messages import (
    client_drawing,
    image_request,
    leave_message,
)
from autosim.v1 import autosim_pb2 as pb
from tests.server.peers import Peer
from tests.userprogram.rig import Toy, closing, hear_out

DRIVE = "alpha.chassis.drive"


def drive(value: float) -> Command:
    return Command(DRIVE, np.array([0.0, value, 0.0]).tobytes())


@pytest.fixture
def toy() -> Toy:
    return Toy.new()


@pytest.fixture
def participants(toy: Toy) -> Iterator[ProcessParticipants]:
    participants = toy.processes(Deadlines(turn=0.5, start=0.5))
    with closing(participants):
        yield participants


@pytest.fixture
def join(toy: Toy, participants: ProcessParticipants) -> Iterator[Callable[..., Peer]]:
    peers: list[Peer] = []

    def one_more(name: str = "peer") -> Peer:
        peers.append(Peer(toy, participants, name))
        return peers[-1]

    yield one_more
    for peer in peers:
        peer.channel.close()


def test_a_remote_program_takes_part(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer]
):
    peer = join()
    peer.attach()
    peer.wait(3, drive(0.25))
    peer.wait(5, drive(0.5))
    peer.channel.send(leave_message(reason="main returned", has_failed=False))
    toy.run(participants, 6)
    assert [step for step, _ in toy.log] == [0, 3]
    ((step, program_exit),) = toy.program_exits
    assert (step, program_exit.program, program_exit.robot) == (5, "remote.py (peer)", "alpha")
    assert not program_exit.has_failed
    participants.close()
    assert [each.turn_started.step for each in peer.answers()] == [0, 3, 5]


def test_commands_come_in_the_order_of_the_robots_however_peers_came(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer]
):
    for robot in ("beta", "alpha"):
        peer = join()
        peer.attach(robot)
        peer.wait(10, *[Command(f"{robot}.chassis.drive", bytes(24))] * 2)
    toy.run(participants, 1)
    assert [each.device[:5] for _, each in toy.log] == ["alpha", "alpha", "beta.", "beta."]


def test_a_robot_obeys_the_first_program_that_drives_it_until_that_leaves(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer]
):
    first = join("first")
    first.attach()
    first.wait(2, drive(0.25))
    first.channel.send(leave_message(reason="main returned", has_failed=False))
    second, third = join("second"), join("third")
    second.attach()
    second.wait(2)
    second.wait(10, drive(0.5))
    third.attach("beta")
    third.wait(10, Command("beta.chassis.drive", bytes(24)), drive(0.75))
    toy.run(participants, 4)
    assert [np.frombuffer(each.data)[1] for _, each in toy.log] == [0.25, 0.5]
    (expelled,) = [each for _, each in toy.program_exits if each.has_failed]
    assert expelled.program == "remote.py (third)"
    assert "robot 'alpha' is driven by the program 'remote.py (first)'" in expelled.reason
    assert {each.program: each.driven for _, each in toy.program_exits} == {
        "remote.py (first)": ("alpha",),
        "remote.py (third)": ("beta",),
    }
    refused = list(third.answers())[-1].refused
    assert refused.code == DeviceErrorCode.INVALID_OPERATION
    assert refused.reason == expelled.reason


@pytest.mark.parametrize("has_failed", [False, True])
def test_a_program_that_only_looked_on_leaves_no_robot_alone(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer], has_failed: bool
):
    driver, observer = join("driver"), join("observer")
    driver.attach()
    driver.wait(10, drive(0.25))
    observer.attach()
    observer.wait(2)
    observer.channel.send(leave_message(reason="done", has_failed=has_failed))
    toy.run(participants, 4)
    (left,) = [each for _, each in toy.program_exits]
    assert (left.robot, left.has_failed, left.driven) == ("alpha", has_failed, ())


def test_a_peer_that_goes_while_it_waits_is_missed_before_it_is_due(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer]
):
    lost, polite, rude, good = (join(name) for name in ("lost", "polite", "rude", "good"))
    for peer in (lost, polite, rude, good):
        peer.attach()
        peer.wait(100_000)
    toy.run(participants, 1)
    lost.channel.close()
    polite.channel.send(leave_message(reason="had enough", has_failed=False))
    rude.wait(7)
    toy.run(participants, 30)
    assert {each.reason: each.has_failed for _, each in toy.program_exits} == {
        "the connection to lost was lost": True,
        "had enough": False,
        "the program sent 'wait' when that was not its turn": True,
    }
    assert participants.robots == ("alpha",)


@pytest.mark.parametrize(
    "command",
    [
        Command("gamma.chassis.drive", bytes(24)),
        Command("alpha.chassis.nothing", bytes(24)),
        Command("alpha.chassis.psd0", bytes(8)),
        Command(DRIVE, bytes(16)),
        Command(DRIVE, np.array([np.nan, 0.0, 0.0]).tobytes()),
        Command("", b""),
    ],
)
def test_a_bad_command_is_left_out_and_reported(
    toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer], command: Command
):
    peer = join()
    peer.attach()
    peer.wait(10, drive(0.25), command, drive(0.5))
    toy.run(participants, 2)
    assert [np.frombuffer(each.data)[1] for _, each in toy.log] == [0.25, 0.5]
    assert not toy.program_exits
    (notice,) = toy.notices
    assert (notice.level, notice.source) == ("warning", "remote.py (peer)")
    assert "command refused" in notice.text


@pytest.mark.parametrize(
    ("robot", "digest", "reason"),
    [
        ("gamma", None, "no robot 'gamma'"),
        ("alpha.chassis", None, "no robot 'alpha.chassis'"),
        ("alpha", "f00", "layout f00"),
    ],
)
def test_who_does_not_fit_is_refused(
    toy: Toy,
    participants: ProcessParticipants,
    join: Callable[..., Peer],
    robot: str,
    digest: str | None,
    reason: str,
):
    peer = join()
    peer.attach(robot, digest)
    toy.run(participants, 2)
    assert reason in toy.program_exits[0][1].reason
    (answer,) = peer.answers()
    assert reason in answer.refused.reason


def test_images_are_refused(toy: Toy, participants: ProcessParticipants, join: Callable[..., Peer]):
    peer = join()
    peer.attach()
    peer.channel.send(image_request([PictureRequest("alpha.chassis.view", "rgb")]))
    peer.wait(10)
    toy.run(participants, 1)
    participants.close()
    woken, refused = peer.answers()
    assert woken.WhichOneof("kind") == "turn_started"
    assert refused.refused.code == DeviceErrorCode.INVALID_OPERATION
    assert "no renderer is available" in refused.refused.reason


def says_nothing(peer: Peer) -> None:
    pass


def hangs_up(peer: Peer) -> None:
    peer.channel.close()


def sends_junk(peer: Peer) -> None:
    peer.socket.send(b"\xff\xff\xff")


def sends_nothing_known(peer: Peer) -> None:
    peer.channel.send(pb.ProgramMessage(wait=pb.Wait(until_step=3)))


def waits_for_the_past(peer: Peer) -> None:
    peer.attach()
    peer.wait(-5)


def attaches_twice(peer: Peer) -> None:
    peer.attach()
    peer.attach()


def never_waits(peer: Peer) -> None:
    peer.attach()


def asks_for_pictures_without_end(peer: Peer) -> None:
    peer.attach()
    for _ in range(4):
        peer.channel.send(image_request([]))


def draws_without_end(peer: Peer) -> None:
    peer.attach()
    for _ in range(4):
        peer.channel.send(client_drawing(is_over=False))


def draws_too_long(peer: Peer) -> None:
    peer.attach()
    peer.wait(1)
    peer.channel.send(client_drawing(is_over=False))


def misses_a_wait(peer: Peer) -> None:
    peer.attach()
    peer.wait(1)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (says_nothing, "did not start within"),
        (hangs_up, "the connection to peer was lost"),
        (sends_junk, "a packet that is no ProgramMessage"),
        (sends_nothing_known, "sent 'wait' when that was not its turn"),
        (waits_for_the_past, "waits for step -5, which is past"),
        (attaches_twice, "sent 'attach' when that was not its turn"),
        (never_waits, "did not reach its first wait() within"),
        (asks_for_pictures_without_end, "asked for pictures more than 3 times in one turn"),
        (draws_without_end, "asked for pictures more than 3 times in one turn"),
        (draws_too_long, "did not reach its next wait() within 0.5 s"),
        (misses_a_wait, "did not reach its next wait() within 0.5 s"),
    ],
)
def test_a_peer_that_misbehaves_is_dropped_and_the_others_go_on(
    toy: Toy,
    participants: ProcessParticipants,
    join: Callable[..., Peer],
    act,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
):
    limits = replace(LIMITS, turn_picture_orders=3, client_drawing_seconds=0.2)
    monkeypatch.setattr("autosim.engine.programs.participant.LIMITS", limits)
    bad = join()
    act(bad)
    good = join("good")
    good.attach("beta")
    good.wait(5, drive(1.0))
    good.wait(1_000)
    toy.run(participants, 8)
    ((_, program_exit),) = toy.program_exits
    assert program_exit.has_failed
    assert reason in program_exit.reason
    assert participants.robots == ("beta",)
    assert len(toy.log) == 1


def test_a_robot_may_have_a_deadline_of_its_own_for_programs_elsewhere(toy: Toy):
    participants = toy.processes(Deadlines(turn=60.0, remote={"beta": 0.5}))
    with closing(participants):
        peers = [Peer(toy, participants) for _ in range(2)]
        for peer, robot, step in zip(peers, ("alpha", "beta"), (1_000, 1), strict=True):
            peer.attach(robot)
            peer.wait(step)
        toy.run(participants, 2)
        for peer in peers:
            peer.socket.close()
    ((_, program_exit),) = toy.program_exits
    assert program_exit.robot == "beta"
    assert program_exit.reason.startswith("did not reach its next wait() within 0.5 s (deadline=")


class Chatterbox:
    """A program that always has one more command before its wait."""

    def __init__(self) -> None:
        self.channel = self
        self.is_remote = False
        self.is_thread = False
        self.prepared_seconds = self.starved_seconds = 0.0
        self.has_ended = False

    def receive(self, timeout: float | None = None) -> pb.ProgramMessage:
        return pb.ProgramMessage(wait=pb.Wait())

    def end_with_stack(self) -> str:
        self.has_ended = True
        return ""


@pytest.mark.timeout(30)
def test_a_peer_that_never_ends_its_turn_is_dropped(toy: Toy):
    program = Chatterbox()
    participant = Participant(
        0, program, "chatterbox", "alpha", start_deadline=0.0, deadline=0.0, has_attached=True
    )
    program_exit = hear_out(participant, toy)
    assert program_exit is not None
    assert "did not reach its first wait()" in program_exit.reason
    assert program.has_ended


class Latecomer:
    """A clock, and a program that reaches its first wait() three seconds after it was woken."""

    def __init__(self) -> None:
        self.channel = self
        self.is_remote = False
        self.is_thread = False
        self.prepared_seconds = self.starved_seconds = 0.0
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def send(self, message: pb.ServerMessage) -> None:
        self.woken_at = self.now

    def receive(self, timeout: float | None = None) -> pb.ProgramMessage:
        self.now += 1.0
        if self.now < self.woken_at + 3.0:
            raise ChannelTimeoutError
        return pb.ProgramMessage(wait=pb.Wait(until_step=2))


def test_who_comes_while_the_simulation_stands_still_has_its_time_to_start(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
):
    program = Latecomer()
    monkeypatch.setattr("autosim.engine.programs.participant.time", program)
    participant = Participant(
        0, program, "latecomer", "alpha", start_deadline=5.0, deadline=1.0, has_attached=True
    )
    program.now = 60.0
    participant.wake(0)
    assert hear_out(participant, toy) is None
    assert participant.due == 2
