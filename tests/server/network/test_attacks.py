"""What one peer sends holds up nobody else, and leaves nothing behind that grows."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from urllib.parse import quote

import grpc
import pytest

from autosim.client.link.simulation_control import simulation_control
from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs.participant import Participant
from autosim.model import commands
from autosim.model.notices import Notice
from autosim.server.network import gateway as gateway_module
from autosim.server.network.rpc_handlers import status_details
from autosim.userprogram.ipc.channel import MAXIMUM_PACKET
from autosim.v1 import autosim_pb2 as pb
from tests.server.gateway_clients import (
    WORLD,
    Actions,
    Client,
    Run,
    attached,
    refusal,
    run_alone,
)
from tests.server.light_simulation import LightSimulation
from tests.userprogram.rig import Toy, hear_out


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names for which near ones were searched."""
    found: list[str] = []
    search: Callable[..., list[str]] = commands.get_close_matches

    def count(name: str, *others: object, **options: object) -> list[str]:
        found.append(name)
        return search(name, *others, **options)

    monkeypatch.setattr(commands, "get_close_matches", count)
    return found


def unknown(count: int) -> pb.Commands:
    """Commands for devices that are not there, of as many different names."""
    names = (f"r0.box.drive{number}" for number in range(count))
    return pb.Commands(commands=[pb.Command(device=name, data=bytes(24)) for name in names])


def test_near_names_are_searched_for_the_one_refusal_told(run: Run, searches: list[str]) -> None:
    async def test(client: Client) -> None:
        batches = [unknown(LIMITS.message_commands) for _ in range(3)]
        summary = await client.stub.SetData(iter(batches))
        assert summary.refused == 3 * LIMITS.message_commands
        assert "did you mean 'r0.box.drive'?" in summary.first_refusal

    run(test)
    assert len(searches) == 1


def test_a_name_of_any_length_is_neither_compared_nor_repeated(
    run: Run, searches: list[str]
) -> None:
    async def test(client: Client) -> None:
        command = pb.Command(device="r0.box." + "x" * 900, data=bytes(24))
        summary = await client.stub.SetData(iter([pb.Commands(commands=[command])]))
        assert "no device 'r0.box.xxx" in summary.first_refusal
        assert len(summary.first_refusal) < 300

    run(test)
    assert not searches


def test_a_message_of_too_many_commands_is_refused_as_a_whole(run: Run) -> None:
    async def test(client: Client) -> None:
        code, details = await refusal(client.stub.SetData(iter([unknown(3_000)])))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        most = LIMITS.message_commands
        assert details == f"Commands.commands: expected at most {most}, not 3000"

    run(test)


def test_a_stream_of_refused_commands_is_ended_and_others_are_answered(
    run: Run,
) -> None:
    async def test(client: Client) -> None:
        async def flood() -> AsyncIterator[pb.Commands]:
            for _ in range(LIMITS.stream_refusals // LIMITS.message_commands + 1):
                yield unknown(LIMITS.message_commands)
            # A write to a stream that has ended would hide from gRPC's client why it did.
            await asyncio.Event().wait()

        attack = asyncio.ensure_future(refusal(client.stub.SetData(flood())))
        answers = 0
        while not attack.done():
            await client.control(Actions.STATUS)
            answers += 1
        code, details = attack.result()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "commands refused, the first: UNKNOWN_DEVICE" in details
        assert answers > 0

    run(test)


class Flooder:
    """A program that never ends its turn: each of its messages holds so many commands."""

    def __init__(self, commands: list[pb.Command]) -> None:
        self.channel = self
        self.is_remote = False
        self.heard = 0
        self.prepared_seconds = self.starved_seconds = 0.0
        self._message = pb.ProgramMessage(wait=pb.Wait(commands=commands))

    def receive(self, timeout: float | None = None) -> pb.ProgramMessage:
        self.heard += 1
        return self._message

    def end(self) -> str:
        return "killed"


def participant(program: Flooder) -> Participant:
    return Participant(
        *(0, program, "flooder", "alpha"),
        start_deadline=float("inf"),
        deadline=float("inf"),
        has_attached=True,
    )


@pytest.mark.timeout(60)
def test_refused_commands_without_end_end_the_program(searches: list[str]) -> None:
    toy = Toy.new()
    flooder = Flooder([pb.Command(device=f"alpha.chassis.driv{each}") for each in range(1_000)])
    one = participant(flooder)
    program_exit = hear_out(one, toy)
    assert program_exit is not None
    assert f"more than {LIMITS.turn_commands} times in one turn" in program_exit.reason
    texts = one.refusals.take(0, is_last=True)
    assert len(texts) == LIMITS.told_refusals + 1
    assert texts[-1] == f"{LIMITS.turn_commands - LIMITS.told_refusals} more commands refused"
    assert len(searches) == LIMITS.told_refusals


@pytest.mark.timeout(60)
def test_values_without_end_end_the_program() -> None:
    flooder = Flooder([pb.Command(device="alpha.chassis.drive", data=bytes(64_000))])
    one = participant(flooder)
    program_exit = hear_out(one, Toy.new())
    assert program_exit is not None
    assert f"more than {LIMITS.turn_bytes} bytes of values in one turn" in program_exit.reason


def test_long_words_of_programs_that_come_and_go_are_cut() -> None:
    async def test(client: Client) -> None:
        leave = pb.Leave(has_failed=True, reason="r" * 40_000, traceback="t" * 50_000)
        assert pb.ProgramMessage(leave=leave).ByteSize() < MAXIMUM_PACKET
        await client.control(Actions.RUN, real_time_factor=0.0)
        for _ in range(5):
            stream = await attached(client)
            await stream.write(pb.ProgramMessage(leave=leave))
            await stream.read()
        while len(client.front.notices) < 6:
            await client.control(Actions.STATUS)
        texts = [each.text for each in (await client.stub.Report(pb.ReportRequest())).messages]
        assert len(texts) == 6
        assert max(map(len, texts)) <= LIMITS.notice_characters

    run_alone(test)


def test_a_report_is_given_page_by_page_however_much_was_said() -> None:
    async def test(client: Client) -> None:
        front = client.front
        for step in range(1_000):
            front.note(Notice("error", "attacker.py", step, "x" * 90_000))
        page = await client.stub.Report(pb.ReportRequest())
        assert page.ByteSize() < 2 * LIMITS.report_characters
        assert page.messages_total == 1_001

        def ask() -> tuple[int, ...]:
            with simulation_control(front.address) as control:
                return control.report().numbers

        numbers = await asyncio.to_thread(ask)
        assert numbers[0] == 0
        assert numbers[-1] == 1_000
        assert len(numbers) == 1_001 - page.messages_dropped
        assert page.messages_dropped > 0

    run_alone(test)


def test_a_reason_too_long_for_a_call_to_carry_is_cut() -> None:
    reason = status_details("no robot '" + "\u00e4" * 50_000 + "'")
    assert reason.startswith("no robot '\u00e4\u00e4")
    assert reason.endswith("(cut)")
    assert len(quote(reason)) < LIMITS.reason_bytes + 100


def test_a_connection_may_have_so_many_programs_and_no_more(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gateway_module, "LIMITS", replace(LIMITS, connection_programs=2))

    async def test(client: Client) -> None:
        streams = [await attached(client) for _ in range(2)]
        while (await client.control(Actions.STATUS)).programs < 2:
            pass
        third = await attached(client)
        code, details = await refusal(third.read())
        assert code is grpc.StatusCode.ABORTED
        assert "2 programs of this connection take part already" in details
        streams[0].cancel()
        while (await client.control(Actions.STATUS)).programs > 1:
            pass
        await attached(client)
        while (await client.control(Actions.STATUS)).programs < 2:
            pass

    run(test)


def test_the_words_of_an_attach_are_cut_where_they_are_repeated(run: Run) -> None:
    async def test(client: Client) -> None:
        digest = LightSimulation(WORLD).tree.digest
        stream = client.stub.Participate()
        attach = pb.Attach(program="test.py", robot="r" * 900, layout_digest=digest)
        await client.control(Actions.RUN, real_time_factor=0.0)
        await stream.write(pb.ProgramMessage(attach=attach))
        refused = (await stream.read()).refused
        assert len(refused.reason) < 300

    run(test)


def test_a_flood_of_good_commands_is_taken(run: Run, searches: list[str]) -> None:
    async def test(client: Client) -> None:
        good = pb.Command(device="r0.box.drive", data=struct.pack("3d", 0.1, 0.2, 0.3))
        batch = pb.Commands(commands=[good] * LIMITS.message_commands)
        assert (await client.stub.SetData(iter([batch] * 10))).accepted == 20_000

    run(test)
    assert not searches
