"""Changes that can be undone: one list for all clients."""

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from autosim.orders.robot_orders import MoveRobot
from autosim.server.server_errors import WorldError
from autosim.server.worlds.changes import MAX_CHANGES, Changes
from autosim.v1 import autosim_pb2 as pb
from tests.server.gateway_clients import refusal
from tests.server.light_simulation import light_options, light_world
from tests.server.network.test_snapshots import TimeClient, play


class Log:
    """Changes that note when they are undone, and a clock."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.undone: list[str] = []
        self.changes = Changes(clock=lambda: self.seconds)

    def undo(self, text: str) -> Callable[[], Awaitable[object]]:
        async def note() -> None:
            self.undone.append(text)

        return note

    def set(self, device: str, text: str) -> None:
        if not self.changes.continues(device):
            self.changes.add_setting(device, self.undo(text))

    def undo_all(self) -> list[str]:
        while self.changes.last:
            asyncio.run(self.changes.undo())
        return self.undone


def test_the_last_change_is_undone_first_and_without_one_it_is_refused() -> None:
    log = Log()
    log.changes.add("a was moved", log.undo("move"))
    log.changes.add("b was removed", log.undo("removal"))
    assert log.changes.last == "b was removed"
    assert log.undo_all() == ["removal", "move"]
    with pytest.raises(WorldError, match="no robot was added"):
        asyncio.run(log.changes.undo())


def test_sliders_that_are_dragged_are_one_change_each() -> None:
    log = Log()
    for number in range(20):
        log.seconds += 0.1
        log.set("car.brake", f"brake {number}")
        log.set("car.lamps", f"lamps {number}")
    log.seconds += 5.0
    log.set("car.brake", "later")
    assert log.undo_all() == ["later", "lamps 0", "brake 0"]


def test_a_setting_after_another_change_is_one_of_its_own() -> None:
    log = Log()
    log.set("car.brake", "first")
    log.changes.add("b was moved", log.undo("move"))
    log.set("car.brake", "second")
    assert log.undo_all() == ["second", "move", "first"]


def test_the_number_of_changes_is_bounded() -> None:
    log = Log()
    for number in range(MAX_CHANGES + 5):
        log.changes.add(str(number), log.undo(str(number)))
    assert len(log.undo_all()) == MAX_CHANGES


def test_an_actuator_that_a_client_has_set_is_set_back_by_another() -> None:
    async def test(client: TimeClient) -> None:
        async def set_drive(*values: float) -> None:
            command = pb.Command(device="r0.box.drive", data=np.array(values).tobytes())
            summary = await client.stub.SetData(iter([pb.Commands(commands=[command])]))
            assert summary.accepted == 1

        def drive() -> list[float]:
            state = client.front.worlds.require().host.live_state()
            node = client.front.worlds.require().tree.find("r0.box.drive")
            assert node is not None
            values: list[float] = np.frombuffer(state[node.start : node.own_stop]).tolist()
            return values

        await client.step(1)
        before = drive()
        await set_drive(0.5, 0.25, 0.0)
        await client.step(1)
        assert drive()[:3] == [0.5, 0.25, 0.0]
        report = await client.stub.Undo(pb.UndoRequest())
        assert (report.undone, report.next) == ("r0.box.drive was set", "")
        await client.step(1)
        assert drive() == before
        assert "no actuator was set" in (await refusal(client.stub.Undo(pb.UndoRequest())))[1]

    play(test, light_world(), light_options())


def test_an_undo_waits_for_a_move_that_is_under_way() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(1)
        worlds = client.front.worlds
        move = asyncio.ensure_future(worlds.move_robot(MoveRobot("r0", (7.5, -3.0))))
        await asyncio.sleep(0)
        assert await worlds.undo() == "r0 was moved"
        await move

    play(test, light_world(), light_options())
