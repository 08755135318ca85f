"""Reads the sentences of GPS receivers from the state, in kernels: RMC and GGA of any talker."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.jit import compiled, jitable
from autosim.kinds.nmea import KNOT
from autosim.portable import sin_cos

_COMMA, _POINT, _ZERO, _NINE = (ord(letter) for letter in ",.09")
_R, _G, _A, _S, _W, _MINUS = (ord(letter) for letter in "RGASW-")

_SECONDS_OF_HOUR, _SECONDS_OF_MINUTE = 3600.0, 60.0
"""Number of seconds [s] of an hour and of a minute of the clock in a sentence."""


class ReceiverFixes(NamedTuple):
    """Fixes of n receivers.

    is_new: (n,) whether the sentence is another one than before; is_valid: (n,) whether it has a
    fix; seconds: (n,) of the day [s] to which it refers; geographic: (n, 2) latitude and longitude
    [deg]; height: (n,) [m], NaN where the sentence has none; velocity: (n, 2) east and north [m/s],
    NaN where it has none.
    """

    is_new: Booleans
    is_valid: Booleans
    seconds: Floats
    geographic: Floats
    height: Floats
    velocity: Floats

    @classmethod
    def none(cls, receivers: int) -> "ReceiverFixes":
        """Room for the fixes of `count` receivers."""
        return cls(
            np.zeros(receivers, dtype=np.bool_),
            np.zeros(receivers, dtype=np.bool_),
            np.full(receivers, np.nan),
            np.zeros((receivers, 2)),
            np.full(receivers, np.nan),
            np.full((receivers, 2), np.nan),
        )


@compiled
def read_fixes(
    memory: Bytes, starts: Integers, room: int, heard: Floats, fixes: ReceiverFixes
) -> None:
    """Reads the sentences that are new.

    Args:
        memory: the bytes of the whole state.
        starts: (n,) where each receiver's sentence begins; -1: there is none, and no fix.
        room: bytes of a sentence.
        heard: (n,) times of the day [s] of the last sentences, NaN before the first; changed.
        fixes: into which is written.
    """
    marks = np.zeros(_MOST_FIELDS, dtype=np.int64)
    for i in range(len(starts)):
        fixes.is_new[i] = False
        if starts[i] < 0:
            continue
        text = memory[starts[i] : starts[i] + room]
        count = _find_fields(text, marks)
        if count < _FEWEST_FIELDS:
            fixes.is_valid[i] = False
            continue
        seconds = _seconds(text, marks[1])
        is_rmc = text[3] == _R
        first = marks[3] if is_rmc else marks[2]
        fixes.is_valid[i] = text[marks[2]] == _A if is_rmc else text[marks[6]] > _ZERO
        fixes.is_new[i] = fixes.is_valid[i] and seconds != heard[i]
        if not fixes.is_new[i]:
            continue
        heard[i] = fixes.seconds[i] = seconds
        places = 0 if is_rmc else -1
        fixes.geographic[i, 0] = _angle(text, first, 2, text[marks[4 + places]] == _S)
        second = marks[5 + places]
        fixes.geographic[i, 1] = _angle(text, second, 3, text[marks[6 + places]] == _W)
        fixes.height[i] = np.nan if is_rmc else _number(text, marks[9])
        fixes.velocity[i] = np.nan
        if is_rmc:
            speed = KNOT * _number(text, marks[7])
            east, north = sin_cos(np.radians(_number(text, marks[8])))
            fixes.velocity[i, 0], fixes.velocity[i, 1] = speed * east, speed * north


_MOST_FIELDS = 24
"""Number of fields of a sentence that are found; GGA has fifteen."""

_FEWEST_FIELDS = 10
"""Number of fields that a sentence with a fix has at least; RMC has more."""


@jitable
def _find_fields(text: Bytes, marks: Integers) -> int:
    """Writes where each field begins; returns how many there are."""
    count, marks[0] = 1, 0
    for k in range(len(text)):
        if text[k] == _COMMA and count < len(marks):
            marks[count] = k + 1
            count += 1
    return count


@jitable
def _number(text: Bytes, start: int) -> float:
    """The decimal number that begins at `start`."""
    value, scale, k, sign = 0.0, 0.0, start, 1.0
    if text[k] == _MINUS:
        sign, k = -1.0, k + 1
    while k < len(text) and (text[k] == _POINT or _ZERO <= text[k] <= _NINE):
        if text[k] == _POINT:
            scale = 1.0
        else:
            value = 10.0 * value + (text[k] - _ZERO)
            scale *= 10.0
        k += 1
    return sign * (value / scale if scale > 0.0 else value)


@jitable
def _seconds(text: Bytes, start: int) -> float:
    """The time of the day [s] written as hhmmss.ss."""
    hours = 10.0 * (text[start] - _ZERO) + (text[start + 1] - _ZERO)
    minutes = 10.0 * (text[start + 2] - _ZERO) + (text[start + 3] - _ZERO)
    whole = _SECONDS_OF_HOUR * hours + _SECONDS_OF_MINUTE * minutes
    return float(whole + _number(text, start + 4))


@jitable
def _angle(text: Bytes, start: int, digits: int, is_negative: bool) -> float:
    """The angle [deg] written as degrees, with the given number of digits, and minutes."""
    degrees = 0.0
    for k in range(digits):
        degrees = 10.0 * degrees + (text[start + k] - _ZERO)
    angle = degrees + _number(text, start + digits) / 60.0
    return -angle if is_negative else angle
