"""All viewers of one gateway: each gets the newest state at its rate, encoded once for all."""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from autosim.arrays import Integers
from autosim.client.link.served_world import ServedWorld
from autosim.client.link.updates import Received
from autosim.model.tree import WORD, SimulationTree
from autosim.web.streaming.encoding import StateEncoder
from autosim.web.streaming.frames import binary_frame, text_frame
from autosim.web.streaming.packets import StreamKind, write_packet
from autosim.web.streaming.stream_messages import Watch, hello_of
from autosim.web.viewer_limits import VIEWER_LIMITS, ViewerLimits

RATES = (1, 2, 5, 10, 20, 30, 60)
"""Rates [Hz] of states; each viewer gets the nearest at or above the one that it asks for. All
viewers of a rate get their states at the same moments."""

HEARTBEAT_SECONDS = 1.0
"""Interval [s] between heartbeats while there is no new state."""

CHECK_SECONDS = 0.25
"""Interval [s] at which slow viewers get another chance while no state comes."""


class ViewerOutlet(Protocol):
    """The methods of `asyncio.Transport` that the hub needs of a connection."""

    def write(self, data: bytes) -> None:
        """Sends bytes, later if need be."""

    def get_write_buffer_size(self) -> int:
        """Bytes that are waiting."""

    def is_closing(self) -> bool:
        """Whether it is closed or about to be."""

    def abort(self) -> None:
        """Closes it at once."""


class StreamViewer:
    """One page that receives states.

    Args:
        outlet: its connection.
        rate_hz: states that it asks for per second.
    """

    __slots__ = ("key_number", "outlet", "rate", "serial", "slow_since", "watch", "watch_due")

    def __init__(self, outlet: ViewerOutlet, rate_hz: float = 20.0) -> None:
        self.outlet = outlet
        self.rate = next((each for each in RATES if each >= rate_hz), RATES[-1])
        self.key_number = -1
        self.serial = -1
        self.slow_since = -1.0
        self.watch: _Watched | None = None
        self.watch_due = 0.0


@dataclass(frozen=True, slots=True)
class _Watched:
    """The nodes that a viewer watches: its request, and their words in the state."""

    request: Watch
    words: Integers
    period: float


@dataclass(frozen=True, slots=True)
class _Frames:
    """The newest state as WebSocket frames; `delta` is empty where the state is the key itself."""

    key_number: int
    key: bytes
    delta: bytes


class UnknownNodeError(Exception):
    """A viewer asks for nodes that the world does not have, or for too many."""


class _Group:
    """The viewers of one rate, and when they get their next state (monotonic time [s])."""

    def __init__(self, rate: int) -> None:
        self.period = 1.0 / rate
        self.viewers: set[StreamViewer] = set()
        self.due = 0.0
        self.serial = -1

    def advance(self, now: float) -> None:
        """Plans the next state; after a pause the rhythm begins again."""
        self.due = self.due + self.period if now - self.due < self.period else now + self.period


class ViewerHub:
    """Encodes states and sends them to viewers. Its methods belong to one event loop.

    Args:
        limits: on viewers.
        clock: monotonic time [s].
    """

    def __init__(self, clock: Callable[[], float], limits: ViewerLimits = VIEWER_LIMITS) -> None:
        self._clock = clock
        self._limits = limits
        self._groups = {rate: _Group(rate) for rate in RATES}
        self._watchers: set[StreamViewer] = set()
        self._encoder: StateEncoder | None = None
        self._hello = b""
        self._state = memoryview(b"")
        self._is_standing = False
        self._serial = 0
        self._encoded_serial = -1
        self._frames: _Frames | None = None
        self._step = 0
        self._trouble = ""
        self._timer: asyncio.TimerHandle | None = None
        self._last_sent = 0.0

    @property
    def tree(self) -> SimulationTree | None:
        """The tree of the present world; None before the first one."""
        return None if self._encoder is None else self._encoder.tree

    @property
    def count(self) -> int:
        """Number of viewers."""
        return sum(len(group.viewers) for group in self._groups.values())

    def set_world(self, world: ServedWorld, encoder: StateEncoder) -> None:
        """Begins with another world, or with the same again; every viewer gets a hello."""
        self._encoder = encoder
        hello = hello_of(self._encoder, step_seconds=world.step_seconds)
        self._hello = text_frame(json.dumps({**hello, "world_digest": world.digest}))
        self._state = memoryview(b"")
        self._frames = None
        for viewer in self._all_viewers():
            self._greet(viewer)

    def set_state(self, received: Received, is_standing: bool) -> None:
        """Takes the newest state of the present world and sends it to all that are due."""
        tree = self.tree
        if tree is None or len(received.packet.state) != tree.stop:
            return
        self._state, self._is_standing = received.packet.state, is_standing
        self._step = received.packet.step
        self._serial += 1
        self._pump()

    def set_trouble(self, trouble: str) -> None:
        """Tells all viewers why no states come; "" where they do."""
        self._trouble = trouble
        self._beat(self._clock())

    def add(self, viewer: StreamViewer) -> None:
        """Sends states to `viewer` from now on: first the hello and the newest state."""
        self._groups[viewer.rate].viewers.add(viewer)
        self._greet(viewer)
        if self._trouble:
            _write(viewer.outlet, self._heartbeat())
        frames = self._newest_frames()
        if frames is not None:
            self._send_state([viewer], frames, self._clock())

    def remove(self, viewer: StreamViewer) -> None:
        """Sends nothing more to `viewer`."""
        self._groups[viewer.rate].viewers.discard(viewer)
        self._watchers.discard(viewer)

    def watch(self, viewer: StreamViewer, request: Watch) -> None:
        """Sends the values of some nodes to `viewer` from now on, instead of those before.

        Raises:
            UnknownNodeError: the world does not have one of them, or they are too large.
        """
        words = self._words_of(request.names)
        size = words.size * WORD
        per_second = min(
            self._limits.watched_hz, self._limits.watched_bytes_per_second / max(size, 1)
        )
        viewer.watch = _Watched(request, words, 1.0 / per_second)
        viewer.watch_due = 0.0
        self._watchers.add(viewer)
        self._send_watched(self._clock())

    def check(self) -> None:
        """Sends heartbeats, serves viewers that were too slow, and drops those that stay so.

        It is called every `CHECK_SECONDS`.
        """
        now = self._clock()
        frames = self._newest_frames()
        if frames is not None:
            behind = [
                each
                for each in self._all_viewers()
                if each.slow_since >= 0.0 and each.serial != self._serial
            ]
            if behind:
                self._send_state(behind, frames, now)
        for viewer in list(self._all_viewers()):
            is_slow = viewer.slow_since >= 0.0
            if is_slow and now - viewer.slow_since > self._limits.slow_seconds:
                viewer.outlet.abort()
        if now - self._last_sent >= HEARTBEAT_SECONDS:
            self._beat(now)
        self._send_watched(now)

    def _all_viewers(self) -> Iterable[StreamViewer]:
        for group in self._groups.values():
            yield from group.viewers

    def _greet(self, viewer: StreamViewer) -> None:
        viewer.key_number = viewer.serial = -1
        viewer.watch = None
        self._watchers.discard(viewer)
        if self._hello:
            _write(viewer.outlet, self._hello)

    def _pump(self) -> None:
        """Sends the newest state to the groups that are due, and plans when to look again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._clock()
        next_due = np.inf
        for group in self._groups.values():
            if not group.viewers or group.serial == self._serial:
                continue
            if now < group.due:
                next_due = min(next_due, group.due)
                continue
            frames = self._newest_frames()
            if frames is None:
                return
            self._send_state(group.viewers, frames, now)
            group.serial = self._serial
            group.advance(now)
        self._send_watched(now)
        if next_due < np.inf:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, next_due - now), self._pump)

    def _newest_frames(self) -> _Frames | None:
        if self._encoder is None or not self._state:
            return None
        if self._encoded_serial == self._serial and self._frames is not None:
            return self._frames
        encoded = self._encoder.encode(
            self._state, now=self._clock(), is_standing=self._is_standing
        )
        before = self._frames
        if before is not None and before.key_number == encoded.key_number:
            key = before.key
        else:
            key = binary_frame(encoded.key)
        delta = b"" if encoded.delta is None else binary_frame(encoded.delta)
        self._frames = _Frames(encoded.key_number, key, delta)
        self._encoded_serial = self._serial
        return self._frames

    def _send_state(self, viewers: Iterable[StreamViewer], frames: _Frames, now: float) -> None:
        """Sends a state to each viewer that has accepted all bytes before it; skips the others."""
        number, key, delta, serial = frames.key_number, frames.key, frames.delta, self._serial
        for viewer in viewers:
            outlet = viewer.outlet
            if outlet.get_write_buffer_size():
                if viewer.slow_since < 0.0:
                    viewer.slow_since = now
                continue
            viewer.slow_since = -1.0
            viewer.serial = serial
            try:
                if viewer.key_number != number:
                    viewer.key_number = number
                    outlet.write(key)
                if delta:
                    outlet.write(delta)
            except RuntimeError:
                # It was closed just now, which its reader has not noticed yet.
                viewer.key_number = -1
        self._last_sent = now

    def _heartbeat(self) -> bytes:
        payload = self._trouble.encode()[:1000]
        packet = write_packet(
            StreamKind.HEARTBEAT, payload, step=self._step, standing=self._is_standing
        )
        return binary_frame(packet)

    def _beat(self, now: float) -> None:
        self._last_sent = now
        frame = self._heartbeat()
        for viewer in self._all_viewers():
            if not viewer.outlet.get_write_buffer_size():
                _write(viewer.outlet, frame)

    def _words_of(self, names: Iterable[str]) -> Integers:
        tree = self.tree
        if tree is None:
            raise UnknownNodeError("there is no world yet")
        parts: list[Integers] = []
        for name in names:
            node = tree.find(name)
            if node is None:
                raise UnknownNodeError(f"there is no node '{name[:100]}'")
            parts.append(np.arange(node.start // WORD, node.own_stop // WORD, dtype=np.int64))
        words = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        if words.size * WORD > self._limits.watched_bytes:
            raise UnknownNodeError(
                f"the values of these nodes take {words.size * WORD} bytes, of at most "
                f"{self._limits.watched_bytes}: watch fewer"
            )
        return words

    def _send_watched(self, now: float) -> None:
        if not self._watchers or not self._state:
            return
        ints = np.frombuffer(self._state, dtype=np.int64)
        written: dict[Watch, bytes] = {}
        for viewer in self._watchers:
            watched = viewer.watch
            if watched is None or now < viewer.watch_due or viewer.outlet.get_write_buffer_size():
                continue
            viewer.watch_due = now + watched.period
            frame = written.get(watched.request)
            if frame is None:
                values = ints[watched.words].tobytes()
                number = watched.request.number
                frame = binary_frame(
                    write_packet(
                        StreamKind.WATCHED,
                        values,
                        step=self._step,
                        key=number,
                        standing=self._is_standing,
                    )
                )
                written[watched.request] = frame
            _write(viewer.outlet, frame)


def _write(outlet: ViewerOutlet, data: bytes) -> None:
    """Sends bytes, unless the connection is closed, which its reader may not have noticed yet."""
    if not outlet.is_closing():
        outlet.write(data)
