"""NMEA 0183 RMC sentences, written for many receivers at once and read one at a time.

Written with fixed widths, so that a digit of all receivers is one array expression:
`$GPRMC,hhmmss.ss,A,ddmm.mmmmmm,N,dddmm.mmmmmm,E,sss.ss,ccc.cc,ddmmyy,,,A*hh`
(time UTC, status, latitude, longitude, speed in knots, course over ground in degrees true,
date, no magnetic variation, autonomous fix). Six decimals of a minute are 2 mm.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from autosim.arrays import Bytes, Floats
from autosim.jit import compilable, compiled

EPOCH = datetime(2008, 1, 1, tzinfo=UTC)
"""The date and time of the simulated clock's zero."""

KNOT = 1852.0 / 3600.0
"""One knot [m/s]: a nautical mile, 1852 m, per hour."""

RMC_TEMPLATE = np.frombuffer(
    b"$GPRMC,000000.00,A,0000.000000,N,00000.000000,E,000.00,000.00,000000,,,A*00", dtype=np.uint8
)
_CHECKSUM = len(RMC_TEMPLATE) - 2
"""Place of the checksum."""

_DAY = 24 * 360_000
"""A day in hundredths of a second."""

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Number of days of each month; February has one more in a leap year."""

_TURN = 36_000
"""A turn in hundredths of a degree."""

_FASTEST = 999.99
"""Greatest speed [knots] that a sentence has room for."""

_ZERO, _NORTH, _SOUTH, _EAST, _WEST = (ord(letter) for letter in "0NSEW")
_HEX = np.frombuffer(b"0123456789ABCDEF", dtype=np.uint8)

Sentences = Bytes


class NmeaError(ValueError):
    """A sentence is not a valid RMC sentence."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What an RMC sentence says: degrees (WGS 84), m/s, radians clockwise from north, UTC."""

    latitude: float
    longitude: float
    speed: float
    course: float
    time: datetime


def write_rmc(
    latitude: Floats, longitude: Floats, *, speed: Floats, course: Floats, seconds: Floats
) -> Sentences:
    """Sentences (n, 75) uint8 without the line end.

    Args:
        latitude: (n,) [deg], WGS 84.
        longitude: (n,) [deg], WGS 84.
        speed: over ground (n,) [m/s].
        course: over ground (n,) [rad] clockwise from north.
        seconds: since `EPOCH` (n,).
    """
    text = np.tile(RMC_TEMPLATE, (len(latitude), 1))
    _write(latitude, longitude, speed, course, seconds, text)
    return text


@compiled
def _write(
    latitude: Floats,
    longitude: Floats,
    speed: Floats,
    course: Floats,
    seconds: Floats,
    text: Sentences,
) -> None:
    for i in range(latitude.size):
        write_sentence(latitude[i], longitude[i], speed[i], course[i], seconds[i], text[i])


@compilable
def write_sentence(
    latitude: float, longitude: float, speed: float, course: float, seconds: float, text: Bytes
) -> None:
    """One RMC sentence into `text`, which holds the template; see `write_rmc`. For kernels."""
    moment = _whole(seconds * 100.0)
    day, moment = moment // _DAY, moment % _DAY
    _write_digits(text, 7, moment // 360_000, 2)
    _write_digits(text, 9, moment // 6_000 % 60, 2)
    _write_digits(text, 11, moment // 100 % 60, 2)
    _write_digits(text, 14, moment % 100, 2)
    _write_angle(text, 19, latitude, 2)
    text[31] = _SOUTH if latitude < 0.0 else _NORTH
    _write_angle(text, 33, longitude, 3)
    text[46] = _WEST if longitude < 0.0 else _EAST
    _write_fixed(text, 48, _whole(min(speed / KNOT, _FASTEST) * 100.0))
    _write_fixed(text, 55, _whole(np.degrees(course) * 100.0) % _TURN)
    year, month, date = _date_of(day)
    _write_digits(text, 62, date, 2)
    _write_digits(text, 64, month, 2)
    _write_digits(text, 66, year % 100, 2)
    checksum = 0
    for k in range(1, _CHECKSUM - 1):
        checksum ^= text[k]
    text[_CHECKSUM] = _HEX[checksum >> 4]
    text[_CHECKSUM + 1] = _HEX[checksum & 15]


@compilable
def _whole(number: float) -> int:
    return int(np.rint(number))


@compilable
def _date_of(day: int) -> tuple[int, int, int]:
    """Year, month and date of a day counted from `EPOCH`, until 2099."""
    year = 2008
    while day >= (366 if year % 4 == 0 else 365):
        day -= 366 if year % 4 == 0 else 365
        year += 1
    month = 0
    while True:
        days = _DAYS[month] + (1 if month == 1 and year % 4 == 0 else 0)
        if day < days:
            return year, month + 1, day + 1
        day -= days
        month += 1


@compilable
def _write_angle(text: Bytes, start: int, angle: float, digits: int) -> None:
    """Degrees with so many digits, and minutes with six decimals."""
    micro_minutes = _whole(abs(angle) * 60e6)
    whole, rest = micro_minutes // 60_000_000, micro_minutes % 60_000_000
    _write_digits(text, start, whole, digits)
    _write_digits(text, start + digits, rest // 1_000_000, 2)
    _write_digits(text, start + digits + 3, rest % 1_000_000, 6)


@compilable
def _write_fixed(text: Bytes, start: int, hundredths: int) -> None:
    _write_digits(text, start, hundredths // 100, 3)
    _write_digits(text, start + 4, hundredths % 100, 2)


@compilable
def _write_digits(text: Bytes, start: int, value: int, count: int) -> None:
    for k in range(start + count - 1, start - 1, -1):
        text[k] = _ZERO + value % 10
        value //= 10


def read_rmc(sentence: str) -> Fix:
    """The fix that an RMC sentence of any talker gives.

    Raises:
        NmeaError: no RMC sentence, a wrong checksum, or no valid fix.
    """
    body, mark, checksum = sentence.strip().removeprefix("$").partition("*")
    fields = body.split(",")
    if not mark or len(fields) < 10 or fields[0][2:] != "RMC":
        raise NmeaError(f"not an RMC sentence: '{sentence}'")
    if f"{np.bitwise_xor.reduce(np.frombuffer(body.encode(), dtype=np.uint8)):02X}" != checksum:
        raise NmeaError(f"wrong checksum: '{sentence}'")
    if fields[2] != "A":
        raise NmeaError(f"no fix: '{sentence}'")
    return Fix(
        latitude=_read_angle(fields[3], negative=fields[4] == "S"),
        longitude=_read_angle(fields[5], negative=fields[6] == "W"),
        speed=float(fields[7]) * KNOT,
        course=float(np.radians(float(fields[8]))),
        time=datetime.strptime(fields[9] + fields[1], "%d%m%y%H%M%S.%f").replace(tzinfo=UTC),
    )


def _read_angle(text: str, *, negative: bool) -> float:
    point = text.index(".")
    angle = int(text[: point - 2]) + float(text[point - 2 :]) / 60.0
    return -angle if negative else angle
