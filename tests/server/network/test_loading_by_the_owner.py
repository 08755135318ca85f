"""The process that started a server has it load another world: the server stays where it is."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import uvloop

from autosim.client.link.simulation_control import simulation_control
from autosim.model.phase import Phase
from autosim.server.network.front import Event, Front, LoadAnswered, WorldChanged
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from tests.server.light_simulation import (
    LightSimulation,
    UnloadableSimulation,
    light_options,
    light_world,
)

OTHER = replace(light_world(2), name="other")


class WaitingSimulation(LightSimulation):
    """Takes as long to be made as its process lives."""

    def __init__(self, world: object, **others: object) -> None:
        asyncio.run(asyncio.sleep(3600.0))


def wait_for_answer(server: ServerProcess, events: list[Event]) -> LoadAnswered:
    """The answer to the order to load, which is the last event."""
    while not (events and isinstance(events[-1], LoadAnswered)):
        server.poll()
    answer = events.pop()
    assert isinstance(answer, LoadAnswered)
    return answer


def test_another_world_comes_at_the_same_address_with_its_own_options() -> None:
    events: list[Event] = []
    with (
        ServerProcess(light_world(), light_options(), on_event=events.append) as server,
        simulation_control(server.address) as control,
    ):
        assert control.step(7).step == 7
        server.load(OTHER, light_options(seed=5))
        assert wait_for_answer(server, events).refusal == ""
        (changed,) = [each for each in events if isinstance(each, WorldChanged)]
        assert (changed.world.name, changed.is_loaded) == ("other", True)
        status = control.step(2)
        assert (status.world, status.step, status.phase) == ("other", 2, Phase.PAUSED)
        assert control.call(lambda stub: stub.Describe(pb.DescribeRequest())).seed == 5


def test_a_world_that_fails_leaves_the_present_one_and_its_options() -> None:
    events: list[Event] = []
    with (
        ServerProcess(light_world(), light_options(), on_event=events.append) as server,
        simulation_control(server.address) as control,
    ):
        control.step(3)
        server.load(OTHER, light_options(UnloadableSimulation))
        assert "the map is empty" in wait_for_answer(server, events).refusal
        assert not any(isinstance(each, WorldChanged) for each in events)
        status = control.step(1)
        assert (status.world, status.step) == ("light", 4)


def played(test: Callable[[Front, list[Event]], object]) -> None:
    async def within() -> None:
        events: list[Event] = []
        front = Front(light_world(), light_options(), on_event=events.append)
        async with front, asyncio.timeout(60.0):
            await front.worlds.require().loaded()
            await test(front, events)  # type: ignore[misc]

    uvloop.run(within())


async def settled(events: list[Event]) -> LoadAnswered:
    while not (events and isinstance(events[-1], LoadAnswered)):
        await asyncio.sleep(0.01)
    return events[-1]


def test_the_status_says_what_is_loaded_and_cancelling_leaves_the_present_world() -> None:
    async def test(front: Front, events: list[Event]) -> None:
        assert front.worlds.work == ""
        front.load(OTHER, light_options(WaitingSimulation))
        while not front.worlds.work:
            await asyncio.sleep(0.01)
        assert front.worlds.work.startswith("loading 'other'")
        assert front.worlds.phase is Phase.READY
        front.load(OTHER, light_options())
        assert "another world is being loaded" in (await settled(events)).refusal
        events.clear()
        front.cancel_load()
        answer = await settled(events)
        assert (answer.refusal, answer.level) == ("loading was cancelled", "info")
        assert front.worlds.work == ""
        assert front.worlds.require().world.name == "light"

    played(test)
