"""What happens to messages that a node does not take in time."""

import pytest

from autosim_testbench.backends import inbox as inboxes
from autosim_testbench.backends.inbox import Inbox


def test_a_slow_node_loses_the_oldest_of_the_topic_that_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inboxes, "MOST_WAITING", 3)
    inbox, got = Inbox(), []
    for topic in ("fast", "slow"):
        inbox.open(topic, lambda data, topic=topic: got.append((topic, data)))
    inbox.put("slow", b"kept")
    for number in range(5):
        inbox.put("fast", str(number).encode())
    assert inbox.process() == 4
    assert got == [("slow", b"kept"), ("fast", b"2"), ("fast", b"3"), ("fast", b"4")]
    assert inbox.dropped == {"fast": 2}


def test_large_messages_have_a_limit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inboxes, "MOST_WAITING_BYTES", 100)
    inbox, got = Inbox(), []
    inbox.open("pictures", got.append)
    for number in range(3):
        inbox.put("pictures", bytes([number]) * 60)
    inbox.process()
    assert got == [b"\2" * 60]
    assert inbox.dropped["pictures"] == 2


def test_what_is_not_subscribed_to_is_not_kept() -> None:
    inbox = Inbox()
    inbox.put("other", b"data")
    assert inbox.process() == 0


def test_a_delivery_that_ends_the_subscription_ends_it_at_once() -> None:
    inbox, got = Inbox(), []

    def take(data: bytes) -> None:
        got.append(data)
        inbox.shut("topic")

    inbox.open("topic", take)
    inbox.put("topic", b"1")
    inbox.put("topic", b"2")
    inbox.process()
    assert got == [b"1"]
