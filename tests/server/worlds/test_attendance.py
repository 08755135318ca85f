"""A world waits for the programs of clients that took part in the one before it."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from autosim.model.phase import Phase
from autosim.server.worlds.attendance import Attendance
from autosim.server.worlds.running_world import RunningWorld
from autosim.userprogram.ipc.program_messages import leave_message
from autosim.v1 import autosim_pb2 as pb
from tests.server.worlds.test_robot_changes import SECOND
from tests.server.worlds.test_world_host import Actions, Client, Orders, play, town_with


def test_a_program_that_joins_over_another_connection_is_awaited_no_longer() -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car"), before.of("peer 1", "gone"):
        after.expect(before, ["car"])
    with after.of("peer 2", "car"):
        assert asyncio.run(after.complete(60.0)) == ()


def test_a_program_that_does_not_join_in_time_is_reported_once() -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car"):
        after.expect(before, ["car"])

    async def wait_twice() -> None:
        assert await after.complete(0.0) == ("car",)
        assert await after.complete(0.0) == ()

    asyncio.run(wait_twice())


@pytest.mark.parametrize("is_early", [True, False])
def test_a_program_that_has_sent_that_it_leaves_is_not_awaited(*, is_early: bool) -> None:
    before, after = Attendance(), Attendance()
    with before.of("peer 1", "car") as leave:
        if is_early:  # the paused simulation has not read it yet
            leave()
        after.expect(before, ["car"])
        leave()
    assert asyncio.run(after.complete(60.0)) == ()


def test_a_program_whose_connection_is_lost_is_not_awaited() -> None:
    before, after = Attendance(), Attendance()
    with suppress(asyncio.CancelledError), before.of("peer 1", "car"):
        after.expect(before, ["car"])
        raise asyncio.CancelledError
    assert asyncio.run(after.complete(60.0)) == ()


@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize("is_handed_over", [False, True])
def test_a_program_that_ends_while_robots_change_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_handed_over: bool, is_cancelled: bool
) -> None:
    hand_over = RunningWorld.hand_over

    async def test(client: Client) -> None:
        await client.program(Orders.STOP, "impreza")
        stream = client.stub.Participate()
        digest = client.front.worlds.require().tree.digest
        attach = pb.Attach(program="ends.py", robot="impreza", layout_digest=digest)
        await stream.write(pb.ProgramMessage(attach=attach))
        stepping = asyncio.ensure_future(client.control(Actions.STEP, steps=1))
        assert (await stream.read()).WhichOneof("kind") == "turn_started"
        await stream.write(pb.ProgramMessage(wait=pb.Wait(until_step=1000)))
        await stepping

        async def end() -> None:
            if is_cancelled:
                stream.cancel()
            else:
                await stream.write(leave_message(reason="", has_failed=False))
                await stream.done_writing()
            expected = client.front.worlds.require().attendance
            while expected.present:
                await asyncio.sleep(0)

        async def hand_over_and_end(running: RunningWorld, heir: RunningWorld) -> None:
            if not is_handed_over:
                await end()
            await hand_over(running, heir)
            if is_handed_over:
                await end()

        monkeypatch.setattr(RunningWorld, "hand_over", hand_over_and_end)
        assert (await client.stub.AddRobot(SECOND)).phase == Phase.PAUSED
        notices = client.front.notices.since(0, characters=10**6)
        assert not [each for each in notices if "rejoined" in each.notice.text]

    play(test, world=town_with(tmp_path, "def main(argv): pass"))
