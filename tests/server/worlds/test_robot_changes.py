"""A robot that is added or removed leaves the user programs of the others running."""

import asyncio
import json
import os
import select
import signal
from pathlib import Path
from typing import Any

import pytest

from autosim.model.phase import Phase
from autosim.records.record_file import Record
from autosim.server.process.host import SimulationHost
from autosim.server.worlds.running_world import RunningWorld
from autosim.v1 import autosim_pb2 as pb
from autosim.wire import WORLD_CHANGED
from tests.server.light_simulation import DyingHeirSimulation
from tests.server.worlds.test_world_host import (
    Actions,
    Client,
    Orders,
    States,
    play,
    refusal,
    states,
    town_with,
)

COUNTS = """
import json, os
from pathlib import Path
from autosim.userprogram import get_data, get_time, set_data, wait

def main(argv):
    turns, file, device = 0, Path(__file__).with_name(argv[0]), f"{argv[0]}.chassis.drive_chassis"
    while True:
        turns += 1
        told = dict(pid=os.getpid(), turns=turns, time=get_time(), steering=get_data(device)[0])
        file.with_suffix(".new").write_text(json.dumps(told))
        file.with_suffix(".new").rename(file)
        set_data(device, [turns / 1e4, 0.2, 0.0])
        if (file.parent / "crash").exists():
            os.abort()
        wait(1 / 240)
"""
"""Counts its turns, sets an actuator to their number, and writes what it knows to a file."""

SECOND = pb.AddRobotRequest(
    name="second",
    file="robots/impreza.xml",
    program="userprograms/program.py",
    is_placed=True,
    x=5.0,
    y=-3.0,
)
TimeActions = pb.TimeOrder.Action
FIRST = "impreza"
"""The robot of the world."""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return town_with(tmp_path, COUNTS)


def told(world: Path, robot: str) -> dict[str, Any]:
    """What the program of a robot knew in its last turn."""
    return dict(json.loads((world.parent / "userprograms" / robot).read_text()))


async def check_survival(client: Client, world: Path, robot: str, change: Any) -> None:
    """Checks that the program of a robot continues after a change."""
    before = told(world, robot)
    assert (await change).phase == Phase.PAUSED
    await client.control(Actions.STEP, steps=10)
    after = told(world, robot)
    assert after["pid"] == before["pid"]
    assert after["turns"] == before["turns"] + 10
    assert after["time"] == pytest.approx(before["time"] + 10 / 240)
    # It reads where its robot is in the new layout of the state.
    assert after["steering"] == (after["turns"] - 1) / 1e4
    (program,) = [each for each in await client.programs() if each.robot == robot]
    assert (program.state, program.restarts) == (States.RUNNING, 0)
    assert program.drives == [robot]


def removal(client: Client, robot: str) -> Any:
    return client.stub.RemoveRobot(pb.RemoveRobotRequest(robot=robot))


def test_programs_of_other_robots_survive_additions_and_removals(world: Path) -> None:
    ends = []

    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=10)
        ends.append(os.pidfd_open(told(world, FIRST)["pid"]))
        await check_survival(client, world, FIRST, client.stub.AddRobot(SECOND))
        assert told(world, "second")["turns"] == 11  # the first at once, the last after 10 steps
        ends.append(os.pidfd_open(told(world, "second")["pid"]))
        await check_survival(client, world, "second", removal(client, FIRST))
        assert select.select(ends[:1], [], [], 60.0)[0]

    play(test, world=world)
    assert select.select(ends[1:], [], [], 60.0)[0]  # the program ends with the server
    for end in ends:
        os.close(end)


def test_a_program_in_a_thread_survives_changes_of_other_robots(tmp_path: Path) -> None:
    world = town_with(tmp_path, COUNTS, limits='isolation="thread"')
    ends = []

    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=10)
        ends.append(os.pidfd_open(told(world, FIRST)["pid"]))
        await check_survival(client, world, FIRST, client.stub.AddRobot(SECOND))
        await check_survival(client, world, FIRST, removal(client, "second"))
        await check_survival(client, world, FIRST, client.stub.AddRobot(SECOND))
        await check_survival(client, world, "second", removal(client, FIRST))
        # The process of the thread, which was the first of the simulation, ends with it.
        assert select.select(ends, [], [], 60.0)[0]
        os.close(ends[0])

    play(test, world=world)


def test_changes_of_robots_are_undone_in_inverse_order(world: Path) -> None:
    async def test(client: Client) -> None:
        async def robots() -> dict[str, tuple[float, ...] | None]:
            described = await client.front.worlds.save()
            return {each.name: each.position for each in described.robots}

        await client.control(Actions.STEP, steps=10)
        first = await robots()
        assert (await client.stub.AddRobot(SECOND)).undoable == "second was added"
        second = await robots()
        await client.stub.MoveRobot(pb.MoveRobotRequest(robot=FIRST, x=7.5, y=-3.0))
        third = await robots()
        assert (await removal(client, FIRST)).undoable == f"{FIRST} was removed"
        for undone, following, expected in (
            (f"{FIRST} was removed", f"{FIRST} was moved", third),
            (f"{FIRST} was moved", "second was added", second),
            ("second was added", "", first),
        ):
            report = await client.stub.Undo(pb.UndoRequest())
            assert (report.undone, report.next) == (undone, following)
            # A light simulation puts no robot where its world says, but moves it there.
            is_added = undone == f"{FIRST} was removed"
            world = client.front.worlds.require().world
            found = (
                {each.name: each.position for each in world.robots}
                if is_added
                else (await robots())
            )
            assert list(found) == list(expected)
            assert found[FIRST] == pytest.approx(expected[FIRST], abs=1e-6)
        assert "no robot was added" in await refusal(client.stub.Undo(pb.UndoRequest()))

    play(test, world=world)


def test_a_program_that_crashes_after_an_addition_is_noticed(world: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=10)
        await client.stub.AddRobot(SECOND)
        await client.control(Actions.STEP, steps=1)
        (world.parent / "userprograms" / "crash").touch()
        await client.control(Actions.STEP, steps=30)
        states = {each.robot: each.state for each in await client.programs()}
        assert states == {FIRST: States.FAILED, "second": States.FAILED}

    play(test, world=world)


@pytest.mark.parametrize("is_late", [False, True])
def test_the_world_continues_when_the_process_that_is_to_follow_is_killed(
    world: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_late: bool
) -> None:
    # Killed when it has loaded, or when the programs read its memory already.
    load = RunningWorld.loaded

    async def load_and_be_killed(new: RunningWorld) -> None:
        await load(new)
        if not is_late and new.world.robots[-1].name == DyingHeirSimulation.DOOMED:
            os.kill(new.host.pid, signal.SIGKILL)

    async def test(client: Client) -> None:
        monkeypatch.setattr(RunningWorld, "loaded", load_and_be_killed)
        await client.control(Actions.STEP, steps=10)
        before, world_before = told(world, FIRST), client.front.worlds.require().world
        doomed = pb.AddRobotRequest()
        doomed.CopyFrom(SECOND)
        doomed.name = DyingHeirSimulation.DOOMED
        reason = await refusal(client.stub.AddRobot(doomed))
        assert "was ended by SIGKILL; the world that was there continues" in reason
        assert client.front.worlds.require().world is world_before
        assert (await client.status()).phase == Phase.PAUSED
        assert (await client.control(Actions.STEP, steps=10)).step == 20
        after = told(world, FIRST)
        assert (after["pid"], after["turns"]) == (before["pid"], before["turns"] + 10)
        assert after["time"] == pytest.approx(20 / 240)
        assert after["steering"] == (after["turns"] - 1) / 1e4
        # The programs of clients wait for the end of the next attempt as for that of the first.
        running, has_settled = client.front.worlds.require(), []
        hand_over = running.host.hand_over

        async def note_and_hand_over(heir: SimulationHost, robots: tuple[str, ...]) -> None:
            has_settled.append(running.has_settled.is_set())
            await hand_over(heir, robots)

        monkeypatch.setattr(running.host, "hand_over", note_and_hand_over)
        await check_survival(client, world, FIRST, client.stub.AddRobot(SECOND))
        assert has_settled == [False]
        assert running.has_settled.is_set()

    record = tmp_path / "run.mcap"
    play(test, world=world, simulation=DyingHeirSimulation, record=record)
    with Record(record) as kept:
        assert kept.last_step == 20


def test_a_program_that_went_back_to_a_snapshot_survives_an_addition(world: Path) -> None:
    async def test(client: Client) -> None:
        def order(action: Any) -> Any:
            return client.stub.ControlTime(pb.TimeOrder(action=action, name="a"))

        await client.control(Actions.STEP, steps=10)
        await order(TimeActions.SNAPSHOT)
        await client.control(Actions.STEP, steps=5)
        await order(TimeActions.RESTORE)
        await client.control(Actions.STEP, steps=1)
        await check_survival(client, world, FIRST, client.stub.AddRobot(SECOND))
        await check_survival(client, world, "second", removal(client, FIRST))

    play(test, world=world)


def test_a_reset_begins_the_world_as_it_was_loaded_and_lists_what_it_discards(world: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=10)
        as_loaded = client.front.worlds.require().world
        await client.stub.AddRobot(SECOND)
        attached = {"file": "userprograms/convoy.py", "arguments": ["a"]}
        await client.program(Orders.STOP, FIRST)
        await client.program(Orders.ATTACH, FIRST, **attached)
        told = await client.load("")
        assert sorted(told[-1].warnings) == [
            f"the reset has discarded the program 'userprograms/convoy.py' of '{FIRST}', "
            "which was attached",
            "the reset has discarded the robot 'second', which was added",
        ]
        assert client.front.worlds.require().world == as_loaded
        assert (told[-1].status.phase, told[-1].status.step) == (Phase.READY, 0)
        await client.control(Actions.STEP, steps=1)
        assert [each.file for each in await client.programs()] == ["program.py"]
        assert "no robot was added" in await refusal(client.stub.Undo(pb.UndoRequest()))
        again = await client.load("")
        assert list(again[-1].warnings) == []

    play(test, world=world)


def test_a_run_of_so_many_steps_ends_there_though_a_robot_is_added(world: Path) -> None:
    async def test(client: Client) -> None:
        steps = 240
        run = pb.ControlRequest(action=Actions.RUN, steps=steps, real_time_factor=1.0)
        await client.stub.Control(run)
        added = await client.stub.AddRobot(pb.AddRobotRequest(name="second", file=SECOND.file))
        assert added.step < steps
        while (status := await client.stub.Control(pb.ControlRequest())).phase != Phase.PAUSED:
            assert status.step <= steps
            await asyncio.sleep(0.05)
        assert status.step == steps

    play(test, world=world)


def test_the_states_of_a_world_end_with_a_reason_when_its_robots_change(world: Path) -> None:
    async def test(client: Client) -> None:
        async def read() -> None:
            async for _ in states(client):
                pass

        await client.control(Actions.STEP, steps=10)
        reading = asyncio.ensure_future(refusal(read()))
        await client.stub.AddRobot(SECOND)
        assert await reading == WORLD_CHANGED

    play(test, world=world)
