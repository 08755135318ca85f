"""A gateway and its pages, with a real server behind it."""

import asyncio
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from autosim.web.streaming.packets import StreamKind
from tests.server.light_simulation import light_options, light_world
from tests.web.gateways import Gateway, with_gateway

WORLD = light_world(2)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess(WORLD, light_options()) as server:
        yield server


def test_a_page_gets_a_key_then_deltas_of_the_running_simulation(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        await gateway.control(token, pb.ControlRequest.RUN)
        async with gateway.page(token) as page:
            assert await page.receive() is None
            assert page.hello["state_bytes"]
            await page.receive_until(lambda: page.step >= 0)
            first = page.step
            kinds = {await page.receive() for _ in range(20)}
            assert StreamKind.DELTA in kinds
            assert page.step > first
            assert page.values[0] == page.step

    with_gateway(server.address, tmp_path, check)


def test_a_late_page_sees_the_state_of_a_paused_simulation_at_once(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        paused = await gateway.control(token, pb.ControlRequest.PAUSE)
        async with gateway.page(token) as early:
            await early.receive_until(lambda: early.step == paused.step and early.is_standing)
        async with gateway.page(token) as late:
            await late.receive()
            assert await late.receive() is StreamKind.KEY
            await late.receive_until(lambda: late.step == paused.step and late.is_standing)

    with_gateway(server.address, tmp_path, check)


def test_a_paused_simulation_sends_heartbeats(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        await gateway.control(token, pb.ControlRequest.PAUSE)
        async with gateway.page(token) as page:
            while await page.receive() is not StreamKind.HEARTBEAT:
                pass
            assert page.is_standing

    with_gateway(server.address, tmp_path, check)


def test_watched_nodes_come_as_they_are(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        paused = await gateway.control(token, pb.ControlRequest.PAUSE)
        status, body = await gateway.call(
            token,
            "Control",
            pb.ControlRequest(
                action=pb.ControlRequest.STATUS, wants_state=True
            ).SerializeToString(),
        )
        assert status == 200
        state = np.frombuffer(pb.Status.FromString(body).state, dtype=np.float64)
        async with gateway.page(token) as page:
            await page.receive_until(lambda: page.step == paused.step)
            described = pb.Description.FromString((await gateway.call(token, "Describe", b""))[1])
            robot = described.tree.root.children[0]
            part = next(each for each in robot.children if each.fields)
            name = f"{robot.name}.{part.name}"
            await page.stream.send_json({"watch": [name], "number": 7})
            while await page.receive() is not StreamKind.WATCHED:
                pass
            size = sum(each.size for each in part.fields)
            first = part.offset // 8
            assert np.array_equal(page.watched, state[first : first + size // 8])

    with_gateway(server.address, tmp_path, check)


def test_an_unknown_node_is_refused_and_the_stream_goes_on(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        async with gateway.page(token) as page:
            await page.receive_until(lambda: page.step >= 0)
            hello = dict(page.hello)
            await page.stream.send_json({"watch": ["nothing.at.all"]})
            while True:
                message = await page.stream.receive()
                if message.type.name == "TEXT":
                    break
            assert "there is no node 'nothing.at.all'" in message.data
            assert hello
            assert not page.stream.closed

    with_gateway(server.address, tmp_path, check)


def test_calls_have_the_role_of_the_session(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        owner = await gateway.token()
        viewer = await gateway.session(owner, "view")
        status, body = await gateway.call(viewer, "Describe", b"")
        assert status == 200
        assert pb.Description.FromString(body).tree.size
        pause = pb.ControlRequest(action=pb.ControlRequest.PAUSE).SerializeToString()
        status, body = await gateway.call(viewer, "Control", pause)
        assert status == 403
        assert b'"code": "permission_denied"' in body
        assert (await gateway.call(owner, "Control", pause))[0] == 200
        robot = pb.Description.FromString((await gateway.call(viewer, "Describe", b""))[1])
        driver = await gateway.session(owner, "drive", robots=[robot.tree.root.children[0].name])
        assert (await gateway.call(driver, "Control", pause))[0] == 403

    with_gateway(server.address, tmp_path, check)


def test_pages_that_ask_the_same_at_once_cost_one_call(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        answers = await asyncio.gather(*(gateway.call(token, "Report", b"") for _ in range(20)))
        assert {status for status, _ in answers} == {200}
        assert len({body for _, body in answers}) == 1

    with_gateway(server.address, tmp_path, check)


def test_calls_that_stream_or_do_not_exist_are_refused(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        for method in ("Subscribe", "Participate", "Nothing", "describe"):
            status, body = await gateway.call(token, method, b"")
            assert status == 501
            assert b"unimplemented" in body
        status, body = await gateway.call(token, "Control", b"\xff\xff\xff")
        assert status in (400, 500, 501)

    with_gateway(server.address, tmp_path, check)


def test_a_page_sets_an_actuator_of_a_robot_that_it_may_drive(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        owner = await gateway.token()
        described = pb.Description.FromString((await gateway.call(owner, "Describe", b""))[1])
        robot, other = (each.name for each in described.tree.root.children[:2])
        driver = await gateway.session(owner, "drive", robots=[robot])
        viewer = await gateway.session(owner, "view")

        async def set_drive(token: str, name: str) -> tuple[int, bytes]:
            command = pb.Command(device=f"{name}.box.drive", data=struct.pack("<3d", 0.1, 0.5, 0.0))
            batch = pb.Commands(commands=[command])
            return await gateway.call(token, "SetData", batch.SerializeToString())

        status, body = await set_drive(driver, robot)
        assert (status, pb.SetDataResult.FromString(body).accepted) == (200, 1), body
        assert (await set_drive(driver, other))[0] == 403
        assert (await set_drive(viewer, robot))[0] == 403

    with_gateway(server.address, tmp_path, check)


def test_a_page_drives_by_taking_part(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        await gateway.control(token, pb.ControlRequest.RUN)
        described = pb.Description.FromString((await gateway.call(token, "Describe", b""))[1])
        attach = pb.Attach(
            program="page",
            robot=described.tree.root.children[0].name,
            layout_digest=described.layout_digest,
        )
        async with gateway.client.ws_connect(gateway.url("/participate")) as stream:
            await stream.send_json({"token": token})
            await stream.send_bytes(pb.ProgramMessage(attach=attach).SerializeToString())
            wait = pb.ProgramMessage(wait=pb.Wait(until_step=0)).SerializeToString()
            await stream.send_bytes(wait)
            woken = pb.ServerMessage.FromString(await stream.receive_bytes(timeout=60))
            assert woken.HasField("turn_started")
            assert not woken.turn_started.state
        async with gateway.client.ws_connect(gateway.url("/participate")) as stream:
            await stream.send_json({"token": token})
            attach.layout_digest = "another"
            await stream.send_bytes(pb.ProgramMessage(attach=attach).SerializeToString())
            answer = pb.ServerMessage.FromString(await stream.receive_bytes(timeout=60))
            assert "layout" in answer.refused.reason

    with_gateway(server.address, tmp_path, check)


def test_the_page_is_served_compressed_and_cached(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        async with gateway.client.get(gateway.url("/")) as answer:
            assert answer.status == 200
            assert "<title>AutoSim" in await answer.text()
            assert answer.headers["Cache-Control"] == "no-cache"
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'self'" in policy
            assert "script-src 'self' 'wasm-unsafe-eval'" in policy
            assert "Set-Cookie" not in answer.headers
            tag = answer.headers["ETag"]
        async with gateway.client.get(gateway.url("/"), headers={"If-None-Match": tag}) as answer:
            assert answer.status == 304
        script = gateway.url("/assets/page-1234.js")
        async with gateway.client.get(script, auto_decompress=False) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert "immutable" in answer.headers["Cache-Control"]
            assert await answer.read() == b"compressed"
        for path in ("/nothing", "/assets/../../gateway.py", "/assets/%2e%2e/page.py"):
            async with gateway.client.get(gateway.url(path)) as answer:
                assert answer.status == 404

    with_gateway(server.address, tmp_path, check)
