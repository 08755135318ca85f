"""How long the messages of a test bench take, and how many go a second, by backend and size.

    python benchmarks/testbench.py [BACKEND …]

Latency is from `publish` in one process to the subscriber's function in another, at a steady rate;
then as many messages as can be. Embedded, both ends are in this process. "raw" is a socket of the
system with nothing around it, which the others are measured by. What is not installed is left out.
"""

import multiprocessing
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe

import numpy as np

from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.opening import NAMES, open_backend

STAMP = struct.Struct("<q")
LONGEST_SILENCE = 5.0  # s, after which what has not come is lost

# Size [bytes], rate [Hz] and number of the messages at a steady rate, number of those at once.
CASES = ((100, 200.0, 2000, 5000), (10_000, 200.0, 1000, 2000), (1_000_000, 20.0, 60, 50))


class Raw:
    """A pair of sockets with the methods of a connection that are used here."""

    def __init__(self, opened: socket.socket) -> None:
        self._socket, self._deliver = opened, lambda data: None

    def subscribe(self, topic: str, deliver: Callable[[bytes], None]) -> None:
        self._deliver = deliver

    def publish(self, topic: str, data: bytes) -> None:
        self._socket.sendall(len(data).to_bytes(4, "little") + data)

    def process(self, timeout: float) -> int:
        self._socket.settimeout(timeout)
        try:
            size = int.from_bytes(self._socket.recv(4, socket.MSG_WAITALL), "little")
        except TimeoutError:
            return 0
        self._socket.settimeout(None)
        self._deliver(self._socket.recv(size, socket.MSG_WAITALL))
        return 1

    def close(self) -> None:
        self._socket.close()


def receive(connection: BackendConnection | Raw, pipe: Pipe) -> None:
    """Takes as many messages as the other end says, and tells when each was sent and came."""
    times: list[tuple[int, int]] = []
    connection.subscribe(
        "topic", lambda data: times.append((STAMP.unpack_from(data)[0], time.monotonic_ns()))
    )
    while number := pipe.recv():
        times.clear()
        pipe.send("ready")
        last = time.monotonic()
        while len(times) < number and time.monotonic() - last < LONGEST_SILENCE:
            if connection.process(0.5):
                last = time.monotonic()
        pipe.send(np.array(times))
    connection.close()


def receive_from(address: str, pipe: Pipe) -> None:
    """The process of the receiver."""
    receive(open_backend(address).connect("receiver"), pipe)


def send(
    connection: BackendConnection | Raw, pipe: Pipe, size: int, number: int, period: float
) -> np.ndarray:
    """Sends messages, and returns when each was sent and came: (n, 2) [ns]."""
    pipe.send(number)
    pipe.recv()
    rest = bytes(size - STAMP.size)
    begun = time.monotonic()
    for k in range(number):
        if period:
            time.sleep(max(0.0, begun + k * period - time.monotonic()))
        connection.publish("topic", STAMP.pack(time.monotonic_ns()) + rest)
    return pipe.recv()


def measure(name: str, connection: BackendConnection | Raw, pipe: Pipe) -> None:
    """Prints a line for each size."""
    for size, rate, number, burst in CASES:
        times = send(connection, pipe, size, number, 1.0 / rate)
        p50, p99 = np.percentile(times[:, 1] - times[:, 0], (50, 99)) / 1e3
        fast = send(connection, pipe, size, burst, 0.0)
        each_second = len(fast) / ((fast[:, 1].max() - fast[:, 0].min()) / 1e9)
        lost = number + burst - len(times) - len(fast)
        print(
            f"| {name:8} | {size:9,} | {p50:8,.0f} | {p99:8,.0f} | {each_second:9,.0f} | "
            f"{each_second * size / 1e6:8,.1f} | {lost} |",
            flush=True,
        )
    pipe.send(0)


def run_raw() -> None:
    """Two processes and a pair of sockets."""
    here, there = socket.socketpair()
    ours, theirs = multiprocessing.Pipe()
    if not os.fork():
        receive(Raw(there), theirs)
        os._exit(0)
    with here, there:
        measure("raw", Raw(here), ours)
    os.wait()


def run_backend(name: str) -> None:
    """Two processes, or threads where the backend is this process alone."""
    opened = open_backend(name)
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    receiver: threading.Thread | multiprocessing.process.BaseProcess
    if name == "embedded":
        receiver = threading.Thread(target=receive, args=(opened.connect("receiver"), theirs))
    else:
        receiver = context.Process(target=receive_from, args=(opened.address, theirs))
    receiver.start()
    sender = opened.connect("sender")
    measure(name, sender, ours)
    receiver.join()
    sender.close()
    opened.close()


def main() -> None:
    """Prints the table."""
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f} at the beginning; latency of one way")
    print("| backend | bytes | p50 µs | p99 µs | messages/s | MB/s | lost |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or ("raw", *NAMES):
        try:
            if name == "raw":
                run_raw()
            else:
                run_backend(name)
        except BackendError as error:
            print(f"| {name:8} | {error} |||||", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
