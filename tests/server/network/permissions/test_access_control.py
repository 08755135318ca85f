"""Who may call a server: without a token nobody, with one whoever it was made for."""

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from autosim.access.own_servers import servers_folder
from autosim.access.private_files import AccessError, write_private
from autosim.client.link.credentials import Credentials
from autosim.server.network.front import Front
from autosim.server.network.gateway import SERVICE
from autosim.server.network.permissions import grants
from autosim.server.network.permissions.grants import Grants, Role, digest_of
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import LightSimulation, light_options, light_world

WORLD = light_world(2)
Actions = pb.ControlRequest.Action
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED


class Caller:
    """Calls a server with any token, or with none."""

    def __init__(self, front: Front, channel: grpc.aio.Channel) -> None:
        self.front, self.channel = front, channel
        self.owner = self.with_token(None)

    def with_token(self, token: str | None) -> Any:
        """The calls with a token; None: with the owner's, "": with none."""
        plain = SimulatorStub(self.channel)
        return plain if token == "" else WithToken(plain, self.front.address, token)

    async def made(self, role: str, **values: Any) -> Any:
        """The calls with a token that was made for them."""
        request = pb.CreateTokenRequest(role=pb.Role.Value(role), **values)
        return self.with_token((await self.owner.CreateToken(request)).secret)

    async def revoke_all(self) -> None:
        """Revokes all tokens, so that the next test finds none, nor this one when it runs again."""
        for token in (await self.owner.ListTokens(pb.ListTokensRequest())).tokens:
            await self.owner.RevokeToken(pb.RevokeTokenRequest(name=token.name))


Test = Callable[[Caller], Awaitable[None]]


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Test], None]]:
    """Runs a test against a server that all tests of this module share."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        async def make() -> Front:
            front = await Front(WORLD, light_options()).__aenter__()
            await WithToken(
                SimulatorStub(grpc.aio.insecure_channel(front.address)), front.address
            ).Control(pb.ControlRequest(action=Actions.STEP, steps=1))
            return front

        front = runner.run(make())

        def play(test: Test) -> None:
            async def within() -> None:
                async with asyncio.timeout(30.0):
                    async with grpc.aio.insecure_channel(front.address) as channel:
                        caller = Caller(front, channel)
                        try:
                            await test(caller)
                        finally:
                            await caller.revoke_all()

            runner.run(within())

        yield play
        runner.run(front.__aexit__(None, None, None))


async def refusal(call: Any) -> tuple[grpc.StatusCode, str]:
    """How a call of any kind is refused."""
    with contextlib.suppress(grpc.RpcError):
        if isinstance(call, grpc.aio.StreamStreamCall | grpc.aio.UnaryStreamCall):
            while await call.read() is not grpc.aio.EOF:
                pass
        else:
            await call
    return await call.code(), await call.details()


def calls(stub: Any) -> list[tuple[str, Any]]:
    """A call of each method of the contract."""
    methods = pb.DESCRIPTOR.services_by_name["Simulator"].methods
    return [(each.name, call_of(stub, each)) for each in methods]


def call_of(stub: Any, method: Any) -> Any:
    request = getattr(pb, method.input_type.name)()
    return getattr(stub, method.name)(iter([request]) if method.client_streaming else request)


@pytest.mark.parametrize("token", ["", "wrong", "Bearer", "a" * 4000])
def test_without_the_right_token_no_method_answers(run: Any, token: str) -> None:
    async def test(caller: Caller) -> None:
        for name, call in calls(caller.with_token(token)):
            code, details = await refusal(call)
            assert code is UNAUTHENTICATED, name
            assert details == (grants.UNKNOWN_TOKEN if token else grants.NO_TOKEN)
            assert "wrong" not in details

    run(test)


def test_reflection_asks_for_a_token_and_a_health_check_does_not(run: Any) -> None:
    async def test(caller: Caller) -> None:
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(caller.channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        code, _ = await refusal(reflection.ServerReflectionInfo(iter([request])))
        assert code is UNAUTHENTICATED
        health: Any = health_pb2_grpc.HealthStub(caller.channel)
        check = health_pb2.HealthCheckRequest(service=SERVICE)
        assert (await health.Check(check)).status
        assert (await refusal(health.Watch(check)))[0] is UNAUTHENTICATED

    run(test)


def test_a_token_to_view_looks_on_and_changes_nothing(run: Any) -> None:
    async def test(caller: Caller) -> None:
        stub = await caller.made("VIEW", name="viewer")
        assert (await stub.Describe(pb.DescribeRequest())).world == "light"
        assert (await stub.Control(pb.ControlRequest())).phase
        await stub.Report(pb.ReportRequest())
        may = {"Describe", "Subscribe", "Control", "Report", "Track", "Clients", "Programs"}
        may |= {"ListFiles", "ReadFile"}
        for name, call in calls(stub):
            if name in may:
                call.cancel()
                continue
            code, details = await refusal(call)
            assert code is DENIED, name
            assert "'viewer' is good to view" in details
        for action in (Actions.RUN, Actions.PAUSE, Actions.STEP, Actions.STOP):
            code, _ = await refusal(stub.Control(pb.ControlRequest(action=action)))
            assert code is DENIED

    run(test)


def command(device: str) -> pb.Command:
    return pb.Command(device=device, data=struct.pack("3d", 0.1, 0.0, 0.0))


def test_a_token_to_drive_sets_its_own_robots_and_no_other(run: Any) -> None:
    async def test(caller: Caller) -> None:
        stub = await caller.made("DRIVE", robots=["r0"])
        own = pb.Commands(commands=[command("r0.box.drive")])
        assert (await stub.SetData(iter([own]))).accepted == 1
        for device in ("r1.box.drive", "r1", "", "R0.box.drive"):
            mixed = pb.Commands(commands=[command("r0.box.drive"), command(device)])
            code, details = await refusal(stub.SetData(iter([own, mixed])))
            assert code is DENIED
            assert "good to drive r0, not" in details
        for action in (Actions.RUN, Actions.PAUSE, Actions.STEP, Actions.STOP):
            code, _ = await refusal(stub.Control(pb.ControlRequest(action=action)))
            assert code is DENIED
        code, _ = await refusal(stub.ControlProgram(pb.ProgramOrder(robot="r0")))
        assert code is DENIED

    run(test)


def test_a_token_to_drive_takes_part_for_its_own_robots_alone(run: Any) -> None:
    digest = LightSimulation(WORLD).tree.digest

    def attach(robot: str) -> pb.ProgramMessage:
        return pb.ProgramMessage(
            attach=pb.Attach(program="test", robot=robot, layout_digest=digest)
        )

    async def test(caller: Caller) -> None:
        stub = await caller.made("DRIVE", robots=["r0"])
        code, details = await refusal(stub.Participate(iter([attach("r1")])))
        assert (code, "not 'r1'" in details) == (DENIED, True)
        stream = stub.Participate()
        await stream.write(attach("r0"))
        stepping = asyncio.ensure_future(
            caller.owner.Control(pb.ControlRequest(action=Actions.STEP, steps=1))
        )
        woken = (await stream.read()).turn_started
        wait = pb.Wait(commands=[command("r1.box.drive")], until_step=woken.step + 1)
        await stream.write(pb.ProgramMessage(wait=wait))
        code, details = await refusal(stream)
        assert (code, "not 'r1'" in details) == (DENIED, True)
        await stepping

    run(test)


def test_a_token_to_control_may_do_everything(run: Any) -> None:
    async def test(caller: Caller) -> None:
        stub = await caller.made("CONTROL")
        before = (await stub.Control(pb.ControlRequest())).step
        status = await stub.Control(pb.ControlRequest(action=Actions.STEP, steps=3))
        assert status.step == before + 3
        assert (await stub.ListTokens(pb.ListTokensRequest())).tokens

    run(test)


async def states(stub: Any) -> AsyncIterator[pb.Update]:
    described = await stub.Describe(pb.DescribeRequest())
    request = pb.SubscribeRequest(layout_digest=described.layout_digest, files=described.files)
    async for update in stub.Subscribe(request):
        yield update


def test_a_revoked_token_cuts_off_the_streams_that_are_open(run: Any) -> None:
    async def test(caller: Caller) -> None:
        stub = await caller.made("VIEW", name="guest")
        updates = states(stub)
        await anext(updates)
        own = states(caller.owner)
        await anext(own)
        left = await caller.owner.RevokeToken(pb.RevokeTokenRequest(name="guest"))
        assert "guest" not in [each.name for each in left.tokens]
        with pytest.raises(grpc.RpcError) as caught:
            async for _ in updates:
                pass
        assert (caught.value.code(), caught.value.details()) == (UNAUTHENTICATED, grants.REVOKED)
        code, details = await refusal(stub.Describe(pb.DescribeRequest()))
        assert (code, details) == (UNAUTHENTICATED, grants.UNKNOWN_TOKEN)
        await anext(own)

    run(test)


def test_a_token_that_expires_ends_its_streams(run: Any) -> None:
    async def test(caller: Caller) -> None:
        stub = await caller.made("VIEW", name="short", seconds=0.2)
        with pytest.raises(grpc.RpcError) as caught:
            async for _ in states(stub):
                pass
        assert caught.value.details() == grants.EXPIRED
        code, details = await refusal(stub.Describe(pb.DescribeRequest()))
        assert (code, details) == (UNAUTHENTICATED, grants.EXPIRED)

    run(test)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"role": 0}, "what the token is good for"),
        ({"role": 2}, "names its robots"),
        ({"role": 1, "robots": ["r0"]}, "names its robots"),
        ({"role": 1, "name": "a b\x1b[2J"}, "name"),
        ({"role": 9}, "expected one of"),
        ({"role": 1, "seconds": float("nan")}, "finite"),
        ({"role": 1, "seconds": -1.0}, "seconds"),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(run: Any, values: Any, reason: str) -> None:
    async def test(caller: Caller) -> None:
        code, details = await refusal(caller.owner.CreateToken(pb.CreateTokenRequest(**values)))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert reason in details

    run(test)


def test_the_owners_token_is_in_a_file_for_the_owner_alone_and_nowhere_else(run: Any) -> None:
    async def test(caller: Caller) -> None:
        token = Credentials(caller.front.address).token()
        assert len(token) == 43
        (file,) = [each for each in servers_folder().iterdir() if token in each.read_text()]
        assert file.stat().st_mode & 0o077 == 0
        assert servers_folder().stat().st_mode & 0o077 == 0
        report = await caller.owner.Report(pb.ReportRequest())
        assert token not in str(report)

    run(test)


def test_only_hashes_of_tokens_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "folder" / "tokens"
    first = Grants()
    first.keep_in(kept)
    grant, secret = first.make(Role.DRIVE, name="alice", robots=("r0",), seconds=60.0)
    assert secret not in kept.read_text()
    assert digest_of(secret) in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    second = Grants()
    second.keep_in(kept)
    assert second.find(secret) == grant
    assert second.find(first.owner) == grants.UNKNOWN_TOKEN
    second.revoke("alice")
    third = Grants()
    third.keep_in(kept)
    assert third.find(secret) == grants.UNKNOWN_TOKEN


def test_all_tokens_are_compared_whichever_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = grants.hmac.compare_digest

    def compare(one: str, other: str) -> bool:
        compared.append(one)
        return real(one, other)

    tokens = Grants()
    secrets = [tokens.owner, *(tokens.make(Role.VIEW, name="")[1] for _ in range(3))]
    monkeypatch.setattr(grants.hmac, "compare_digest", compare)
    for secret in (*secrets, "wrong"):
        compared.clear()
        tokens.find(secret)
        assert len(compared) == 4


def test_a_new_run_has_a_new_token_and_an_end_leaves_none() -> None:
    async def one() -> str:
        async with Front(WORLD, light_options()) as front:
            token = Credentials(front.address).token()
            address.append(front.address)
        assert not Credentials(front.address).token()
        return token

    address: list[str] = []
    with contextlib.suppress(OSError):
        assert uvloop.run(one()) != uvloop.run(one())


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "٣" * 64},
        {"digest": "3" * 63},
        {"digest": 3},
        {"expires": "٣"},
        {"expires": float("nan")},
        {"expires": 10**400},
        {"expires": 1e12},
        {"made": None},
        {"name": 1},
        {"robots": [1]},
        {"robots": 1},
        {"role": 9},
        {"more": 1},
    ],
)
def test_a_tokens_file_that_is_damaged_is_named_before_any_call(
    tmp_path: Path, change: dict[str, object]
) -> None:
    file = tmp_path / "tokens.json"
    kept = Grants()
    kept.keep_in(file)
    kept.make(Role.VIEW, name="a")
    (record,) = json.loads(file.read_text())
    write_private(file, json.dumps([{**record, **change}], ensure_ascii=False).encode())
    with pytest.raises(AccessError, match=r"tokens\.json: error: it is damaged"):
        Grants().keep_in(file)
