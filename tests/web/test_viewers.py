"""Each viewer gets the newest state at its rate; slow ones are skipped, then dropped."""

import asyncio
from collections.abc import Callable

import numpy as np

from autosim.client.link.served_world import ServedWorld
from autosim.client.link.updates import Received
from autosim.model.state import State
from autosim.web.streaming.encoding import KEY_SECONDS, StateEncoder
from autosim.web.streaming.frames import binary_frame, text_frame
from autosim.web.streaming.packets import HEADER, StreamKind
from autosim.web.streaming.stream_messages import Watch
from autosim.web.streaming.viewers import StreamViewer, ViewerHub
from autosim.web.viewer_limits import VIEWER_LIMITS
from autosim.wire import Packet, PacketKind
from tests.web.packet_vectors import sample_tree


class Wire:
    """A connection that accepts as many bytes as it is told to."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.waiting = 0
        self.is_aborted = False

    def write(self, data: bytes) -> None:
        if self.is_aborted:
            raise RuntimeError("the handler is closed")
        self.frames.append(data)

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True

    @property
    def packets(self) -> list[tuple[StreamKind, int]]:
        """Kind and step of each binary message."""
        found = []
        for frame in self.frames:
            if frame[0] == 0x82:
                start = {126: 4, 127: 10}.get(frame[1], 2)
                kind, _, _, _, step = HEADER.unpack_from(frame, start)
                found.append((StreamKind(kind), step))
        return found


class Stage:
    """A hub whose clock is set by hand, with states of the sample tree."""

    def __init__(self) -> None:
        self.now = 100.0
        self.tree = sample_tree()
        self.state = State(self.tree)
        self.state.floats[:] = np.random.default_rng(5).normal(size=len(self.state.floats))
        self.hub = ViewerHub(lambda: self.now)
        self.begin()

    def begin(self) -> None:
        world = ServedWorld("sample", "0", self.tree, (), 1 / 240, "digest")
        self.hub.set_world(world, StateEncoder(self.tree))

    def show(self, step: int) -> None:
        self.state.ints[0] = step
        self.state.floats[4] = 0.001 * step
        packet = Packet(PacketKind.STATE, step, 0, memoryview(self.state.to_bitstream()))
        self.hub.set_state(Received(packet, self.now, 1), False)

    def viewer(self, rate_hz: float = 10.0) -> tuple[StreamViewer, Wire]:
        wire = Wire()
        viewer = StreamViewer(wire, rate_hz)
        self.hub.add(viewer)
        return viewer, wire


def on_stage(check: Callable[[Stage], None]) -> None:
    """Runs `check` inside an event loop."""

    async def run() -> None:
        check(Stage())

    asyncio.run(run())


def test_viewers_get_states_at_their_own_rates() -> None:
    def check(stage: Stage) -> None:
        _, slow = stage.viewer(5.0)
        _, fast = stage.viewer(20.0)
        for step in range(60):
            stage.show(step)
            stage.now += 1 / 60
        assert len(slow.packets) in (5, 6)
        assert len(fast.packets) in (20, 21)

    on_stage(check)


def test_all_viewers_of_a_rate_get_the_same_bytes() -> None:
    def check(stage: Stage) -> None:
        wires = [stage.viewer()[1] for _ in range(5)]
        for step in range(10):
            stage.show(step)
            stage.now += 0.1
        for wire in wires:
            assert wire.frames == wires[0].frames
            assert all(a is b for a, b in zip(wire.frames[1:], wires[0].frames[1:], strict=True))

    on_stage(check)


def test_a_late_viewer_gets_the_key_and_the_newest_delta() -> None:
    def check(stage: Stage) -> None:
        stage.viewer()
        for step in range(8):
            stage.show(step)
            stage.now += 0.1
        _, late = stage.viewer()
        assert late.packets == [(StreamKind.KEY, 0), (StreamKind.DELTA, 7)]

    on_stage(check)


def test_a_slow_viewer_skips_states_and_gets_the_key_that_it_missed() -> None:
    def check(stage: Stage) -> None:
        _, wire = stage.viewer()
        stage.show(0)
        wire.waiting = 1
        for step in range(1, 40):
            stage.now += 0.1
            stage.show(step)
        assert wire.packets == [(StreamKind.KEY, 0)]
        wire.waiting = 0
        stage.now += 0.1
        stage.show(40)
        key, newest = wire.packets[1:]
        assert key[0] is StreamKind.KEY
        assert key[1] > 10 * KEY_SECONDS - 2
        assert newest == (StreamKind.DELTA, 40)

    on_stage(check)


def test_a_viewer_that_was_slow_gets_the_last_state_of_a_paused_simulation() -> None:
    def check(stage: Stage) -> None:
        _, wire = stage.viewer()
        stage.show(0)
        wire.waiting = 1
        stage.now += 0.1
        stage.show(1)
        wire.waiting = 0
        stage.hub.check()
        assert wire.packets[-1] == (StreamKind.DELTA, 1)

    on_stage(check)


def test_a_viewer_that_accepts_nothing_is_dropped_and_no_other() -> None:
    def check(stage: Stage) -> None:
        _, stuck = stage.viewer()
        _, other = stage.viewer()
        stage.show(0)
        stuck.waiting = 1
        for step in range(1, 3 + int(10 * VIEWER_LIMITS.slow_seconds)):
            stage.now += 0.1
            stage.show(step)
            stage.hub.check()
        assert stuck.is_aborted
        assert not other.is_aborted
        assert other.packets[-1][1] > 90

    on_stage(check)


def test_a_closed_connection_costs_the_others_nothing() -> None:
    def check(stage: Stage) -> None:
        viewers = [stage.viewer() for _ in range(6)]
        stage.show(0)
        viewers[2][1].abort()
        stage.hub.watch(viewers[3][0], Watch(("car.chassis",), 1))
        for step in range(1, 12):
            stage.now += 0.3
            stage.show(step)
            stage.hub.check()
        stage.hub.set_trouble("gone")
        stage.begin()
        for number, (_, wire) in enumerate(viewers):
            assert wire.is_aborted == (number == 2)
            assert number == 2 or (StreamKind.DELTA, 11) in wire.packets

    on_stage(check)


def test_another_world_begins_with_a_hello_and_a_key() -> None:
    def check(stage: Stage) -> None:
        viewer, wire = stage.viewer()
        stage.hub.watch(viewer, Watch(("car.chassis",), 1))
        stage.show(0)
        stage.begin()
        stage.now += 0.1
        stage.show(1)
        texts = [index for index, frame in enumerate(wire.frames) if frame[0] == 0x81]
        assert len(texts) == 2
        assert wire.packets[-1] == (StreamKind.KEY, 1)
        assert viewer.watch is None

    on_stage(check)


def test_watched_values_come_at_most_ten_times_a_second() -> None:
    def check(stage: Stage) -> None:
        viewer, wire = stage.viewer(60.0)
        stage.show(0)
        stage.hub.watch(viewer, Watch(("car.chassis",), 1))
        for step in range(60):
            stage.now += 1 / 60
            stage.show(step)
        watched = [each for each in wire.packets if each[0] is StreamKind.WATCHED]
        assert 9 <= len(watched) <= 11

    on_stage(check)


def test_trouble_reaches_all_viewers() -> None:
    def check(stage: Stage) -> None:
        _, wire = stage.viewer()
        stage.hub.set_trouble("the server does not answer")
        assert wire.frames[-1].endswith(b"the server does not answer")

    on_stage(check)


def test_frames_of_all_lengths_have_the_right_head() -> None:
    for size, head in ((125, 2), (126, 4), (65535, 4), (65536, 10)):
        frame = binary_frame(b"x" * size)
        assert len(frame) == size + head
        length = {2: frame[1], 4: int.from_bytes(frame[2:4], "big")}
        assert length.get(head, int.from_bytes(frame[2:10], "big")) == size
    assert text_frame("é") == b"\x81\x02\xc3\xa9"
    assert np.frombuffer(binary_frame(b"ab"), np.uint8)[0] == 0x82
