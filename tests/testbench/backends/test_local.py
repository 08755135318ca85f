"""The hub that passes messages on between processes of a machine."""

import socket
import threading
from typing import Any

import pytest

from autosim_testbench.backends.local import LocalBackend


def test_a_node_that_goes_while_it_is_sent_to_does_not_end_the_hub(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend, got = LocalBackend(), []
    sender, receiver, going = (backend.connect(name) for name in ("a", "b", "c"))
    receiver.subscribe("topic", got.append)
    going.subscribe("topic", print)
    select, waits, gate = backend._hub._selector.select, threading.Event(), threading.Event()

    def both_at_once() -> Any:
        waits.set()
        gate.wait()
        return sorted(select(), key=lambda ready: ready[0].fd)  # the sender came first

    monkeypatch.setattr(backend._hub._selector, "select", both_at_once)
    sender.publish("topic", b"wakes the hub from its last wait")
    waits.wait()
    sender.publish("topic", b"finds that one is gone")
    going._is_closed = True
    going._socket.shutdown(socket.SHUT_RDWR)
    gate.set()
    sender.publish("topic", b"goes on")
    while b"goes on" not in got and receiver.process(5.0):
        pass
    assert got[-1] == b"goes on"
    for each in (sender, receiver, going, backend):
        each.close()
