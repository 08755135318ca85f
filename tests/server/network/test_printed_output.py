"""What programs of the server print is among its messages."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
import uvloop

from autosim.server.network.front import Event, Front, Printed
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import light_options, light_world
from tests.userprogram.rig import write

TALKS = """
import os, sys
from autosim.userprogram import wait
def main(argv):
    print("hello")
    print("careful", file=sys.stderr)
    os.system("echo from a shell")
    wait(1.0)
"""


def test_what_a_program_prints_is_among_the_messages_under_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "userprograms").mkdir()
    write(tmp_path / "userprograms", "talks", TALKS)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    world = light_world()
    world = replace(world, robots=(replace(world.robots[0], program="talks.py"),))
    wanted = {"hello", "careful", "from a shell"}
    heard: dict[str, str] = {}

    async def run() -> None:
        is_complete = asyncio.Event()

        def note(event: Event) -> None:
            if isinstance(event, Printed):
                heard[event.notice.text] = event.notice.source
                if wanted <= heard.keys():
                    is_complete.set()

        async with Front(world, light_options(), on_event=note) as front:
            channel = grpc.aio.insecure_channel(front.address)
            stub = WithToken(SimulatorStub(channel), front.address)
            async with asyncio.timeout(60.0):
                await stub.Control(pb.ControlRequest(action=pb.ControlRequest.Action.STEP, steps=1))
                await is_complete.wait()
            await channel.close()
            kept = front.notices.since(0, characters=10**9)
            assert wanted <= {each.notice.text for each in kept if each.notice.is_output}

    uvloop.run(run())
    assert {heard[text] for text in wanted} == {f"{world.robots[0].name} (talks.py)"}
    out = err = ""
    end = time.monotonic() + 60.0
    while "from a shell" not in out or "careful" not in err:  # another thread writes them
        assert time.monotonic() < end, (out, err)
        more = capfd.readouterr()
        out, err = out + more.out, err + more.err
        time.sleep(0.01)
    assert out.splitlines() == ["hello", "from a shell"]
    assert err.splitlines() == ["careful"]
