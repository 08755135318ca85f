"""Speaks with a board on its own: shows what it says, and measures its range finder's error."""

import csv
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.errors import UserError
from autosim_testbench.applications.listen import in_words
from autosim_testbench.hardware.board import Board, open_board
from autosim_testbench.hardware.board_frames import BoardMessage, pack_frame, unpack_frame
from autosim_testbench.hardware.emulated_board import Pins
from autosim_testbench.hardware.framing import Decoder, encode
from autosim_testbench.messages.kinds import Heading, Range, WheelCommand
from autosim_testbench.messages.serial_object import MessageError, SerialObject

_TURN = 0.02
"""Time [s] between two looks at a board: a third of the range finder's cycle."""

_MICROSECONDS = 1e-6
"""Seconds in a microsecond [s/µs], the unit of a board's clock."""

_SETTLE = 0.2
"""Time [s] after which a range finder measures what now stands before it: three of its cycles."""

_PATIENCE = 5.0
"""Time [s] without a measurement after which a board counts as silent: 80 cycles."""

_KINDS: dict[int, type[SerialObject]] = {
    each.type_id(): each for each in (Range, Heading, WheelCommand)
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A true distance and what the sensor said of it [m]; infinity where it heard nothing."""

    true: float
    measured: float
    """Distance [m] that the sensor reported."""


def watch_board(
    sketch: str,
    port: Path | None,
    *,
    seconds: float,
    pins: Pins,
    wheels: tuple[int, int] | None,
    tell: Callable[[str], None],
) -> None:
    """Calls `tell` for each message of a board.

    Args:
        sketch: what an emulated board runs.
        port: of a real board; None for an emulated one.
        seconds: how long, on the board's clock; of a real one, on the wall.
        pins: what an emulated board's sensors have before them.
        wheels: the command that a rover's board gets four times a second; None for none.
        tell: takes a line.

    Raises:
        UserError: the board cannot be opened, or said nothing that it could be understood by.
    """
    command = WheelCommand(left=wheels[0], right=wheels[1]) if wheels else None
    decoder, is_heard, motors = Decoder(), False, b""
    with _opened(sketch, port) as board:
        for turn in range(math.ceil(seconds / _TURN)):
            is_due = command is not None and turn % round(0.25 / _TURN) == 0
            said = board.run(
                _TURN, pins, encode(pack_frame(0, command)) if is_due and command else b""
            )
            for payload in decoder.add(said.serial):
                is_heard = True
                tell(_line(payload))
            if said.motors and said.motors != motors:
                is_heard, motors = True, said.motors
                tell(f"to the motor controller: {' '.join(map(str, motors))}")
    if decoder.rejected:
        tell(f"{decoder.rejected} pieces of the serial stream were not valid frames")
    if not is_heard:
        raise UserError(_silence(port))


def measure_board(
    port: Path | None,
    *,
    places: list[float],
    count: int,
    scatter: float,
    seed: int,
    ask: Callable[[float], None],
) -> list[Measurement]:
    """Measures known distances with a board's range finder.

    Args:
        port: of a real board; None for an emulated one.
        places: the true distances [m].
        count: of measurements at each.
        scatter: standard deviation [m] of an emulated sensor's echo; what its board's timing makes
            of it comes on top.
        seed: of the scatter.
        ask: called before each place of a real board: returns once something stands there.

    Raises:
        UserError: the board cannot be opened, or measures nothing.
    """
    random = np.random.default_rng(seed)
    found = []
    with _opened("range_finder", port) as board:
        for place in places:
            if port:
                ask(place)
            board.run(_SETTLE, Pins(place))
            decoder = Decoder()
            for _ in range(count):
                echo = place + (0.0 if port else random.normal(0.0, scatter))
                found.append(Measurement(place, _next_range(board, decoder, Pins(echo), port)))
    return found


def write_measurements(file: Path, found: list[Measurement]) -> None:
    """Writes a CSV with the columns `true` and `measured` [m]."""
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("true", "measured"))
        writer.writerows((f"{each.true:.4f}", f"{each.measured:.4f}") for each in found)


@contextmanager
def _opened(sketch: str, port: Path | None) -> Iterator[Board]:
    board = open_board(sketch, port)
    try:
        yield board
    finally:
        board.close()


def _next_range(board: Board, decoder: Decoder, pins: Pins, port: Path | None) -> float:
    """The range finder's next measurement of `pins`, not one that has begun already."""
    heard: list[float] = []
    message = Range()
    for _ in range(math.ceil(_PATIENCE / _TURN)):
        for payload in decoder.add(board.run(_TURN, pins).serial):
            said = unpack_frame(payload)
            if said.type_id == Range.type_id():
                said.fill(message)
                heard.append(message.distance)
        if len(heard) > 1:
            return heard[-1]
    raise UserError(_silence(port))


def _line(payload: bytes) -> str:
    try:
        said = unpack_frame(payload)
        return f"{said.time_us * _MICROSECONDS:10.4f} s  topic {said.topic}  {_values(said)}"
    except MessageError as error:
        return str(error)


def _values(said: BoardMessage) -> str:
    kind = _KINDS.get(said.type_id)
    if kind is None:
        return f"a message of type {said.type_id:08x}, which is none of ours: {said.data.hex(' ')}"
    message = kind()
    message.deserialize(said.data)
    return f"{kind.__name__}  {in_words(message)}"


def _silence(port: Path | None) -> str:
    if port is None:
        return "the emulated board has said nothing: does its sketch publish anything?"
    return (
        f"{port}: no message came. Has the board one of our sketches "
        f"(autosim testbench board flash range_finder --port {port})?"
    )
