"""The services, as any client of the wire contract sees them."""

import asyncio
import contextlib
import os
import signal
import struct
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from autosim.engine.peer_limits import LIMITS
from autosim.model.commands import DeviceErrorCode
from autosim.model.phase import Phase
from autosim.model.state import State, time_after
from autosim.server.network.gateway import SERVICE, steps_between
from autosim.v1 import autosim_pb2 as pb
from autosim.wire import read_packet
from tests.server.access import WithToken
from tests.server.gateway_clients import WORLD, Actions, Client, Run, attached, refusal, run_alone
from tests.server.light_simulation import (
    FILES,
    LightSimulation,
    run_in_process,
)


def test_a_server_says_what_it_simulates(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        description = await client.stub.Describe(pb.DescribeRequest())
        tree = LightSimulation(WORLD).tree
        assert description.world == "light"
        assert description.layout_digest == tree.digest
        assert description.state_bytes == tree.stop
        assert [(file.name, file.digest) for file in description.files] == list(FILES)
        assert description.step_ns == 4166667
        assert description.world_digest == "33" * 32

    run(test)


def test_a_client_gets_the_exact_state_of_a_step() -> None:
    async def test(client: Client) -> None:
        await client.step(17)
        packet = await anext(client.states())
        expected = run_in_process(WORLD, 17).state.to_bitstream()
        assert packet.step == 17
        assert bytes(packet.state) == expected

    run_alone(test)


def test_states_come_at_the_rate_asked_for(run: Run) -> None:
    async def test(client: Client) -> None:
        states = client.states(rate_hz=60.0)
        first = (await anext(states)).step // 4 * 4
        await client.control(Actions.RUN, real_time_factor=0.05)
        steps = [(await anext(states)).step for _ in range(4)]
        assert steps == [first + 4, first + 8, first + 12, first + 16]

    run(test)


@pytest.mark.parametrize(
    ("rate_hz", "steps"), [(0.0, 1), (60.0, 4), (240.0, 1), (1e9, 1), (100.0, 2), (-1.0, 1)]
)
def test_a_rate_is_a_number_of_steps(rate_hz: float, steps: int) -> None:
    assert steps_between(rate_hz, 1 / 240) == steps


def test_steps_never_go_back_and_never_repeat(run: Run) -> None:
    async def test(client: Client) -> None:
        states = client.states()
        steps = [(await anext(states)).step]
        await client.control(Actions.RUN, steps=5000, real_time_factor=0.0)
        while steps[-1] < steps[0] + 5000:
            steps.append((await anext(states)).step)
        assert steps == sorted(set(steps))

    run(test)


def test_a_client_that_does_not_read_misses_states_instead_of_getting_old_ones(run: Run) -> None:
    async def test(client: Client) -> None:
        states = client.states()
        last = (await anext(states)).step + 20_000
        for _ in range(20):
            await client.step(1000)
        received = 0
        async for packet in states:
            received += 1
            if packet.step == last:
                break
        # What lies between are gRPC's buffers: some dozens of messages of this size.
        assert received < 200

    run(test)


def test_every_client_gets_the_last_state_before_a_pause(run: Run) -> None:
    async def test(client: Client) -> None:
        last = (await client.control(Actions.STATUS)).step + 1001

        async def read(rate_hz: float) -> None:
            async for packet in client.states(rate_hz):
                if packet.step == last:
                    return

        reading = [asyncio.ensure_future(read(rate)) for rate in (0.0, 60.0, 1.0)]
        await client.step(1001)
        await asyncio.gather(*reading)

    run(test)


def test_a_paused_server_sends_heartbeats_with_its_step(run: Run) -> None:
    async def test(client: Client) -> None:
        step = (await client.step(3)).step
        updates = client.stub.Subscribe(await client.request())
        kinds = [read_packet((await updates.read()).packet) for _ in range(3)]
        assert [packet.kind.name for packet in kinds] == ["STATE", "HEARTBEAT", "HEARTBEAT"]
        assert [packet.step for packet in kinds] == [step] * 3

    run(test)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("worlds/light.xml", "11" * 32), ("robots/light.xml", "0" * 64)], "'robots/light.xml'"),
        ([("worlds/light.xml", "11" * 32)], "'robots/light.xml'"),
        ([*FILES, ("robots/other.xml", "44" * 32)], "'robots/other.xml'"),
    ],
)
def test_a_client_with_other_files_is_refused_by_the_name_of_one(
    run: Run, files: list[tuple[str, str]], said: str
) -> None:
    async def test(client: Client) -> None:
        given = [pb.File(name=name, digest=digest) for name, digest in files]
        updates = client.stub.Subscribe(await client.request(files=given))
        code, details = await refusal(updates.read())
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert said in details

    run(test)


def test_a_client_with_another_layout_is_refused_with_both_digests(run: Run) -> None:
    async def test(client: Client) -> None:
        request = await client.request(layout_digest="ab" * 32)
        code, details = await refusal(client.stub.Subscribe(request).read())
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert LightSimulation(WORLD).tree.digest[:12] in details
        assert "abababababab" in details

    run(test)


def test_commands_are_taken_for_the_next_step_and_bad_ones_counted(run: Run) -> None:
    async def test(client: Client) -> None:
        good = struct.pack("3d", 0.1, 0.2, 0.3)
        commands = [
            pb.Command(device="r1.box.drive", data=good),
            pb.Command(device="r1.box.drive", data=good[:-1]),
            pb.Command(device="r7.box.drive", data=good),
            pb.Command(device="r1.box.drive", data=struct.pack("3d", 0.0, float("nan"), 0.0)),
        ]
        summary = await client.stub.SetData(iter([pb.Commands(commands=commands)]))
        assert (summary.accepted, summary.refused) == (1, 3)
        assert summary.first_refusal.startswith(DeviceErrorCode.DATA_SIZE_MISMATCH.name)
        await client.step(1)
        packet = await anext(client.states())
        state = State(LightSimulation(WORLD).tree)
        state.from_bitstream(packet.state, digest=state.tree.digest)
        node = state.tree.find("r1.box.drive")
        assert node is not None
        assert state.to_bitstream(node).startswith(good)

    run(test)


def test_a_flood_of_commands_ends_with_the_newest_values(run: Run) -> None:
    async def test(client: Client) -> None:
        async def flood() -> AsyncIterator[pb.Commands]:
            for number in range(3000):
                data = struct.pack("3d", number / 10_000, 0.0, 0.0)
                yield pb.Commands(commands=[pb.Command(device="r0.box.drive", data=data)])

        await client.control(Actions.RUN, real_time_factor=1.0)
        assert (await client.stub.SetData(flood())).accepted == 3000
        await client.control(Actions.PAUSE)
        await client.step(2)
        packet = await anext(client.states())
        node = LightSimulation(WORLD).tree.find("r0.box.drive")
        assert node is not None
        assert struct.unpack_from("d", packet.state, node.start) == (0.2999,)

    run(test)


def test_control_answers_with_what_the_simulation_does(run: Run) -> None:
    async def test(client: Client) -> None:
        phases = pb.Status.Phase
        first = (await client.control(Actions.STATUS)).step
        status = await client.step(5)
        assert (status.phase, status.step) == (phases.PAUSED, first + 5)
        assert status.time_ns == time_after(status.step, 1 / 240)
        status = await client.control(Actions.RUN, real_time_factor=1.0)
        assert status.phase == phases.RUNNING
        assert (await client.control(Actions.PAUSE)).phase == phases.PAUSED
        step = (await client.control(Actions.STATUS)).step
        assert (await client.step(0)).step == step + 1

    run(test)


def test_stop_ends_the_server() -> None:
    async def test(client: Client) -> None:
        await client.control(Actions.STOP)
        await client.front.finished()

    run_alone(test)


def test_a_report_tells_the_run() -> None:
    async def test(client: Client) -> None:
        await client.step(20)
        report = await client.stub.Report(pb.ReportRequest())
        record = run_in_process(WORLD, 20).record
        assert record is not None
        figures = record.figures()
        assert report.state_digest == figures.state_digest
        track = await client.stub.Track(pb.TrackRequest())
        assert track.samples == record.track.part().samples.tobytes()
        assert list(report.robots) == ["r0", "r1"]
        assert list(report.collisions) == [0, 0]
        assert report.wall_seconds > 0.0
        assert [message.text for message in report.messages] == ["loaded with seed 0"]
        later = await client.stub.Report(pb.ReportRequest(messages_after=1))
        assert len(later.messages) == 0

    run_alone(test)


def test_clients_are_counted_while_they_are_there(run: Run) -> None:
    async def test(client: Client) -> None:
        streams = [client.stub.Subscribe(await client.request()) for _ in range(3)]
        for stream in streams:
            await stream.read()
        assert (await client.control(Actions.STATUS)).clients == 3
        for stream in streams:
            stream.cancel()
        while (await client.control(Actions.STATUS)).clients > 0:
            await asyncio.sleep(0.005)

    run(test)


def test_a_message_that_is_too_long_is_refused_and_harms_nobody(run: Run) -> None:
    async def test(client: Client) -> None:
        request = pb.SubscribeRequest(client="x" * (LIMITS.request_bytes + 1))
        code, _ = await refusal(client.stub.Subscribe(request).read())
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (await client.step(1)).phase == pb.Status.PAUSED

    run(test)


def test_garbage_on_the_port_is_harmless(run: Run) -> None:
    async def test(client: Client) -> None:
        host, port = client.front.address.rsplit(":", 1)
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64, b"\0" * 3):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(garbage)
            # The server hangs up, at the latest when it is told that nothing follows.
            with contextlib.suppress(OSError, EOFError):
                writer.write_eof()
                await reader.readexactly(10**6)
            writer.close()
        assert (await client.step(1)).phase == pb.Status.PAUSED

    run(test)


def test_health_is_told_once_the_world_is_loaded(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        plain = health_pb2_grpc.HealthStub(client.channel)
        stub: Any = WithToken(plain, client.front.address)
        serving = health_pb2.HealthCheckResponse.SERVING
        async for answer in stub.Watch(health_pb2.HealthCheckRequest(service=SERVICE)):
            if answer.status == serving:
                break

    run(test)


def test_the_service_can_be_discovered(run: Run) -> None:
    async def test(client: Client) -> None:
        plain = reflection_pb2_grpc.ServerReflectionStub(client.channel)
        stub: Any = WithToken(plain, client.front.address)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        answers = stub.ServerReflectionInfo(iter([request]))
        names = [each.name for each in (await answers.read()).list_services_response.service]
        assert SERVICE in names

    run(test)


def test_calls_say_that_the_simulation_is_gone() -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        os.kill(client.front.worlds.require().host.pid, signal.SIGKILL)
        while client.front.worlds.require().host.phase is not Phase.STOPPED:
            await asyncio.sleep(0.005)
        code, details = await refusal(client.step(1))
        assert code is grpc.StatusCode.ABORTED
        assert "simulation process" in details

    run_alone(test)


def wait_message(step: int, steering: float | None = None) -> pb.ProgramMessage:
    """The message of a program that sets r0's steering, or nothing, and waits for `step`."""
    commands = []
    if steering is not None:
        data = struct.pack("3d", steering, 0.0, 0.0)
        commands.append(pb.Command(device="r0.box.drive", data=data))
    return pb.ProgramMessage(wait=pb.Wait(commands=commands, until_step=step))


def test_a_program_elsewhere_wakes_at_the_exact_step_with_its_state(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        stream = await attached(client)
        await client.control(Actions.RUN, real_time_factor=0.0)
        first = (await stream.read()).turn_started
        for step in (first.step + 3, first.step + 4, first.step + 90):
            await stream.write(wait_message(step, steering=0.001 * step))
            woken = (await stream.read()).turn_started
            assert woken.step == step
            # The steering that was set appears in the state, and the steps after it wait.
            node = LightSimulation(WORLD).tree.find("r0.box.drive")
            assert node is not None
            assert struct.unpack_from("d", woken.state, node.start) == (0.001 * step,)
            assert struct.unpack_from("q", woken.state) == (step,)
            assert client.front.worlds.require().broadcast.step == step
        stream.cancel()

    run(test)


def test_the_simulation_goes_on_when_a_program_elsewhere_is_lost(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        stream = await attached(client)
        await client.control(Actions.RUN, real_time_factor=0.0)
        step = (await stream.read()).turn_started.step
        stream.cancel()
        while client.front.worlds.require().broadcast.step < step + 100:
            await asyncio.sleep(0.005)
        kept = client.front.notices.since(0, characters=10**6)
        errors = [each.notice.text for each in kept if each.notice.level == "error"]
        assert "r0" in errors[-1]
        assert "lost" in errors[-1] or "closed" in errors[-1]

    run(test)


def test_a_stream_on_which_nothing_is_said_does_not_hold_up_the_step(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        stream = client.stub.Participate()
        await client.step(100)
        await stream.write(wait_message(5))
        assert await stream.read() is grpc.aio.EOF

    run(test)


def test_a_program_of_another_layout_is_refused(run: Run) -> None:
    async def test(client: Client) -> None:
        await client.step(1)
        stream = client.stub.Participate()
        attach = pb.Attach(program="test.py", robot="r0", layout_digest="00")
        await stream.write(pb.ProgramMessage(attach=attach))
        stepping = asyncio.ensure_future(client.step(1))
        answer = await stream.read()
        assert answer.refused.code == DeviceErrorCode.INVALID_OPERATION
        assert "layout" in answer.refused.reason
        await stepping

    run(test)
