import os
from collections.abc import Iterator

import pytest

from autosim.server.process.outbox import Outbox, OutboxReader, OutboxWriter
from autosim.wire import PacketKind, read_packet

STATE = memoryview(b"12345678")


class Ends:
    """Both ends over one memory."""

    def __init__(self) -> None:
        self.outbox = Outbox.create(len(STATE))
        self.bell = os.eventfd(0, os.EFD_NONBLOCK)
        self.writer = OutboxWriter(self.outbox, self.bell)
        self.reader = OutboxReader(self.outbox)

    def has_rung(self) -> bool:
        try:
            return os.eventfd_read(self.bell) > 0
        except BlockingIOError:
            return False


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    os.close(ends.bell)
    ends.outbox.close()


def test_nothing_is_handed_over_that_nobody_wants(ends: Ends) -> None:
    for step in range(1, 100):
        ends.writer.publish(step, STATE)
    assert not ends.has_rung()
    assert ends.reader.read() is None
    assert ends.reader.step == 99


def test_the_first_state_at_or_after_the_wanted_step_is_handed_over(ends: Ends) -> None:
    ends.reader.want(4)
    for step in (1, 3, 5, 6):
        ends.writer.publish(step, STATE)
    assert ends.has_rung()
    answer = ends.reader.read()
    assert answer is not None
    packet = read_packet(answer)
    assert (packet.kind, packet.step, bytes(packet.state)) == (PacketKind.STATE, 5, bytes(STATE))


def test_the_slot_is_left_alone_until_it_was_read(ends: Ends) -> None:
    ends.reader.want(1)
    ends.writer.publish(1, STATE)
    # A client that comes meanwhile wants an earlier step: that must not reopen the slot.
    ends.reader.want(0)
    ends.writer.publish(2, memoryview(b"abcdefgh"))
    answer = ends.reader.read()
    assert answer is not None
    assert read_packet(answer).step == 1
    assert ends.reader.read() is None


def test_a_simulation_that_stands_still_answers_any_open_request(ends: Ends) -> None:
    ends.writer.publish(7, STATE, is_forced=True)
    answer = ends.reader.read()
    assert answer is not None
    assert read_packet(answer).step == 7
