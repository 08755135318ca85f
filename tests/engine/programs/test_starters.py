"""Programs that join a simulation while it runs: what they import holds up nobody."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvloop

from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs import first_turns, lockstep
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.first_turns import FirstTurns
from autosim.engine.programs.process_participants import ProcessParticipants
from autosim.server.network.front import Front
from autosim.server.process.process_messages import Pause
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import light_options, light_world
from tests.server.peers import Peer
from tests.userprogram.rig import Toy, closing, write

SLOW = """
    import os
    from autosim.userprogram import set_data, wait

    os.close(os.open({gate!r}, os.O_RDONLY))  # waits until somebody opens the other end

    def main(argv):
        while True:
            set_data(f"{{argv[0]}}.chassis.drive", [0.0, 1.0, 0.0])
            wait(0.01)
"""


def _set_first_turn(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for module in (lockstep, first_turns):
        monkeypatch.setattr(module, "LIMITS", replace(LIMITS, first_turn_seconds=seconds))


@pytest.fixture
def toy() -> Toy:
    return Toy.new()


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A pipe that stays closed to a reader until it is opened for writing."""

    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


@contextmanager
def start(toy: Toy, folder: Path, source: str, **deadlines: float) -> Iterator[ProcessParticipants]:
    participants = toy.processes(Deadlines(**deadlines))
    with closing(participants):
        toy.run(participants, 1)
        program = write(folder, "user", source)
        participants.launch(program, robot="alpha", is_awaited=False)
        yield participants


def run_until(toy: Toy, participants: ProcessParticipants, condition: Callable[[], object]) -> None:
    while not condition():
        toy.run(participants, 1)


@pytest.mark.timeout(60)
def test_the_step_waits_for_a_program_only_once_it_has_imported(
    toy: Toy, tmp_path: Path, gate: Path
) -> None:
    with start(toy, tmp_path, SLOW.format(gate=str(gate))) as participants:
        toy.run(participants, 500)
        assert not toy.log
        assert not participants.is_settled
        with gate.open("w"):
            run_until(toy, participants, lambda: participants.is_settled)
        toy.run(participants, 24)
        steps = [step for step, _ in toy.log]
        # From here on it is in step: each turn at the step that it has asked for.
        assert {later - step for step, later in pairwise(steps)} == {2}
    assert not toy.program_exits


@pytest.mark.timeout(60)
def test_a_program_that_is_never_ready_is_given_up_while_the_others_go_on(
    toy: Toy, tmp_path: Path, gate: Path
) -> None:
    with start(toy, tmp_path, SLOW.format(gate=str(gate)), start=0.5) as participants:
        run_until(toy, participants, lambda: toy.program_exits)
        assert participants.is_settled
    (_, program_exit), *_ = toy.program_exits
    assert program_exit.reason == "did not start within 0.5 s"
    assert program_exit.robot == "alpha"


@pytest.mark.timeout(60)
def test_a_program_that_imports_may_be_stopped(toy: Toy, tmp_path: Path, gate: Path) -> None:
    with start(toy, tmp_path, SLOW.format(gate=str(gate))) as participants:
        assert participants.dismiss("alpha", is_remote=False, reason="was stopped")
        toy.run(participants, 1)
        assert participants.is_settled
    (_, program_exit), *_ = toy.program_exits
    assert (program_exit.reason, program_exit.has_failed) == ("was stopped", False)


@pytest.mark.timeout(60)
def test_a_program_that_fails_while_it_imports_is_named(toy: Toy, tmp_path: Path) -> None:
    with start(toy, tmp_path, "import nothing_of_this_name") as participants:
        run_until(toy, participants, lambda: toy.program_exits)
    (_, program_exit), *_ = toy.program_exits
    assert "No module named 'nothing_of_this_name'" in program_exit.reason


@pytest.mark.timeout(60)
def test_what_reads_the_simulation_is_refused_while_a_file_is_imported(
    toy: Toy, tmp_path: Path
) -> None:
    source = "from autosim.userprogram import get_time\nget_time()"
    with start(toy, tmp_path, source) as participants:
        run_until(toy, participants, lambda: toy.program_exits)
    (_, program_exit), *_ = toy.program_exits
    assert "still being imported" in program_exit.reason
    assert "call this from main(argv)" in program_exit.reason


@pytest.mark.timeout(60)
def test_who_joins_and_never_waits_holds_up_the_others_for_the_first_turn_alone(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set_first_turn(monkeypatch, 0.2)
    participants = toy.processes(Deadlines(start=1e6))
    with closing(participants):
        peer = Peer(toy, participants)
        peer.attach()
        toy.run(participants, 1)
        peer.channel.close()
    ((_, program_exit),) = toy.program_exits
    assert program_exit.reason == "did not reach its first wait() within 0.2 s"


@pytest.mark.timeout(60)
def test_who_joins_again_at_once_has_to_meet_the_deadline_in_the_first_turn(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each first turn may take for ever, but the next one comes too soon.
    _set_first_turn(monkeypatch, 1e6)
    participants = toy.processes(Deadlines(start=1e6, turn=0.2))
    with closing(participants):
        first = Peer(toy, participants)
        first.attach("alpha")
        first.wait(1)
        first.channel.close()
        toy.run(participants, 2)
        again = Peer(toy, participants)
        again.attach("alpha")
        toy.run(participants, 1)
        again.channel.close()
    _, program_exit = toy.program_exits[-1]
    assert program_exit.reason == "did not reach its first wait() within 0.2 s"


def test_a_host_that_joins_for_many_robots_has_one_long_first_turn() -> None:
    now = [100.0]
    allowed = FirstTurns(lambda: now[0]).seconds_for
    assert allowed("alpha", "ipv4:10.0.0.1:4000") == LIMITS.first_turn_seconds
    assert allowed("alpha", "ipv4:10.0.0.2:4000") == 0.0
    now[0] += 4.0
    assert allowed("beta", "ipv4:10.0.0.1:4001") == LIMITS.first_turn_seconds - 4.0
    now[0] += LIMITS.first_turn_seconds
    assert allowed("gamma", "ipv4:10.0.0.1:4002") == 0.0
    assert allowed("delta", "ipv4:10.0.0.3:4000") == LIMITS.first_turn_seconds
    now[0] += LIMITS.first_turn_interval_seconds
    assert allowed("alpha", "ipv4:10.0.0.1:4003") == LIMITS.first_turn_seconds


def test_an_order_is_answered_when_the_program_is_ready_and_the_simulation_goes_on(
    tmp_path: Path, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    (tmp_path / "userprograms").mkdir()
    source = SLOW.format(gate=str(gate)).replace("chassis", "box")
    write(tmp_path / "userprograms", "slow", source)

    async def within() -> None:
        options = light_options(real_time_factor=1.0)
        async with (
            Front(light_world(), options) as front,
            grpc.aio.insecure_channel(front.address) as channel,
            asyncio.timeout(60.0),
        ):
            await order(front, WithToken(SimulatorStub(channel), front.address))

    async def order(front: Front, stub: Any) -> None:
        action = pb.ProgramOrder(action=pb.ProgramOrder.ATTACH, robot="r0", file="slow.py")
        ordered = asyncio.ensure_future(stub.ControlProgram(action))
        await steps(front, 200)
        await front.worlds.require().ask(Pause())
        assert (await stub.Control(pb.ControlRequest())).phase == pb.Status.PAUSED
        assert not ordered.done()
        with gate.open("w"):
            (program,) = (await ordered).programs
        assert program.state == pb.Program.RUNNING
        assert program.turns >= 1

    async def steps(front: Front, count: int) -> None:
        broadcast = front.worlds.require().broadcast
        last = broadcast.step + count
        while broadcast.step < last:
            await asyncio.sleep(0.01)

    uvloop.run(within())
