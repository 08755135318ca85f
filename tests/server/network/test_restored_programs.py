"""A run goes back to before its program has ended; a snapshot that is gone leaves nothing."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from autosim.v1 import autosim_pb2 as pb
from tests.running_processes import children
from tests.server.light_simulation import light_options, light_world
from tests.server.network.test_snapshots import Actions, TimeClient, play
from tests.userprogram.rig import write

Orders = pb.ProgramOrder.Action

COUNTS = """
import os, signal, sys
from pathlib import Path
from autosim.userprogram import set_data, wait

def main(argv):
    turns, fate = 0, Path(argv[1])
    while True:
        if fate.exists():
            exec(fate.read_text())
        turns += 1
        set_data(f"{argv[0]}.box.drive", [0.0, turns / 1000, 0.0])
        wait(1 / 240)
"""
"""Sets its actuator to the number of its turns. What it finds in a file is done in its turn."""

FATES = {
    "is restarted": Orders.RESTART,
    "is stopped": Orders.STOP,
    "raises": "raise ArithmeticError",
    "returns": "sys.exit()",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "crashes": "os.abort()",
    "kills its group": "os.killpg(os.getpgrp(), signal.SIGKILL)",
}
"""What becomes of the program after the snapshot: an order to it, or code that it runs."""

MARK = "AUTOSIM_TEST_OF_SNAPSHOTS"
"""A variable in the environment of all processes of a test."""

EARLIER = "AUTOSIM_TEST_EARLIER_CHILDREN"
"""A variable with the children that this process has before a test: other tests left them."""


@pytest.fixture
def fate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "userprograms"
    folder.mkdir()
    write(folder, "counts", COUNTS)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    monkeypatch.setenv(MARK, uuid4().hex)
    monkeypatch.setenv(EARLIER, " ".join(map(str, children(os.getpid()))))
    return tmp_path / "fate"


async def attach(client: TimeClient, fate: Path) -> None:
    arguments = [str(fate)]
    order = pb.ProgramOrder(
        action=Orders.ATTACH, robot="r0", file="counts.py", arguments=arguments, has_arguments=True
    )
    await client.stub.ControlProgram(order)


async def state_of_program(client: TimeClient) -> str:
    (program,) = (await client.stub.Programs(pb.ProgramsRequest())).programs
    return pb.Program.State.Name(program.state)


async def digest_after(client: TimeClient, steps: int) -> str:
    await client.step(steps)
    return await client.digest()


def test_a_program_that_has_ended_since_goes_on(fate: Path) -> None:
    async def end(client: TimeClient, how: object) -> None:
        if isinstance(how, str):
            fate.write_text(how)
        else:
            await client.stub.ControlProgram(pb.ProgramOrder(action=how, robot="r0"))

    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        await client.step(20)
        await client.order(Actions.SNAPSHOT, name="a")
        uninterrupted = await digest_after(client, 20)
        for name, how in FATES.items():
            await client.order(Actions.RESTORE, name="a")
            await client.step(5)
            await end(client, how)
            assert await digest_after(client, 15) != uninterrupted, name
            fate.unlink(missing_ok=True)
            await client.order(Actions.RESTORE, name="a")
            assert await digest_after(client, 20) == uninterrupted, name
            assert await state_of_program(client) == "RUNNING"

    play(test, light_world(), light_options())


def test_a_program_outlives_the_snapshot_from_which_it_goes_on(fate: Path) -> None:
    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        await client.step(20)
        await client.order(Actions.SNAPSHOT, name="a")
        uninterrupted = await digest_after(client, 200)
        await client.order(Actions.RESTORE, name="a")
        await client.step(20)
        await client.order(Actions.DROP, name="a")
        await settled(lambda: sleepers() <= 1)
        await client.order(Actions.SNAPSHOT, name="b")
        await client.step(20)
        await client.order(Actions.RESTORE, name="b")
        assert await digest_after(client, 180) == uninterrupted
        assert await state_of_program(client) == "RUNNING"

    play(test, light_world(), light_options())


def test_a_snapshot_may_be_dropped_and_made_again_at_once(fate: Path) -> None:
    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        await client.step(5)
        for _ in range(5):
            await client.order(Actions.SNAPSHOT, name="a")
            await client.order(Actions.DROP, name="a")
        await client.order(Actions.SNAPSHOT, name="a")
        uninterrupted = await digest_after(client, 20)
        await client.order(Actions.RESTORE, name="a")
        assert await digest_after(client, 20) == uninterrupted

    play(test, light_world(), light_options())


def test_who_leaves_while_the_run_goes_back_does_not_end_it(fate: Path) -> None:
    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        await client.step(5)
        await client.order(Actions.SNAPSHOT, name="a")
        uninterrupted = await digest_after(client, 20)
        running = client.front.worlds.require()
        snapshot = running.snapshots.find("a")
        restoring = asyncio.ensure_future(running.restore(snapshot))
        while not running.host._retired:  # the process has ended its programs, and no other follows
            await asyncio.sleep(0)
        restoring.cancel()
        await client.order(Actions.RESTORE, name="a")
        assert await digest_after(client, 20) == uninterrupted

    play(test, light_world(), light_options())


def test_snapshots_leave_no_process_and_no_file_behind(fate: Path) -> None:
    async def cycle(client: TimeClient, times: int) -> None:
        for _ in range(times):
            await client.order(Actions.SNAPSHOT, name="a")
            await client.order(Actions.SNAPSHOT, name="b")
            await client.step(2)
            await client.order(Actions.DROP, name="b")
            await client.order(Actions.RESTORE, name="a")
            await client.order(Actions.DROP, name="a")
            await client.step(2)

    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        await client.step(5)
        await cycle(client, 2)  # the process that was started first has another parent
        await settled(lambda: sleepers() == 1 and not zombies())
        before = leftovers()
        await cycle(client, 5)
        await settled(lambda: not leftovers() - before)

    play(test, light_world(), light_options())


def test_dropped_snapshots_leave_no_zombie_of_the_simulation_or_of_programs(fate: Path) -> None:
    """Also in a run that never goes back, whose process stays their parent."""

    async def test(client: TimeClient) -> None:
        await attach(client, fate)
        for _ in range(4):
            await client.order(Actions.SNAPSHOT, name="a")
            await client.step(2)
            await client.order(Actions.DROP, name="a")
        await settled(lambda: not sleepers() and not zombies())

    play(test, light_world(), light_options())


async def settled(is_true: object) -> None:
    """Waits until processes that have been let go have ended; the test's own limit ends it."""
    assert callable(is_true)
    while not is_true():
        await asyncio.sleep(0.02)


def processes() -> Iterator[Path]:
    """Those of this test, this one included."""
    mark = f"{MARK}={os.environ[MARK]}".encode()
    own = Path("/proc/self").resolve()
    for folder in Path("/proc").iterdir():
        try:
            if folder == own or mark in (folder / "environ").read_bytes().split(b"\0"):
                yield folder
        except OSError:
            continue


def name_of(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return ""


def sleepers() -> int:
    return sum(name_of(each) == "autosim-asleep" for each in processes())


def zombies() -> int:
    born = {child for each in processes() for child in children(int(each.name))}
    earlier = {int(each) for each in os.environ[EARLIER].split()}
    return sum(_is_zombie(pid) for pid in born - earlier)


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def leftovers() -> Counter[str]:
    """The numbers of zombies, and of processes of each name and of their open files."""
    found = Counter({"zombies": zombies()})
    for each in processes():
        try:
            found[f"files of {name_of(each)}"] += len(list((each / "fd").iterdir()))
            found[name_of(each)] += 1
        except OSError:
            continue
    return found
