"""Messages between a program and its host."""

import socket

import pytest

from autosim.userprogram.ipc.channel import (
    MAXIMUM_PACKET,
    Channel,
    ChannelClosedError,
    ChannelFaultError,
    ChannelTimeoutError,
    QueueChannel,
    SocketChannel,
)
from autosim.userprogram.ipc.program_messages import leave_message, turn_message
from autosim.v1 import autosim_pb2 as pb


def sockets() -> tuple[SocketChannel, SocketChannel]:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return SocketChannel(one, pb.ServerMessage), SocketChannel(other, pb.ProgramMessage)


@pytest.fixture(params=[sockets, QueueChannel.pair], ids=["sockets", "queues"])
def ends(request):
    one, other = request.param()
    yield one, other
    one.close()
    other.close()


def test_messages_arrive_whole_and_in_order(ends: tuple[Channel, Channel]):
    program, host = ends
    host.send(turn_message(1))
    host.send(turn_message(2))
    assert [program.receive(1.0).turn_started.step for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("timeout", [0.0, 0.01])
def test_silence_ends_with_a_timeout(ends: tuple[Channel, Channel], timeout: float):
    with pytest.raises(ChannelTimeoutError):
        ends[0].receive(timeout)


def test_a_closed_end_is_noticed_after_its_last_message(ends: tuple[Channel, Channel]):
    program, host = ends
    host.send(turn_message(0))
    host.close()
    assert program.receive().turn_started.step == 0
    for _ in range(2):
        with pytest.raises(ChannelClosedError):
            program.receive()


def test_last_words_arrive_also_from_an_end_that_had_not_listened(ends: tuple[Channel, Channel]):
    program, host = ends
    host.send(turn_message(0))
    program.send(leave_message(reason="last words"))
    program.close()
    assert host.receive().leave.reason == "last words"
    with pytest.raises(ChannelClosedError):
        host.receive()


def test_a_peer_that_does_not_read_is_noticed():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sender = SocketChannel(one, pb.ServerMessage, send_timeout=0.01)
    with other, pytest.raises(ChannelTimeoutError):
        flood(sender)
    sender.close()


def flood(channel: SocketChannel) -> None:
    for _ in range(10_000):
        channel.send(leave_message(reason="x" * 1000))


@pytest.mark.parametrize("packet", [b"\xff\xff\xff", b"x" * (MAXIMUM_PACKET + 1)])
def test_a_packet_that_is_no_message_is_refused(packet: bytes):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel = SocketChannel(one, pb.ProgramMessage)
    with other:
        other.send(packet)
        with pytest.raises(ChannelFaultError):
            channel.receive(1.0)
    channel.close()


def test_a_message_too_long_is_not_sent():
    program, host = sockets()
    with pytest.raises(ChannelFaultError):
        program.send(pb.ProgramMessage(leave=pb.Leave(reason="x" * MAXIMUM_PACKET)))
    program.close()
    host.close()


def test_the_longest_traceback_fits_into_a_packet():
    program, host = sockets()
    program.send(leave_message(reason="\U0001f697" * 5_000, traceback="\U0001f697" * 50_000))
    assert host.receive(1.0).leave.traceback
    program.send(leave_message(reason="lone surrogate \ud800"))
    assert host.receive(1.0).leave.reason == "lone surrogate ?"
    program.close()
    host.close()
