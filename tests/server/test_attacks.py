"""What one peer sends holds up nobody else, and leaves nothing behind that grows."""

import asyncio
from collections.abc import AsyncIterator, Callable

import grpc
import pytest

from autosim.server.limits import LIMITS
from autosim.server.programs.participant import Participant
from autosim.simulation import commands
from autosim.v1 import autosim_pb2 as pb
from tests.server.test_gateway import (
    Actions,
    Client,
    Run,
    refusal,
    run,
)
from tests.userprogram.rig import Toy, hear_out

__all__ = ["run"]
"""Fixtures of other files."""


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
