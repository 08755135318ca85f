"""What a client names as a program is one of the program folders, or is not run."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvloop

from autosim.config.descriptions import WorldDescription
from autosim.server.network.front import Front
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import light_options, light_world
from tests.userprogram.rig import write

LEAVES_A_MARK = "from pathlib import Path\nPath({mark!r}).write_text('')\ndef main(argv): pass\n"
WAITS = "from autosim.userprogram import wait\ndef main(argv):\n    wait(1.0)\n"
Attach = pb.ProgramOrder.Action.ATTACH

TRAPS = ("setup.py", ".venv/lib/site-packages/x.py", "worlds/x.py", "robots/x.py")
NAMES = (
    *(*TRAPS, "link.py", "userprograms/link.py", "userprograms/../setup.py", "/setup.py"),
    *("autosim/__main__.py", "tests/worlds.py", "scripts/draw_places.py", "{project}/setup.py"),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the server with Python files that are no programs; each leaves a mark."""
    project = tmp_path / "project"
    for name in TRAPS:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(LEAVES_A_MARK.format(mark=str(tmp_path / "mark")))
    (project / "userprograms").mkdir()
    (project / "userprograms" / "link.py").symlink_to(project / "setup.py")
    write(project / "userprograms", "waits", WAITS)
    monkeypatch.setenv("AUTOSIM_PATH", str(project))
    return project


def play(test: Callable[[Any], Awaitable[None]], world: WorldDescription) -> None:
    """Runs a test with the owner's calls to a light server of `world`."""

    async def within() -> None:
        async with asyncio.timeout(60.0), Front(world, light_options()) as front:
            channel = grpc.aio.insecure_channel(front.address)
            await test(WithToken(SimulatorStub(channel), front.address))
            await channel.close()

    uvloop.run(within())


async def step(stub: Any) -> None:
    await stub.Control(pb.ControlRequest(action=pb.ControlRequest.Action.STEP, steps=24))


async def programs(stub: Any) -> list[pb.Program]:
    return list((await stub.Programs(pb.ProgramsRequest())).programs)


async def refused(call: Awaitable[Any]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_no_other_file_of_the_server_can_be_attached_or_added(project: Path) -> None:
    async def test(stub: Any) -> None:
        await step(stub)
        for name in NAMES:
            file = name.format(project=project)
            await refused(
                stub.ControlProgram(pb.ProgramOrder(action=Attach, robot="r0", file=file))
            )
            added = pb.AddRobotRequest(file="robots/scout.xml", name="two", program=file)
            await refused(stub.AddRobot(added))
        await step(stub)
        assert await programs(stub) == []
        assert not (project.parent / "mark").exists()
        order = pb.ProgramOrder(action=Attach, robot="r0", file="waits.py")
        (attached,) = (await stub.ControlProgram(order)).programs
        assert attached.file == "userprograms/waits.py"

    play(test, light_world())


def test_a_world_that_names_another_file_is_simulated_without_running_it(project: Path) -> None:
    async def test(stub: Any) -> None:
        await step(stub)
        (program,) = await programs(stub)
        assert "is not run from there; put it into" in program.exit_reason
        assert not (project.parent / "mark").exists()

    world = light_world()
    play(test, replace(world, robots=(replace(world.robots[0], program="setup.py"),)))
