"""One server, one world after another, and orders that are heard while programs compute."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import numpy.typing as npt
import pytest
import uvloop

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.server.network.front import Event, Front, WorldChanged
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import PacketKind, read_packet
from tests.server.access import WithToken
from tests.server.light_simulation import UnloadableSimulation, light_options
from tests.worlds import ROOT

TOWN = "worlds/circle_town.xml"
Actions = pb.ControlRequest.Action
Orders = pb.ProgramOrder.Action
States = pb.Program.State

LOOPS = """
from autosim.userprogram import set_data, wait

def main(argv):
    while True:
        set_data(f"{argv[0]}.chassis.drive_chassis", [0.1, 0.2, 0.0])
        wait(0.1)
"""
HANGS = """
from autosim.userprogram import wait

def main(argv):
    wait(0.1)
    while True:
        pass
"""


class Client:
    """The stubs, and what the server has told of other worlds."""

    def __init__(self, front: Front, stub: Any, events: list[Event]) -> None:
        self.front, self.stub, self.events = front, stub, events

    async def control(self, action: Any, **values: Any) -> pb.Status:
        return await self.stub.Control(pb.ControlRequest(action=action, **values))

    async def status(self) -> pb.Status:
        return await self.control(Actions.STATUS)

    async def load(self, world: str, **values: Any) -> list[pb.LoadProgress]:
        request = pb.LoadRequest(world=world, **values)
        return [each async for each in self.stub.Load(request)]

    async def programs(self) -> list[pb.Program]:
        return list((await self.stub.Programs(pb.ProgramsRequest())).programs)

    async def program(self, action: Any, robot: str, **values: Any) -> list[pb.Program]:
        order = pb.ProgramOrder(action=action, robot=robot, **values)
        return list((await self.stub.ControlProgram(order)).programs)


def play(
    test: Callable[[Client], Awaitable[None]], *, world: str | Path | None = None, **options: Any
) -> None:
    """Runs a test against a server of its own: the simulation is a light one of any world."""

    async def within() -> None:
        events: list[Event] = []
        loaded = None if world is None else load_world(world)
        front = Front(loaded, light_options(**options), on_event=events.append)
        async with front, asyncio.timeout(240.0):
            channel = grpc.aio.insecure_channel(front.address)
            await test(Client(front, WithToken(SimulatorStub(channel), front.address), events))
            await channel.close()

    uvloop.run(within())


async def refusal(call: Awaitable[Any]) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.details() or ""


async def states(client: Client) -> AsyncIterator[npt.NDArray[np.float64]]:
    """The states of the present world as they come, as numbers."""
    described = await client.stub.Describe(pb.DescribeRequest())
    request = pb.SubscribeRequest(
        client="test", layout_digest=described.layout_digest, files=described.files
    )
    async for update in client.stub.Subscribe(request):
        packet = read_packet(update.packet)
        if packet.kind is PacketKind.STATE:
            yield np.frombuffer(packet.state, dtype=np.float64)


def test_clients_see_that_a_robot_is_moved_while_the_simulation_stands_still() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=5)
        seen = states(client)
        assert not (await anext(seen) == 7.5).any()
        velocity = pb.Vector(x=6.25)  # forward, which is north
        moved = pb.MoveRobotRequest(
            robot="impreza", x=7.5, y=-3.0, yaw=math.pi / 2, velocity=velocity
        )
        assert (await client.stub.MoveRobot(moved)).step == 5
        state = await anext(seen)
        assert (state == 7.5).any()
        assert (state == 6.25).any()
        for wrong, reason in (
            ({"robot": "nobody"}, "no robot 'nobody'"),
            ({"robot": "impreza", "x": math.nan}, "MoveRobotRequest.x: expected a finite number"),
            (
                {"robot": "impreza", "yaw": math.inf},
                "MoveRobotRequest.yaw: expected a finite number",
            ),
            (
                {"robot": "impreza", "velocity": pb.Vector(z=1e4)},
                "Vector.z: expected a number in [-1000, 1000]",
            ),
            ({"robot": "impreza", "height": 1e300}, "MoveRobotRequest.height: expected a number"),
        ):
            assert reason in await refusal(client.stub.MoveRobot(pb.MoveRobotRequest(**wrong)))

    play(test, world=ROOT / TOWN)


def test_a_robot_is_removed_while_the_simulation_runs(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=48)
        two = pb.AddRobotRequest(file="robots/scout.xml", name="two", is_placed=True, x=5.0, y=-3.0)
        await client.stub.AddRobot(two)
        status = await client.stub.RemoveRobot(pb.RemoveRobotRequest(robot="two"))
        assert (status.phase, status.step) == (Phase.PAUSED, 48)
        (changed,) = [each for each in client.events if isinstance(each, WorldChanged)][-1:]
        assert [robot.name for robot in changed.world.robots] == ["impreza"]
        assert "robots/scout.xml" not in dict(changed.world.files)
        told = [each.text for each in client.events if isinstance(each, Notice)]
        assert [text for text in told if text.startswith("was")] == ["was added", "was removed"]
        again = client.stub.RemoveRobot(pb.RemoveRobotRequest(robot="two"))
        assert "no robot 'two'" in await refusal(again)

    play(test, world=town_with(tmp_path, LOOPS))


def town_with(folder: Path, program: str, *, limits: str = "") -> Path:
    """The shipped town, with another program."""
    (folder / "userprograms").mkdir(exist_ok=True)
    (folder / "userprograms" / "program.py").write_text(program)
    text = (ROOT / TOWN).read_text()
    named = f'file="program.py" side="server" {limits}'
    file = folder / "town.xml"
    file.write_text(text.replace('file="userprograms/driver.py" side="server"', named))
    return file


def test_a_server_without_a_world_waits_for_one() -> None:
    async def test(client: Client) -> None:
        assert (await client.status()).phase == Phase.EMPTY
        described = client.stub.Describe(pb.DescribeRequest())
        assert "no world yet: autosim ctl load" in await refusal(described)
        assert "no world yet" in await refusal(client.control(Actions.RUN))
        told = await client.load(TOWN)
        assert told[-1].status.phase == Phase.READY
        assert told[-1].status.world == "circle_town"
        assert [each.HasField("status") for each in told[:-1]] == [False] * (len(told) - 1)
        (changed,) = [each for each in client.events if isinstance(each, WorldChanged)]
        assert changed.world.name == "circle_town"
        assert (await client.control(Actions.STEP, steps=3)).step == 3

    play(test)


def test_what_cannot_be_loaded_leaves_the_world_that_runs() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=5)
        for world, reason in (
            ("worlds/missing.xml", "found no 'worlds/missing.xml'"),
            ("../secret.xml", "leads upwards"),
            ("/etc/passwd", "in none of the folders"),
            ("robots/impreza.xml", "expected the root element <World>"),
        ):
            assert reason in await refusal(client.load(world))
        assert (await client.control(Actions.STEP, steps=2)).step == 7

    play(test, world=ROOT / TOWN)


def test_a_simulation_that_cannot_be_made_leaves_the_world_that_runs() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=5)
        client.front.worlds._options = light_options(UnloadableSimulation)
        assert "the map is empty" in await refusal(client.load(TOWN))
        assert (await client.control(Actions.STEP, steps=2)).step == 7

    play(test, world=ROOT / TOWN)


def test_a_robot_off_the_map_is_refused_and_the_world_goes_on() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=5)
        added = pb.AddRobotRequest(file="robots/scout.xml", name="b", is_placed=True, x=1e5, y=3.0)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.stub.AddRobot(added)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert (caught.value.details() or "").startswith("robot 'b': no ground of 'yard' at x=")
        assert (await client.control(Actions.STEP, steps=2)).step == 7

    play(test, world=ROOT / "worlds" / "yard.xml", simulation=Simulation)


def test_whoever_cancels_a_loading_keeps_the_world(
    monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    async def test(client: Client) -> None:
        call = client.stub.Load(pb.LoadRequest(world="worlds/yard.xml"))
        assert (await anext(aiter(call))).step
        assert "another world is being loaded" in await refusal(client.load(TOWN))
        call.cancel()
        while client.front.worlds._changing.locked():
            await asyncio.sleep(0.005)
        assert (await client.status()).phase == Phase.EMPTY

    play(test)


def test_a_robot_is_added_while_the_simulation_runs(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=48)
        before = await client.stub.Describe(pb.DescribeRequest())
        request = pb.AddRobotRequest(
            file="robots/scout.xml", name="two", is_placed=True, x=5.0, y=-3.0, yaw=1.0
        )
        status = await client.stub.AddRobot(request)
        assert (status.phase, status.step) == (Phase.PAUSED, 48)
        after = await client.stub.Describe(pb.DescribeRequest())
        assert after.layout_digest != before.layout_digest
        assert after.files[0] != before.files[0]
        assert "robots/scout.xml" in [each.name for each in after.files]
        await client.control(Actions.STEP, steps=24)
        states = [(each.robot, each.state) for each in await client.programs()]
        assert states == [("impreza", States.RUNNING)]
        for wrong, reason in (
            (pb.AddRobotRequest(file="robots/scout.xml", name="two"), "already a robot 'two'"),
            (
                pb.AddRobotRequest(file="robots/scout.xml", name="a.b"),
                "AddRobotRequest.name: expected a name",
            ),
            (pb.AddRobotRequest(file="../x.xml", name="c"), "leads upwards"),
            (pb.AddRobotRequest(file="worlds/yard.xml", name="c"), "root element <Robot>"),
        ):
            assert reason in await refusal(client.stub.AddRobot(wrong))
        assert (await client.status()).step == 72

    play(test, world=town_with(tmp_path, LOOPS))


def test_a_simulation_that_ran_runs_on_with_one_robot_more() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.RUN, real_time_factor=0.0)
        added = await client.stub.AddRobot(
            pb.AddRobotRequest(file="robots/impreza.xml", name="two", is_placed=True)
        )
        assert added.phase == Phase.RUNNING
        while (await client.status()).step < added.step + 100:
            await asyncio.sleep(0.005)

    play(test, world=ROOT / TOWN, is_safe=True)


def test_the_world_is_saved_as_it_stands(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=120)
        order = {"file": "userprograms/convoy.py", "arguments": ["a"]}
        await client.program(Orders.STOP, "impreza")
        await client.program(Orders.ATTACH, "impreza", **order)
        saved = (await client.stub.Save(pb.SaveRequest(folder=str(tmp_path)))).text
        file = tmp_path / "saved.xml"
        file.write_text(saved)
        (robot,) = load_world(file).robots
        # A light simulation drives robots in circles, 10 m in radius.
        assert robot.position is not None
        assert abs(robot.position[0] ** 2 + robot.position[1] ** 2 - 100.0) < 5.0
        assert robot.yaw == pytest.approx(0.5, abs=1e-5)
        assert (robot.program, robot.program_arguments) == ("userprograms/convoy.py", ("a",))

    play(test, world=town_with(tmp_path, LOOPS))


def test_a_safe_server_starts_no_program_until_it_is_told_to(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=24)
        (program,) = await client.programs()
        assert (program.state, program.exit_reason) == (States.STOPPED, "not started")
        (program,) = await client.program(Orders.RESTART, "impreza")
        assert program.state == States.RUNNING
        await client.load(TOWN, is_safe=True)
        assert [each.state for each in await client.programs()] == [States.STOPPED]

    play(test, world=town_with(tmp_path, LOOPS), is_safe=True)


def test_a_program_that_hangs_keeps_nobody_from_giving_orders(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.RUN, real_time_factor=0.0)
        while not (await client.programs())[0].has_turn or (await client.status()).step < 24:
            await asyncio.sleep(0.005)
        assert (await client.stub.Report(pb.ReportRequest())).robots == ["impreza"]
        assert (await client.control(Actions.PAUSE)).phase == Phase.PAUSED
        (program,) = await client.programs()
        assert program.turn_ms_max > 0.0
        await client.program(Orders.STOP, "impreza")
        while (await client.programs())[0].state != States.STOPPED:
            await asyncio.sleep(0.005)
        assert (await client.control(Actions.STEP, steps=3)).step == 27

    play(test, world=town_with(tmp_path, HANGS, limits='deadline="3600"'))


def test_a_server_ends_at_once_also_while_a_program_hangs(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.RUN, real_time_factor=0.0)
        while not (await client.programs())[0].has_turn or (await client.status()).step < 24:
            await asyncio.sleep(0.005)
        await client.control(Actions.STOP)
        await client.front.finished()
        host = client.front.worlds.require().host
        await host.stop()
        # It has ended by itself: nobody had to use force.
        assert host._process.returncode == 0

    play(test, world=town_with(tmp_path, HANGS, limits='deadline="3600"'))
