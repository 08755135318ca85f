"""Nobody locks out the others, and nobody the owner, by calls that do not end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc

from autosim.engine.peer_limits import LIMITS
from autosim.server.network.front import Front
from autosim.server.network.permissions import auth_interceptor, shares
from autosim.server.network.permissions.auth_interceptor import TOKEN_KEY, TOKEN_SCHEME
from autosim.server.network.permissions.grants import Grant, Grants, Role
from autosim.server.network.permissions.shares import ShareError, Shares, host_of
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import light_options, light_world

WORLD = light_world(2)
Actions = pb.ControlRequest.Action
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
SMALL = replace(
    LIMITS,
    token_calls=6,
    host_calls=9,
    guest_calls=12,
    control_calls=8,
    open_calls=5,
    host_open_calls=3,
    open_request_seconds=0.2,
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of a few calls."""
    monkeypatch.setattr(shares, "LIMITS", SMALL)
    monkeypatch.setattr(auth_interceptor, "LIMITS", SMALL)


class Attacker:
    """Opens streams on any number of connections, and leaves them open."""

    def __init__(self, front: Front, stack: AsyncExitStack) -> None:
        self.front, self._stack = front, stack
        self._made: list[str] = []

    async def stub(self, token: str | None = None) -> Any:
        """The calls of a new connection; with the owner's token by default."""
        own_connection = [("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.aio.insecure_channel(self.front.address, own_connection)
        await self._stack.enter_async_context(channel)
        return WithToken(SimulatorStub(channel), self.front.address, token)

    async def token(self, role: str, **values: Any) -> str:
        owner = await self.stub()
        made = await owner.CreateToken(pb.CreateTokenRequest(role=pb.Role.Value(role), **values))
        self._made.append(made.token.name)
        return str(made.secret)

    async def clean_up(self) -> None:
        """Revokes the tokens, which also ends their calls, so that the next test finds none."""
        owner = await self.stub()
        listed = await owner.ListTokens(pb.ListTokensRequest())
        for each in {token.name for token in listed.tokens} & set(self._made):
            await owner.RevokeToken(pb.RevokeTokenRequest(name=each))

    async def subscribe(self, token: str, count: int) -> list[Any]:
        """Streams of states on one connection, of which each was admitted or refused."""
        stub = await self.stub(token)
        told = await (await self.stub()).Describe(pb.DescribeRequest())
        request = pb.SubscribeRequest(
            rate_hz=1.0, layout_digest=told.layout_digest, files=told.files
        )
        streams = [stub.Subscribe(request) for _ in range(count)]
        return [each for each in streams if await is_open(each)]


async def is_open(stream: Any) -> bool:
    """Whether a stream was admitted: it has a first message."""
    with suppress(grpc.aio.AioRpcError):
        return await stream.read() is not grpc.aio.EOF
    assert await stream.code() is EXHAUSTED, await stream.details()
    return False


async def status_of(stream: Any) -> grpc.StatusCode:
    """The status with which a stream ends; gRPC gives it once all messages before it are read."""
    with suppress(grpc.aio.AioRpcError):
        while await stream.read() is not grpc.aio.EOF:
            pass
    code: grpc.StatusCode = await stream.code()
    return code


Test = Callable[[Attacker], Awaitable[None]]
Play = Callable[[Test], None]


@pytest.fixture(scope="module")
def play() -> Iterator[Callable[[Test], None]]:
    """Runs a test against a server that all tests of this module share."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        async def make() -> Front:
            front = await Front(WORLD, light_options()).__aenter__()
            async with AsyncExitStack() as stack:
                owner = await Attacker(front, stack).stub()
                await owner.Control(pb.ControlRequest(action=Actions.STEP, steps=1))
            return front

        front = runner.run(make())

        def run(test: Test) -> None:
            async def within() -> None:
                async with AsyncExitStack() as stack, asyncio.timeout(60.0):
                    attacker = Attacker(front, stack)
                    stack.push_async_callback(attacker.clean_up)
                    await test(attacker)

            runner.run(within())

        yield run
        runner.run(front.__aexit__(None, None, None))


async def use_as_owner(owner: Any, *, revoked: str = "") -> None:
    """Does what an owner does who wants to be rid of somebody."""
    status = await owner.Control(pb.ControlRequest(action=Actions.STATUS))
    assert status.step == 1
    await owner.Control(pb.ControlRequest(action=Actions.PAUSE))
    if revoked:
        await owner.RevokeToken(pb.RevokeTokenRequest(name=revoked))


def test_nine_connections_of_250_streams_lock_nobody_out(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        token = await attacker.token("VIEW", name="hog")
        others = await attacker.token("CONTROL")
        admitted = sum([len(await attacker.subscribe(token, 250)) for _ in range(9)])
        assert admitted == LIMITS.token_calls
        await use_as_owner(await attacker.stub(others))
        await use_as_owner(await attacker.stub(), revoked="hog")

    play(test)


@pytest.mark.usefixtures("small")
def test_a_token_that_is_revoked_gives_its_share_back(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        hog, other = [await attacker.token("VIEW", name=each) for each in ("hog", "other")]
        streams = await attacker.subscribe(hog, 20)
        assert len(streams) == SMALL.token_calls
        assert len(await attacker.subscribe(other, 20)) == SMALL.host_calls - SMALL.token_calls
        await use_as_owner(await attacker.stub(), revoked="hog")
        for each in streams:
            assert await status_of(each) is grpc.StatusCode.UNAUTHENTICATED
        assert len(await attacker.subscribe(other, 20)) == SMALL.token_calls - 3

    play(test)


@pytest.mark.usefixtures("small")
def test_those_who_look_on_cannot_use_up_the_share_of_those_who_control(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        control = await attacker.token("CONTROL", name="helper")
        for _ in range(3):
            await attacker.subscribe(await attacker.token("VIEW"), 20)
        await use_as_owner(await attacker.stub(control))
        await attacker.subscribe(control, 20)
        await use_as_owner(await attacker.stub(), revoked="helper")

    play(test)


@pytest.mark.usefixtures("small")
def test_a_refused_call_says_whose_share_is_used_up(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        token = await attacker.token("VIEW", name="busy")
        await attacker.subscribe(token, SMALL.token_calls)
        stub = await attacker.stub(token)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Control(pb.ControlRequest(action=Actions.STATUS))
        assert caught.value.code() is EXHAUSTED
        assert "the token 'busy' has 6 calls and streams at this server" in str(caught.value)

    play(test)


@pytest.mark.usefixtures("small")
def test_calls_whose_request_does_not_come_are_counted_and_without_a_token_end(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        async with grpc.aio.insecure_channel(attacker.front.address) as channel:
            method = "/grpc.health.v1.Health/Check"
            # The head of each call alone: its request is never written.
            held = [channel.stream_stream(method)() for _ in range(SMALL.host_open_calls)]
            codes = [await each.code() for each in held]
            assert codes == [grpc.StatusCode.DEADLINE_EXCEEDED] * len(held)
            stub = health_pb2_grpc.HealthStub(channel)
            await stub.Check(health_pb2.HealthCheckRequest())  # there is room again

    play(test)


@pytest.mark.usefixtures("small")
def test_a_revoked_token_gives_back_calls_whose_request_has_not_come(play: Play) -> None:
    async def test(attacker: Attacker) -> None:
        token = await attacker.token("VIEW", name="silent")
        async with grpc.aio.insecure_channel(attacker.front.address) as channel:
            metadata = ((TOKEN_KEY, f"{TOKEN_SCHEME}{token}"),)
            method = channel.stream_stream("/autosim.v1.Simulator/Subscribe")
            held = [method(metadata=metadata) for _ in range(SMALL.token_calls + 1)]
            tasks = [asyncio.ensure_future(each.code()) for each in held]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            assert [each.result() for each in done] == [EXHAUSTED]
            await use_as_owner(await attacker.stub(), revoked="silent")
            codes = await asyncio.wait_for(asyncio.gather(*tasks), 10.0)
            assert codes.count(grpc.StatusCode.UNAUTHENTICATED) == SMALL.token_calls

    play(test)


def test_all_connections_of_an_address_count_together() -> None:
    assert host_of("ipv4:10.0.0.7:4711") == host_of("ipv4:10.0.0.7:4712") == "ipv4:10.0.0.7"
    assert host_of("ipv6:%5B::1%5D:4711") == "ipv6:%5B::1%5D"
    assert host_of("unix:") == "unix:"


@pytest.mark.usefixtures("small")
def test_shares_count_by_class_token_and_address() -> None:
    counted = Shares()

    def count_admitted(name: str, role: Role, host: str, tries: int = 30) -> int:
        for number in range(tries):
            try:
                open_calls.enter_context(
                    counted.admit(Grant(name, name, role), f"ipv4:{host}:{number}", is_owner=False)
                )
            except ShareError:
                return number
        return tries

    with ExitStack() as open_calls:
        assert count_admitted("a", Role.VIEW, "1") == SMALL.token_calls
        assert count_admitted("b", Role.DRIVE, "1") == SMALL.host_calls - SMALL.token_calls
        assert count_admitted("c", Role.VIEW, "2") == SMALL.guest_calls - SMALL.host_calls
        assert count_admitted("d", Role.CONTROL, "1") == SMALL.token_calls
        assert count_admitted("e", Role.CONTROL, "1") == SMALL.control_calls - SMALL.token_calls
    with ExitStack() as open_calls:
        assert count_admitted("a", Role.VIEW, "1") == SMALL.token_calls


@pytest.mark.usefixtures("small")
def test_a_call_is_no_longer_counted_when_its_status_is_sent() -> None:
    class Aborting:
        """A call whose abort begins the next one before it returns, as a fast client does."""

        def __init__(self, following: Callable[[], Awaitable[None]] | None) -> None:
            self.following = following

        def peer(self) -> str:
            return "ipv4:1:1"

        async def abort(
            self, code: grpc.StatusCode, details: str, _metadata: tuple[()] = ()
        ) -> None:
            ends.append(code)
            if self.following is not None:
                await self.following()
            raise grpc.aio.AbortError(details)

    ends: list[grpc.StatusCode] = []

    async def fail(_request: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such thing")

    async def find_handler(_details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(fail)

    async def requests() -> AsyncIterator[bytes]:
        yield b""

    async def test() -> None:
        grants = Grants()
        _grant, secret = grants.make(Role.VIEW, name="viewer")
        details: Any = SimpleNamespace(
            method="/autosim.v1.Simulator/Report",
            invocation_metadata=((TOKEN_KEY, f"{TOKEN_SCHEME}{secret}"),),
        )
        handler: Any = await auth_interceptor.AuthInterceptor(grants).intercept_service(
            find_handler, details
        )

        async def call(depth: int) -> None:
            following = (lambda: call(depth - 1)) if depth else None
            with suppress(grpc.aio.AbortError):
                await handler.stream_unary(requests(), Aborting(following))

        await call(SMALL.token_calls)

    asyncio.run(test())
    assert ends == [grpc.StatusCode.NOT_FOUND] * (SMALL.token_calls + 1)
