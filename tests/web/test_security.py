"""Pages of other sites, old links, floods and malformed messages: each is refused with a reason."""

import asyncio
import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from autosim.access.certificates import own_identity
from autosim.applications.web.links import make_link
from autosim.errors import UserError
from autosim.server.network.server_process import ServerProcess
from autosim.v1 import autosim_pb2 as pb
from autosim.web.sessions import LINK_SECONDS, SESSION_SECONDS, NoEntryError, Sessions
from autosim.web.viewer_limits import VIEWER_LIMITS, Budget
from autosim.web.web_gateway import GatewayOptions, opened_gateway
from tests.server.light_simulation import light_options, light_world
from tests.web.gateways import Gateway, make_page, with_gateway


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess(light_world(1), light_options()) as server:
        yield server


async def close_of(stream: aiohttp.ClientWebSocketResponse) -> tuple[int, str]:
    """Code and reason with which the gateway closes a stream."""
    async with asyncio.timeout(60):
        while True:
            message = await stream.receive()
            if message.type is aiohttp.WSMsgType.CLOSE:
                return message.data, message.extra or ""


def test_a_link_opens_one_session(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        await gateway.token()
        status, content = await gateway.enter(key=gateway.key)
        assert status == 401
        assert "used already, or has expired" in str(content["error"])

    with_gateway(server.address, tmp_path, check)


def test_links_and_sessions_expire() -> None:
    now = 0.0
    sessions = Sessions(clock=lambda: now)
    late, used = sessions.make_link("view"), sessions.make_link("view", uses=2)
    assert sessions.use_link(used) == ("view", ())
    token = sessions.open("view")
    session = sessions.find(token)
    assert session is not None
    ended: list[bool] = []
    session.on_end.append(lambda: ended.append(True))
    now = 1.01 * LINK_SECONDS
    for key in (late, used, "nothing"):
        with pytest.raises(NoEntryError):
            sessions.use_link(key)
    now = 1.01 * SESSION_SECONDS
    sessions.end_expired()
    assert ended == [True]
    assert sessions.find(token) is None


def test_nothing_is_open_without_a_session(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        for token in ("", "wrong"):
            assert (await gateway.call(token, "Describe", b""))[0] == 401
            assert (await gateway.link(token, role="view"))[0] == 401
            for path in ("/stream", "/participate"):
                async with gateway.client.ws_connect(gateway.url(path)) as stream:
                    await stream.send_json({"token": token})
                    code, reason = await close_of(stream)
                    assert (code, "open a new link" in reason) == (1008, True)
        for content in ({"key": "wrong"}, {"token": "wrong"}):
            assert (await gateway.enter(**content))[0] == 401
        assert (await gateway.enter(neither=1))[0] == 400

    with_gateway(server.address, tmp_path, check)


def test_pages_of_other_sites_are_refused(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        elsewhere = {"Origin": "https://elsewhere.example"}
        for path in ("/stream", "/participate"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await gateway.client.ws_connect(gateway.url(path), headers=elsewhere)
            assert refused.value.status == 403
        for path in ("/api/enter", "/api/link", "/autosim.v1.Simulator/Control"):
            async with gateway.client.post(
                gateway.url(path), json={"key": gateway.key}, headers=elsewhere
            ) as answer:
                assert answer.status == 403
                assert "Access-Control-Allow-Origin" not in answer.headers
        own = {"Origin": f"http://{gateway.opened.address}"}
        async with gateway.client.ws_connect(gateway.url("/stream"), headers=own) as stream:
            assert not stream.closed

    with_gateway(server.address, tmp_path, check)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no JSON", 1007),
        ("[1]", 1007),
        ('{"rate_hz": 20}', 1007),
        ('{"token": "x", "rate_hz": "fast"}', 1007),
        ('{"token": "x", "rate_hz": NaN}', 1007),
        (b"bytes", 1007),
        ("[" * 10_000, 1007),
        ("x" * 20_000, 1009),
    ],
)
def test_malformed_first_messages_have_a_close_code(
    server: ServerProcess, tmp_path: Path, message: str | bytes, code: int
) -> None:
    async def check(gateway: Gateway) -> None:
        async with gateway.client.ws_connect(gateway.url("/stream")) as stream:
            if isinstance(message, bytes):
                await stream.send_bytes(message)
            else:
                await stream.send_str(message)
            found, reason = await close_of(stream)
            assert found == code
            assert reason or code == 1009  # "too large" needs no words

    with_gateway(server.address, tmp_path, check)


@pytest.mark.parametrize(
    "message",
    [
        '{"watch": "all"}',
        '{"watch": [1]}',
        '{"watch": [], "number": 65536}',
        '{"watch": [], "number": 1.5}',
        '{"watch": ' + str(["x"] * 300).replace("'", '"') + "}",
        "{}",
    ],
)
def test_malformed_messages_end_one_stream_and_no_other(
    server: ServerProcess, tmp_path: Path, message: str
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        async with gateway.page(token) as innocent, gateway.page(token) as page:
            await innocent.receive_until(lambda: innocent.step >= 0)
            await page.stream.send_str(message)
            code, reason = await close_of(page.stream)
            assert (code, bool(reason)) == (1007, True)
            await innocent.receive()
            assert not innocent.stream.closed

    with_gateway(server.address, tmp_path, check)


def test_a_stream_without_a_token_is_closed(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        async with gateway.client.ws_connect(gateway.url("/stream")) as stream:
            assert await close_of(stream) == (1008, "no token came")

    limits = replace(VIEWER_LIMITS, first_message_seconds=0.05)
    with_gateway(server.address, tmp_path, check, limits=limits)


def test_a_flood_of_messages_ends_the_stream(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        async with gateway.page(token) as page:
            for _ in range(2 * 10 * int(VIEWER_LIMITS.stream_messages_per_second)):
                await page.stream.send_str('{"watch": []}')
            code, reason = await close_of(page.stream)
            assert (code, "messages a second" in reason) == (1008, True)

    with_gateway(server.address, tmp_path, check)


def test_a_session_has_a_limited_number_of_streams_and_calls(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        async with gateway.page(token) as first, gateway.page(token) as second:
            await first.receive()
            await second.receive()
            async with gateway.page(token) as third:
                code, reason = await close_of(third.stream)
                assert (code, "2 streams" in reason) == (1013, True)
        statuses = [(await gateway.call(token, "Report", b""))[0] for _ in range(12)]
        assert statuses[:5] == [200] * 5
        assert 429 in statuses

    limits = replace(VIEWER_LIMITS, session_connections=2, calls_per_second=1.0)
    with_gateway(server.address, tmp_path, check, limits=limits)


def test_all_viewers_together_are_limited(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        async with gateway.page(token) as page:
            await page.receive()
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await gateway.client.ws_connect(gateway.url("/stream"))
            assert refused.value.status == 503

    limits = replace(VIEWER_LIMITS, connections=1)
    with_gateway(server.address, tmp_path, check, limits=limits)


def test_requests_that_are_too_large_are_refused(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        token = await gateway.token()
        status, _ = await gateway.call(token, "Control", b"x" * (VIEWER_LIMITS.request_bytes + 1))
        assert status == 413

    with_gateway(server.address, tmp_path, check)


def test_a_viewer_makes_no_links(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        owner = await gateway.token()
        viewer = await gateway.session(owner, "view")
        assert (await gateway.link(viewer, role="control"))[0] == 403
        for content in ({"role": "all"}, {"uses": 0}, {"uses": 10**6}):
            assert (await gateway.link(owner, **content))[0] == 400

    with_gateway(server.address, tmp_path, check)


def test_a_budget_refills_with_time() -> None:
    budget = Budget(rate=2.0, burst=3.0)
    assert [budget.spend(0.0) for _ in range(4)] == [True, True, True, False]
    assert not budget.is_full(0.5)
    assert [budget.spend(0.5) for _ in range(2)] == [True, False]
    assert budget.is_full(10.0)


def test_a_gateway_without_a_page_says_how_it_is_built(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_gateway(GatewayOptions("127.0.0.1:1", page=tmp_path)):
            pass

    with pytest.raises(UserError, match=r"run sh scripts/build_page\.sh"):
        asyncio.run(run())


def test_a_port_that_is_taken_is_named(server: ServerProcess, tmp_path: Path) -> None:
    async def run() -> None:
        options = GatewayOptions("127.0.0.1:1", web=server.address, page=make_page(tmp_path / "p"))
        async with opened_gateway(options):
            pass

    with pytest.raises(UserError, match=f"cannot listen at {server.address}"):
        asyncio.run(run())


def test_a_revoked_token_ends_its_stream(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autosim.web.web_gateway.REVOCATION_SECONDS", 0.05)

    async def check(gateway: Gateway) -> None:
        owner = await gateway.token()
        request = pb.CreateTokenRequest(role="VIEW", name="guest").SerializeToString()
        status, body = await gateway.call(owner, "CreateToken", request)
        assert status == 200
        status, entered = await gateway.enter(token=pb.CreatedToken.FromString(body).secret)
        assert (status, entered["role"]) == (200, "view")
        async with gateway.page(str(entered["token"])) as page:
            await page.receive_until(lambda: page.step >= 0)
            revoke = pb.RevokeTokenRequest(name="guest").SerializeToString()
            assert (await gateway.call(owner, "RevokeToken", revoke))[0] == 200
            code, reason = await close_of(page.stream)
            assert (code, "session has ended" in reason) == (1008, True)

    with_gateway(server.address, tmp_path, check)


def test_a_gateway_that_other_machines_reach_encrypts(
    server: ServerProcess, tmp_path: Path
) -> None:
    async def check(gateway: Gateway) -> None:
        link = gateway.opened.links[0].url
        assert link.startswith("https://")
        assert "0.0.0.0" not in link
        port = gateway.opened.address.rpartition(":")[2]
        url = f"https://127.0.0.1:{port}/healthz"
        fingerprint = gateway.opened.fingerprint
        assert fingerprint == own_identity().fingerprint
        digest = base64.b64decode(fingerprint.removeprefix("SHA256:") + "=")
        async with gateway.client.get(url, ssl=aiohttp.Fingerprint(digest)) as answer:
            assert answer.status == 200

    with_gateway(server.address, tmp_path, check, web="0.0.0.0:0")


def test_more_links_come_from_the_users_own_gateway(server: ServerProcess, tmp_path: Path) -> None:
    async def check(gateway: Gateway) -> None:
        address = gateway.opened.address
        url = await asyncio.to_thread(make_link, address, "view", 2)
        key = url.partition("#key=")[2]
        for status in (200, 200, 401):
            assert (await gateway.enter(key=key))[0] == status

    with_gateway(server.address, tmp_path, check)
    with pytest.raises(UserError, match=r"no gateway of yours serves browsers at 127\.0\.0\.1:9"):
        make_link("127.0.0.1:9", "view", 1)
