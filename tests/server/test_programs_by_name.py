"""What a client names as a program is one of the program folders, or is not run."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import grpc
import pytest

from autosim.v1 import autosim_pb2 as pb
from tests.server.test_worlds import Client, play, town_with

OWNED = "from pathlib import Path\nPath({file!r}).write_text('owned')\n\ndef main(argv): pass\n"
Orders = pb.ProgramOrder.Action
Actions = pb.ControlRequest.Action


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the server with Python files that are no programs; each leaves a mark."""
    project = tmp_path / "project"
    text = OWNED.format(file=str(tmp_path / "mark"))
    for name in ("setup.py", ".venv/lib/site-packages/x.py", "worlds/x.py", "robots/x.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (project / "userprograms").mkdir()
    (project / "userprograms" / "link.py").symlink_to(project / "setup.py")
    monkeypatch.setenv("AUTOSIM_PATH", str(project))
    return tmp_path


NAMES = (
    *("setup.py", ".venv/lib/site-packages/x.py", "worlds/x.py", "robots/x.py", "link.py"),
    *("userprograms/link.py", "userprograms/../setup.py", "/setup.py", "autosim/__main__.py"),
    *("tests/worlds.py", "scripts/draw_places.py", "{project}/setup.py"),
)


def test_no_other_file_of_the_server_can_be_attached_or_added(traps: Path) -> None:
    async def refused(call: Awaitable[Any]) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT

    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=1)
        for name in NAMES:
            file = name.format(project=traps / "project")
            order = pb.ProgramOrder(action=Orders.ATTACH, robot="impreza", file=file)
            await refused(client.stub.ControlProgram(order))
            added = pb.AddRobotRequest(file="robots/scout.xml", name="two", program=file)
            await refused(client.stub.AddRobot(added))
        await client.control(Actions.STEP, steps=24)
        assert [each.robot for each in await client.programs()] == ["impreza"]
        assert not (traps / "mark").exists()
        order = pb.ProgramOrder(action=Orders.ATTACH, robot="impreza", file="convoy.py")
        (attached,) = (await client.stub.ControlProgram(order)).programs
        assert attached.file == "userprograms/convoy.py"

    play(test, world=town_with(traps, "def main(argv): pass\n"))


def test_a_world_that_names_another_file_is_loaded_without_running_it(traps: Path) -> None:
    folder = traps / "project"
    world = town_with(folder, "def main(argv): pass\n")
    world.write_text(world.read_text().replace('file="program.py"', 'file="setup.py"'))

    async def test(client: Client) -> None:
        await client.control(Actions.STEP, steps=24)
        (program,) = await client.programs()
        assert "is not run from there; put it into" in program.last_words
        assert not (traps / "mark").exists()

    play(test, world=world)
