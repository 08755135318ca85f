"""Any request at all: each is answered with a status that means something, and the step goes on."""

import asyncio
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
import uvloop
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given, settings
from hypothesis import strategies as st

from autosim.client.link.credentials import Credentials
from autosim.kinds.director import build_tree
from autosim.server.network.front import Front
from autosim.server.network.gateway import SERVICE
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.access import WithToken
from tests.server.light_simulation import light_options, light_world

METHODS = {each.name: each for each in pb.DESCRIPTOR.services_by_name["Simulator"].methods}
FAULTS = (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL)
"""What gRPC answers when a handler has raised what nobody expected."""

SENT_TOO_LATE = "Internal error from Core"
"""What this client itself says where the server has answered before everything was sent."""

Actions = pb.ControlRequest.Action
WORDS = ("", "r0", "r1", "r0.box.drive", "r0.box.eye", "robots/impreza.xml.bak", "a\0b", "\x1b[2J")
NUMBERS = (0.0, -1.0, 1.0, 1e-18, 1e300, float("nan"), float("inf"), -float("inf"))
COUNTS = (0, 1, -1, 2**31, 2**62, -(2**63), 2**63 - 1)
CALL_SECONDS = 20.0


def values(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    """What may stand in a field, sound or not."""
    if field.message_type is not None:
        return messages(field.message_type)
    if field.enum_type is not None:
        return st.integers(-1, 6)
    if field.type == field.TYPE_BOOL:
        return st.booleans()
    if field.type == field.TYPE_STRING:
        return st.sampled_from(WORDS) | st.text(max_size=8)
    if field.type == field.TYPE_BYTES:
        return st.binary(max_size=32) | st.just(bytes(24))
    if field.type == field.TYPE_DOUBLE:
        return st.sampled_from(NUMBERS) | st.floats()
    bits = 31 if field.type == field.TYPE_INT32 else 63
    known = [each for each in COUNTS if -(2**bits) <= each < 2**bits]
    return st.sampled_from(known) | st.integers(0, 50)


def messages(descriptor: Any) -> st.SearchStrategy[Any]:
    """Messages of a type, each field filled or left out."""
    fields = {field.name: _filling(field) for field in descriptor.fields}
    # Of the fields of a `oneof` the last one counts.
    kinds = [field.name for field in descriptor.fields if field.containing_oneof is not None]
    if kinds:
        given = st.sampled_from(kinds).flatmap(
            lambda name: st.fixed_dictionaries({name: fields[name]})
        )
    else:
        given = st.fixed_dictionaries(fields)
    return st.builds(lambda values: _message(descriptor, values), given)


def _filling(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    return st.lists(values(field), max_size=3) if field.is_repeated else values(field)


def _message(descriptor: Any, given: dict[str, Any]) -> Any:
    made = GetMessageClass(descriptor)(**given)
    if isinstance(made, pb.ControlRequest):
        # An order to end the server is obeyed; one for a century of steps is answered after it.
        made.action = Actions.PAUSE if made.action == Actions.STOP else made.action
        made.steps = min(made.steps, 50) if made.action == Actions.STEP else made.steps
    return made


def _bytes(method: Any) -> st.SearchStrategy[bytes]:
    """Mostly messages of the right type, and sometimes anything."""
    sound = messages(method.input_type).map(lambda message: bytes(message.SerializeToString()))
    return st.integers(0, 9).flatmap(lambda number: sound if number else st.binary(max_size=12))


# Where there is nothing to fill, there is nothing to get wrong.
REQUESTS = {name: _bytes(method) for name, method in METHODS.items() if method.input_type.fields}
WORLD = light_world(2)
ATTACH = pb.ProgramMessage(
    attach=pb.Attach(program="p", robot="r0", layout_digest=build_tree(WORLD).digest)
).SerializeToString()
"""What a program says first, so that the simulation listens to what comes then."""

CALLS = st.sampled_from(sorted(REQUESTS)).flatmap(
    lambda name: st.tuples(st.just(name), st.lists(REQUESTS[name], min_size=1, max_size=3))
) | st.lists(REQUESTS["Participate"], max_size=3).map(lambda sent: ("Participate", [ATTACH, *sent]))


class Peer:
    """Sends bytes to any method while the simulation does steps, which must come to their end."""

    def __init__(self, runner: asyncio.Runner, address: str) -> None:
        self._runner = runner
        self._address = address

    def send(self, name: str, requests: list[bytes]) -> grpc.StatusCode:
        return self._runner.run(self._send(name, requests))

    async def _send(self, name: str, requests: list[bytes]) -> grpc.StatusCode:
        token = Credentials(self._address).metadata()
        async with grpc.aio.insecure_channel(self._address) as channel:
            stub: Any = WithToken(SimulatorStub(channel), self._address)
            before = await stub.Control(pb.ControlRequest(action=Actions.PAUSE))
            call = asyncio.ensure_future(_call(channel, name, requests, token))
            # A program is answered in a step after it has come.
            while not call.done():
                await _step(stub)
            assert (await _step(stub)).step > before.step
            return await call


async def _step(stub: Any) -> pb.Status:
    order = pb.ControlRequest(action=Actions.STEP)
    status: pb.Status = await stub.Control(order, timeout=CALL_SECONDS)
    return status


async def _call(
    channel: grpc.aio.Channel, name: str, requests: list[bytes], token: Any
) -> grpc.StatusCode:
    """Makes a call, and ends it after the first answer; how it ended."""
    method = METHODS[name]
    path = f"/{SERVICE}/{name}"
    has_many = method.client_streaming
    kinds: dict[tuple[bool, bool], Any] = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, False): channel.stream_unary,
        (True, True): channel.stream_stream,
    }
    make = kinds[has_many, method.server_streaming](path)
    sent = iter(requests) if has_many else requests[0]
    call = make(sent, timeout=CALL_SECONDS, metadata=token)
    try:
        if not method.server_streaming:
            await call
        elif await call.read() is not grpc.aio.EOF:
            return grpc.StatusCode.OK
        return await call.code()
    except grpc.aio.AioRpcError as error:
        is_own = error.details() == SENT_TOO_LATE
        return grpc.StatusCode.CANCELLED if is_own else error.code()
    finally:
        call.cancel()


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        async def make() -> Front:
            return Front(WORLD, light_options())

        front = runner.run(make())
        runner.run(front.__aenter__())
        yield Peer(runner, front.address)
        runner.run(front.__aexit__())


@settings(max_examples=200)
@given(call=CALLS)
def test_any_request_is_answered_and_the_step_goes_on(peer: Peer, call: tuple[str, Any]) -> None:
    name, requests = call
    assert peer.send(name, requests) not in FAULTS


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("Control", pb.ControlRequest(action=77)),
        ("Control", pb.ControlRequest(action=Actions.RUN, real_time_factor=1e-18)),
        ("ControlProgram", pb.ProgramOrder(action=77, robot="r0")),
        ("ControlProgram", pb.ProgramOrder(action=2, robot="r0", arguments=["\0"])),
        ("AddRobot", pb.AddRobotRequest(file="robots/a.xml", name="b", yaw=float("nan"))),
        ("Subscribe", pb.SubscribeRequest(rate_hz=1e-18)),
        ("Report", pb.ReportRequest(messages_after=-1)),
        ("SetData", pb.Commands(commands=[pb.Command(device="r0\0")])),
        ("Participate", pb.ProgramMessage(attach=pb.Attach(program="\x1b[2J", robot="r0"))),
    ],
)
def test_what_must_not_be_in_a_request_is_an_invalid_argument(
    peer: Peer, name: str, request_: Any
) -> None:
    assert peer.send(name, [request_.SerializeToString()]) is grpc.StatusCode.INVALID_ARGUMENT


def test_bytes_that_are_no_message_are_an_invalid_argument(peer: Peer) -> None:
    for name in METHODS:
        assert peer.send(name, [b"\xff\xff\xff"]) is grpc.StatusCode.INVALID_ARGUMENT, name
