"""The keys of a terminal: with releases where it tells of them, and by their times where not."""

import os
from collections.abc import Iterator

import pytest

from autosim.applications.driving.driver_input import AWAY, HALT, DriverCommand
from autosim.applications.driving.key_events import KeyEventKind, KeyReader
from autosim.applications.driving.keyboard import Keyboard

FAST = 15.0  # m/s
STEP = 0.05


class Terminal:
    """A keyboard at the end of a pipe, and a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        reader, self.writer = os.pipe()
        self.keyboard = Keyboard(reader, clock=lambda: self.now)

    def read(self, typed: bytes = b"") -> DriverCommand:
        """What the driver wants a step later, after these bytes."""
        os.write(self.writer, typed)
        self.now += STEP
        return self.keyboard.read(speed=FAST, seconds=STEP)

    def repeat(self, typed: bytes, *, seconds: float) -> list[DriverCommand]:
        """The same bytes again at each step, as of a key that is held; b"": nothing."""
        return [self.read(typed) for _ in range(round(seconds / STEP))]

    def hold(self, typed: bytes, *, seconds: float) -> list[DriverCommand]:
        """A key that is pressed, and repeats after half a second."""
        return [
            self.read(typed),
            *self.repeat(b"", seconds=0.5),
            *self.repeat(typed, seconds=seconds),
        ]

    def close(self) -> None:
        os.close(self.keyboard.fileno())


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def test_before_the_first_key_nobody_is_at_the_wheel(terminal: Terminal):
    assert terminal.read() == AWAY


@pytest.mark.parametrize(("up", "left"), [(b"w", b"a"), (b"W", b"A"), (b"\x1b[A", b"\x1b[D")])
def test_letters_and_arrows_drive(terminal: Terminal, up: bytes, left: bytes):
    assert terminal.hold(up, seconds=2.0)[-1] == DriverCommand(push=1.0)
    assert terminal.read(left) == DriverCommand(pytest.approx(0.1), 1.0)
    assert terminal.read(b" ").brake == 1.0


def test_holding_w_and_tapping_a_goes_on_and_then_coasts(terminal: Terminal):
    terminal.hold(b"w", seconds=2.0)
    terminal.read(b"a")
    # The terminal repeats W no more, whether it is held or not.
    after = terminal.repeat(b"", seconds=1.4)
    assert {wish.push for wish in after} == {1.0}
    assert after[-1].steering == 0.0
    after += terminal.repeat(b"", seconds=3.0)
    assert {wish.brake for wish in after} == {0.0}
    assert after[-1] == DriverCommand()
    assert terminal.hold(b"w", seconds=2.0)[-1] == DriverCommand(push=1.0)


def test_letting_go_of_everything_coasts_and_only_long_silence_brakes_gently(terminal: Terminal):
    terminal.hold(b"w", seconds=2.0)
    silence = terminal.repeat(b"", seconds=4.9)
    assert {wish.brake for wish in silence} == {0.0}
    assert silence[-1].push == 0.0
    assert terminal.repeat(b"", seconds=0.2)[-1] == AWAY


def test_a_tap_steers_a_little_and_a_held_key_all_the_way(terminal: Terminal):
    terminal.read(b"w")
    tapped = [wish.steering for wish in [terminal.read(b"a"), *terminal.repeat(b"", seconds=1.4)]]
    assert max(tapped) == pytest.approx(0.5)
    assert tapped[-1] == 0.0
    held = [wish.steering for wish in terminal.hold(b"d", seconds=0.5)]
    assert held == sorted(held, reverse=True)
    assert held[-1] == -1.0


def test_the_other_pedal_and_the_other_side_end_the_first(terminal: Terminal):
    terminal.hold(b"w", seconds=1.0)
    assert terminal.hold(b"s", seconds=0.5)[-1] == DriverCommand(brake=1.0)
    terminal.hold(b"a", seconds=0.5)
    assert terminal.hold(b"d", seconds=0.5)[-1].steering == -1.0


def test_an_arrow_may_come_in_pieces_and_other_keys_mean_nothing(terminal: Terminal):
    assert terminal.read(b"xyz\xff\x1b[5~\x1b[1;2Q\x1b[<0;1M") == AWAY
    terminal.read(b"\x1b")
    assert terminal.read(b"[") == AWAY
    assert terminal.read(b"A").push > 0.0


REPORTS = b"\x1b[?11u"


def test_where_releases_are_told_keys_are_what_they_are(terminal: Terminal):
    terminal.read(REPORTS)
    terminal.read(b"\x1b[119;1:1u")  # W down
    assert terminal.repeat(b"", seconds=20.0)[-1] == DriverCommand(push=1.0)
    terminal.read(b"\x1b[97;1:1u")  # A down
    assert terminal.repeat(b"\x1b[97;1:2u", seconds=1.0)[-1] == DriverCommand(1.0, 1.0)
    terminal.read(b"\x1b[97;1:3u")  # A up
    assert terminal.repeat(b"", seconds=20.0)[-1] == DriverCommand(push=1.0)
    terminal.read(b"\x1b[119;129:3u")  # W up, with the num lock on
    assert terminal.repeat(b"", seconds=20.0)[-1] == DriverCommand()
    assert terminal.repeat(b"\x1b[1;1:1C", seconds=1.0)[-1].steering == -1.0
    assert terminal.repeat(b"\x1b[1;1:3C", seconds=1.0)[-1].steering == 0.0


@pytest.mark.parametrize("begin", [b"", REPORTS])
def test_a_terminal_that_loses_the_focus_lets_go(terminal: Terminal, begin: bytes):
    terminal.read(begin + b"w")
    assert terminal.read(b"\x1b[O") == AWAY
    terminal.read(b"\x1b[I")
    assert terminal.read(b"d").push < 0.1


@pytest.mark.parametrize("last", [b"q", b"\x04", b"\x1b[113u", b"\x1b[100;5u"])
def test_q_ends_the_drive(terminal: Terminal, last: bytes):
    assert terminal.read(b"w" + last) == HALT
    assert terminal.keyboard.is_over


def test_a_closed_terminal_ends_the_drive(terminal: Terminal):
    os.close(terminal.writer)
    assert terminal.keyboard.read(speed=FAST, seconds=STEP) == HALT
    assert terminal.keyboard.is_over


def test_control_c_interrupts_also_where_it_is_a_key():
    assert [each.what for each in KeyReader().read(b"\x1b[99;5u")] == [KeyEventKind.INTERRUPT]
    assert not [*KeyReader().read(b"\x1b[99;5:3u\x1b[119;3u")]  # released; Alt-W
