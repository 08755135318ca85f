"""The backend between processes of one machine: a hub that passes messages on, over a socket.

The hub is a thread of the process that starts the bench. Its socket lies in a folder that only its
owner may enter, so other users of the machine cannot listen or send. A frame is its length and
that of the topic (32 bits each, little-endian), what it is (8 bits), the topic, the data.
"""

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections import deque
from enum import IntEnum
from pathlib import Path

from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.inbox import MOST_WAITING_BYTES

_HEAD = struct.Struct("<IIB")

_CHUNK_BYTES = 1 << 18
"""Number of bytes that are read at once: as many as a socket of Linux holds by default, about."""

_MOST_FRAME_BYTES = 1 << 28
"""Largest frame [bytes]: a larger stated length is not valid."""

_RETRY_SECONDS = 0.1
"""Time [s] between two attempts to reach a hub that is gone."""

_GIVE_UP_SECONDS = 10.0
"""Time [s] after which a hub that is gone will not come back: a bench is started again by then."""

_ANSWER_SECONDS = 5.0
"""Longest time [s] that a hub takes to confirm a subscription."""


class _Kind(IntEnum):
    """Kind of a frame."""

    MESSAGE = 0
    SUBSCRIBE = 1
    UNSUBSCRIBE = 2
    SUBSCRIBED = 3


def _frame(kind: _Kind, topic: str, data: bytes = b"") -> bytes:
    name = topic.encode()
    return _HEAD.pack(_HEAD.size + len(name) + len(data), len(name), kind) + name + data


class _Frames:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, data: bytes) -> list[tuple[_Kind, str, bytes]]:
        """The frames that `data` completes.

        Raises:
            ValueError: this is not a stream of frames.
        """
        self._bytes += data
        found, at = [], 0
        while len(self._bytes) - at >= _HEAD.size:
            length, name, kind = _HEAD.unpack_from(self._bytes, at)
            if not _HEAD.size + name <= length <= _MOST_FRAME_BYTES:
                raise ValueError("these bytes are not frames")
            if len(self._bytes) - at < length:
                break
            body = at + _HEAD.size
            topic = self._bytes[body : body + name].decode()
            found.append((_Kind(kind), topic, bytes(self._bytes[body + name : at + length])))
            at += length
        del self._bytes[:at]
        return found


class _Client:
    """State of a connection in the hub."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.frames = _Frames()
        self.topics: set[str] = set()
        self.waiting: deque[memoryview] = deque()
        self.waiting_bytes = 0


class LocalBackend:
    """Carries messages between processes of this machine.

    Args:
        address: of a hub that another process runs; without one, this process runs the hub.
    """

    name = "local"

    def __init__(self, address: str = "") -> None:
        self._folder: ScratchFolder | None = None
        self._hub: _Hub | None = None
        self._path = Path(address.removeprefix("local:"))
        if not address:
            self._folder = ScratchFolder("bench")
            self._path = self._folder.path / "hub"
            self._hub = _Hub(self._path)
        self.address = f"local:{self._path}"

    def connect(self, node: str) -> "LocalConnection":
        """A connection for the node of this name."""
        return LocalConnection(self._path)

    def close(self) -> None:
        """Ends the hub, if this process runs it."""
        if self._hub:
            self._hub.close()
        if self._folder:
            self._folder.close()


class _Hub:
    """Forwards messages to the subscribers of their topic, in its own thread."""

    def __init__(self, path: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._clients: dict[socket.socket, _Client] = {}
        self._thread = threading.Thread(target=self._serve, name="autosim-bench-hub", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and all connections."""
        self._wake.send(b"\0")
        self._thread.join()
        for each in (*self._clients, self._listener, self._wake, self._woken):
            each.close()
        self._selector.close()

    def _serve(self) -> None:
        while True:
            for key, events in self._selector.select():
                if key.fileobj is self._woken:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif client := self._clients.get(key.fileobj):  # type: ignore[call-overload]
                    self._serve_client(client, events)  # else another's message has ended it

    def _accept(self) -> None:
        connected, _ = self._listener.accept()
        connected.setblocking(False)
        self._clients[connected] = _Client(connected)
        self._selector.register(connected, selectors.EVENT_READ)

    def _serve_client(self, client: _Client, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                self._flush(client)
            if events & selectors.EVENT_READ:
                self._read(client)
        except (OSError, ValueError):
            self._drop(client)

    def _read(self, client: _Client) -> None:
        data = client.socket.recv(_CHUNK_BYTES)
        if not data:
            raise ConnectionResetError
        for kind, topic, message in client.frames.add(data):
            if kind is _Kind.MESSAGE:
                frame = _frame(kind, topic, message)
                for each in list(self._clients.values()):
                    if topic in each.topics:
                        self._send(each, frame)
            elif kind is _Kind.SUBSCRIBE:
                client.topics.add(topic)
                self._send(client, _frame(_Kind.SUBSCRIBED, topic))
            elif kind is _Kind.UNSUBSCRIBE:
                client.topics.discard(topic)

    def _send(self, client: _Client, frame: bytes) -> None:
        # A process that reads nothing at all: its node takes no messages either, and finds the
        # gap in their numbers once it does.
        if client.waiting_bytes + len(frame) > MOST_WAITING_BYTES:
            return
        client.waiting.append(memoryview(frame))
        client.waiting_bytes += len(frame)
        try:
            self._flush(client)
        except OSError:
            self._drop(client)

    def _flush(self, client: _Client) -> None:
        with contextlib.suppress(BlockingIOError):
            while client.waiting:
                sent = client.socket.send(client.waiting[0])
                client.waiting_bytes -= sent
                client.waiting[0] = client.waiting[0][sent:]
                if not client.waiting[0]:
                    client.waiting.popleft()
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.waiting else 0)
        self._selector.modify(client.socket, wanted)

    def _drop(self, client: _Client) -> None:
        if self._clients.pop(client.socket, None):
            self._selector.unregister(client.socket)
            client.socket.close()


class LocalConnection(BackendConnection):
    """A node's connection to the hub; comes back by itself where the hub does."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._is_closed = False
        self._confirmed: set[str] = set()
        self._confirmation = threading.Condition()
        self._sending = threading.Lock()
        self._socket = self._open()
        self._thread = threading.Thread(target=self._receive, name="autosim-bench", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends all subscriptions and the connection."""
        super().close()
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _open(self) -> socket.socket:
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            opened.connect(str(self._path))
        except OSError as error:
            opened.close()
            raise BackendError(
                f"no bench answers at {self._path}: {error.strerror}; is the bench still running?"
            ) from None
        return opened

    def _join(self, topic: str) -> None:
        self._confirmed.discard(topic)
        self._write(_frame(_Kind.SUBSCRIBE, topic))
        with self._confirmation:
            if not self._confirmation.wait_for(
                lambda: topic in self._confirmed or self.lost, _ANSWER_SECONDS
            ):
                raise BackendError(f"the bench at {self._path} does not answer")

    def _leave(self, topic: str) -> None:
        self._write(_frame(_Kind.UNSUBSCRIBE, topic))

    def _send(self, topic: str, data: bytes) -> None:
        self._write(_frame(_Kind.MESSAGE, topic, data))

    def _write(self, frame: bytes) -> None:
        with self._sending, contextlib.suppress(OSError):  # the receiving thread reconnects
            self._socket.sendall(frame)

    def _receive(self) -> None:
        frames = _Frames()
        while not self._is_closed:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except OSError:
                data = b""
            if data:
                self._take(frames.add(data))
            elif not self._is_closed:
                frames = _Frames()
                self._reconnect()
                if self.lost:
                    return

    def _take(self, frames: list[tuple[_Kind, str, bytes]]) -> None:
        for kind, topic, data in frames:
            if kind is _Kind.MESSAGE:
                self.inbox.put(topic, data)
            else:
                with self._confirmation:
                    self._confirmed.add(topic)
                    self._confirmation.notify_all()

    def _reconnect(self) -> None:
        deadline = time.monotonic() + _GIVE_UP_SECONDS
        while not self._is_closed:
            try:
                opened = self._open()
            except BackendError as error:
                if time.monotonic() > deadline:
                    self.lost = error
                    return
                time.sleep(_RETRY_SECONDS)
                continue
            with self._sending:
                self._socket.close()
                self._socket = opened
            for topic in self.inbox.topics():
                self._write(_frame(_Kind.SUBSCRIBE, topic))
            return
