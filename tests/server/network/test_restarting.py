"""A run restarts in the same process: with another seed and other start poses."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc

from autosim.model.notices import Notice
from autosim.server.network.front import ServerOptions
from autosim.v1 import autosim_pb2 as pb
from tests.records.runs import states_of
from tests.server.crashing_cars import FlatSimulation, crash_world
from tests.server.gateway_clients import refusal
from tests.server.light_simulation import light_options, light_world
from tests.server.network.test_snapshots import Actions, TimeClient, play

FLAT = f"{FlatSimulation.__module__}:{FlatSimulation.__qualname__}"
PLACES = [pb.StartPose(robot="car0", x=-20.0, y=10.0, z=1.0, yaw=0.4)]


def flat_options(**values: Any) -> ServerOptions:
    return ServerOptions("127.0.0.1:0", simulation=FLAT, **values)


def ignore(notice: Notice) -> None:
    """Discards a message."""


def test_it_comes_to_the_bytes_of_a_simulation_that_began_so() -> None:
    world = crash_world()
    moved = replace(world.robots[0], position=(-20.0, 10.0, 1.0), yaw=0.4)
    digest = hashlib.sha256()
    placed = replace(world, robots=(moved, *world.robots[1:]))
    with FlatSimulation(placed, seed=7, report=ignore) as simulation:
        simulation.on_publish.append(lambda: digest.update(simulation.state.buffer))
        for _ in range(120):
            simulation.step()

    async def test(client: TimeClient) -> None:
        for _ in range(2):
            await client.step(30)
            report = await client.order(Actions.BEGIN, seed=7, places=PLACES)
            assert (report.status.step, report.status.phase) == (0, pb.Status.Phase.READY)
            await client.step(120)
            assert await client.digest() == digest.hexdigest()
        assert (await client.stub.Describe(pb.DescribeRequest())).seed == 7

    play(test, world, flat_options())


def test_what_cannot_be_leaves_a_run_that_begins_as_before() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(10)
        unknown = [pb.StartPose(robot="car9")]
        _, reason = await refusal(client.order(Actions.BEGIN, places=unknown))
        assert "there is no robot 'car9'" in reason
        nowhere = [pb.StartPose(robot="car0", x=1e6)]
        code, reason = await refusal(client.order(Actions.BEGIN, places=nowhere))
        assert "robot 'car0': no ground" in reason
        assert code is not grpc.StatusCode.INTERNAL
        assert (await client.step(5)).step == 5

    play(test, crash_world(), flat_options())


def test_clients_see_it_begin_without_the_snapshots_of_the_run_before() -> None:
    async def test(client: TimeClient) -> None:
        await client.step(50)
        states = aiter(client.states(rate_hz=24.0))
        assert (await anext(states)).step == 50
        await client.order(Actions.SNAPSHOT, name="a")
        assert not (await client.order(Actions.BEGIN)).snapshots
        assert (await anext(states)).step == 0
        await client.step(5)
        await client.order(Actions.SNAPSHOT, name="a")
        await client.step(5)
        assert (await client.order(Actions.RESTORE, name="a")).status.step == 5
        assert (await client.order(Actions.BEGIN)).status.step == 0
        assert (await client.step(3)).step == 3

    play(test, light_world(), light_options())


def test_a_record_ends_with_the_run(tmp_path: Path) -> None:
    async def test(client: TimeClient) -> None:
        await client.step(10)
        report = await client.order(Actions.BEGIN)
        assert report.record.path == str(tmp_path / "run-2.mcap")
        await client.step(5)
        await client.order(Actions.STOP_RECORD)
        assert len(states_of(tmp_path / "run.mcap")) == 11
        assert len(states_of(tmp_path / "run-2.mcap")) == 6

    play(test, light_world(), light_options(record=tmp_path / "run.mcap"))
