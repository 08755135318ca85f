"""A gateway that is started before its server waits for it, says so, and then works."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from autosim.applications.web import gateways
from autosim.cli import main
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from autosim.web.sessions import NoAnswerError
from autosim.web.streaming.packets import StreamKind
from autosim.web.upstream import Upstream
from autosim.web.web_gateway import MadeLink, OpenedGateway
from tests.server.light_simulation import light_options, light_world
from tests.web.gateways import Gateway, with_gateway


async def _answer(request: bytes, context: object) -> bytes:
    return request


ANSWERS: "grpc.RpcMethodHandler[bytes, bytes]" = grpc.unary_unary_rpc_method_handler(_answer)
"""Answers each call at once."""


def free_address() -> str:
    """The address of a port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


def test_links_are_made_before_the_server_is_there_and_pages_get_its_states_later(
    tmp_path: Path,
) -> None:
    address = free_address()

    async def check(gateway: Gateway) -> None:
        assert gateway.opened.is_waiting
        token = await gateway.token()
        viewer = await gateway.session(token, "view")
        async with gateway.page(viewer) as page:
            assert await page.receive() is StreamKind.HEARTBEAT
            assert page.trouble.startswith(f"no server listens at {address}")
            status, answer = await gateway.enter(token="of the server")
            assert status == 401
            assert answer["error"] == f"the server at {address} does not answer: try again later"
            with ServerProcess(light_world(1), replace(light_options(), address=address)):
                await page.receive_until(lambda: page.step >= 0)
                assert page.trouble == ""
                assert page.hello["state_bytes"]
                await gateway.control(token, pb.ControlRequest.PAUSE)

    with_gateway(address, tmp_path, check)


def test_a_call_right_after_the_server_has_come_waits_for_its_connection() -> None:
    address = free_address()

    async def check() -> None:
        upstream = Upstream(address)
        with pytest.raises(NoAnswerError):
            await upstream.role_of("of the server")
        server = grpc.aio.server()
        service = grpc.method_handlers_generic_handler(
            "autosim.v1.Simulator", {"ListTokens": ANSWERS}
        )
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(address)
        await server.start()
        upstream.sends_states = True
        assert await upstream.role_of("of the server") == "control"
        await upstream.close()
        await server.stop(None)

    asyncio.run(check())


def test_a_relay_says_that_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    link = MadeLink("control", "http://127.0.0.1:2080/#key=k")

    def opened(options: object, on_opened: object, **_: object) -> None:
        assert callable(on_opened)
        on_opened(OpenedGateway("127.0.0.1:2080", (link,), is_waiting=True))

    monkeypatch.setattr(gateways, "run_gateway", opened)
    address = free_address()
    result = CliRunner().invoke(main, ("relay", address, "--web", "127.0.0.1:2080"))
    assert f"no server answers at {address} yet: pages wait for it" in result.output
