"""NMEA 0183 RMC and GGA sentences, written for many receivers at once and read one at a time.

Written with fixed widths, so that a digit of all receivers is one array expression:
`$GPRMC,hhmmss.ss,A,ddmm.mmmmmm,N,dddmm.mmmmmm,E,sss.ss,ccc.cc,ddmmyy,,,A*hh`
(time UTC, status, latitude, longitude, speed in knots, course over ground in degrees true,
date, no magnetic variation, autonomous fix). Six decimals of a minute are 2 mm.
`$GPGGA,hhmmss.ss,ddmm.mmmmmm,N,dddmm.mmmmmm,E,1,12,dd.dd,hhhhh.h,M,0.0,M,,*hh`
(time UTC, place, quality, satellites, horizontal dilution of precision, height in metres).
Without a fix the status of an RMC sentence is V, the quality of a GGA sentence 0, and what is not
known is empty.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from autosim.arrays import Bytes, Floats
from autosim.jit import compiled, jitable

EPOCH = datetime(2008, 1, 1, tzinfo=UTC)
"""The date and time of the simulated clock's zero."""

KNOT = 1852.0 / 3600.0
"""One knot [m/s]: a nautical mile, 1852 m, per hour."""

RMC_TEMPLATE = np.frombuffer(
    b"$GPRMC,000000.00,A,0000.000000,N,00000.000000,E,000.00,000.00,000000,,,A*00", dtype=np.uint8
)
VOID_RMC_TEMPLATE = np.frombuffer(b"$GPRMC,000000.00,V,,,,,,,000000,,,N*00", dtype=np.uint8)
GGA_TEMPLATE = np.frombuffer(
    b"$GPGGA,000000.00,0000.000000,N,00000.000000,E,1,00,00.00,00000.0,M,0.0,M,,*00",
    dtype=np.uint8,
)
VOID_GGA_TEMPLATE = np.frombuffer(b"$GPGGA,000000.00,,,,,0,00,,,,,,,*00", dtype=np.uint8)

LARGEST_DILUTION = 99.99
"""Greatest dilution of precision, without unit, that a sentence has room for."""

_HIGHEST = 9999.9
"""Greatest height [m], above and below zero, that a sentence has room for: beyond all land."""

_DAY = 24 * 360_000
"""A day in hundredths of a second."""

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Number of days of each month; February has one more in a leap year."""

_TURN = 36_000
"""A turn in hundredths of a degree."""

_FASTEST = 999.99
"""Greatest speed [knots] that a sentence has room for."""

_ZERO, _MINUS, _NORTH, _SOUTH, _EAST, _WEST = (ord(letter) for letter in "0-NSEW")
_HEX = np.frombuffer(b"0123456789ABCDEF", dtype=np.uint8)

Sentences = Bytes


class NmeaError(ValueError):
    """A sentence is not valid, or gives no fix."""


@dataclass(frozen=True, slots=True)
class RmcFix:
    """Content of an RMC sentence: degrees (WGS 84), m/s, radians clockwise from north, UTC."""

    latitude: float
    """Latitude [deg], WGS 84, north positive."""
    longitude: float
    """Longitude [deg], WGS 84, east positive."""
    speed: float
    """Speed over ground [m/s]."""
    course: float
    """Course over ground [rad] clockwise from north."""
    time: datetime
    """Time of the fix, UTC."""


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


@jitable
def write_sentence(
    latitude: float, longitude: float, speed: float, course: float, seconds: float, text: Bytes
) -> None:
    """One RMC sentence into `text`, which holds the template; see `write_rmc`. For kernels."""
    day = _write_time(seconds, text)
    _write_place(latitude, longitude, text, 19)
    _write_fixed(text, 48, _whole(min(speed / KNOT, _FASTEST) * 100.0))
    _write_fixed(text, 55, _whole(np.degrees(course) * 100.0) % _TURN)
    _write_date(day, text, 62)
    _write_checksum(text)


@jitable
def write_void_sentence(seconds: float, text: Bytes) -> None:
    """An RMC sentence without a fix into `text`, which holds its template. For kernels."""
    _write_date(_write_time(seconds, text), text, 25)
    _write_checksum(text)


@jitable
def write_gga(
    latitude: float,
    longitude: float,
    height: float,
    satellites: int,
    dilution: float,
    seconds: float,
    text: Bytes,
) -> None:
    """One GGA sentence into `text`, which holds its template. For kernels.

    Args:
        latitude: [deg], WGS 84.
        longitude: [deg], WGS 84.
        height: [m].
        satellites: how many are seen, at most 99.
        dilution: of precision, horizontal.
        seconds: since `EPOCH`.
        text: (bytes of the template,) written.
    """
    _write_time(seconds, text)
    _write_place(latitude, longitude, text, 17)
    _write_digits(text, 48, satellites, 2)
    hundredths = _whole(min(dilution, LARGEST_DILUTION) * 100.0)
    _write_digits(text, 51, hundredths // 100, 2)
    _write_digits(text, 54, hundredths % 100, 2)
    tenths = _whole(min(max(height, -_HIGHEST), _HIGHEST) * 10.0)
    _write_digits(text, 57, abs(tenths) // 10, 5)
    _write_digits(text, 63, abs(tenths) % 10, 1)
    if tenths < 0:
        text[57] = _MINUS
    _write_checksum(text)


@jitable
def write_void_gga(satellites: int, seconds: float, text: Bytes) -> None:
    """A GGA sentence without a fix into `text`, which holds its template. For kernels."""
    _write_time(seconds, text)
    _write_digits(text, 23, satellites, 2)
    _write_checksum(text)


@jitable
def _write_time(seconds: float, text: Bytes) -> int:
    """Writes the time of day behind a sentence's name; gives the day."""
    moment = _whole(seconds * 100.0)
    day, moment = moment // _DAY, moment % _DAY
    _write_digits(text, 7, moment // 360_000, 2)
    _write_digits(text, 9, moment // 6_000 % 60, 2)
    _write_digits(text, 11, moment // 100 % 60, 2)
    _write_digits(text, 14, moment % 100, 2)
    return day


@jitable
def _write_place(latitude: float, longitude: float, text: Bytes, start: int) -> None:
    _write_angle(text, start, latitude, 2)
    text[start + 12] = _SOUTH if latitude < 0.0 else _NORTH
    _write_angle(text, start + 14, longitude, 3)
    text[start + 27] = _WEST if longitude < 0.0 else _EAST


@jitable
def _write_date(day: int, text: Bytes, start: int) -> None:
    year, month, date = _date_of(day)
    _write_digits(text, start, date, 2)
    _write_digits(text, start + 2, month, 2)
    _write_digits(text, start + 4, year % 100, 2)


@jitable
def _write_checksum(text: Bytes) -> None:
    checksum, place = 0, text.size - 2
    for k in range(1, place - 1):
        checksum ^= text[k]
    text[place] = _HEX[checksum >> 4]
    text[place + 1] = _HEX[checksum & 15]


@jitable
def _whole(number: float) -> int:
    return int(np.rint(number))


@jitable
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


@jitable
def _write_angle(text: Bytes, start: int, angle: float, digits: int) -> None:
    """Degrees with the given number of digits, and minutes with six decimals."""
    micro_minutes = _whole(abs(angle) * 60e6)
    whole, rest = micro_minutes // 60_000_000, micro_minutes % 60_000_000
    _write_digits(text, start, whole, digits)
    _write_digits(text, start + digits, rest // 1_000_000, 2)
    _write_digits(text, start + digits + 3, rest % 1_000_000, 6)


@jitable
def _write_fixed(text: Bytes, start: int, hundredths: int) -> None:
    _write_digits(text, start, hundredths // 100, 3)
    _write_digits(text, start + 4, hundredths % 100, 2)


@jitable
def _write_digits(text: Bytes, start: int, value: int, count: int) -> None:
    for k in range(start + count - 1, start - 1, -1):
        text[k] = _ZERO + value % 10
        value //= 10


@dataclass(frozen=True, slots=True)
class GgaFix:
    """A GGA sentence: degrees (WGS 84), height [m], satellites, dilution of precision."""

    latitude: float
    """Latitude [deg], WGS 84, north positive."""
    longitude: float
    """Longitude [deg], WGS 84, east positive."""
    height: float
    satellites: int
    dilution: float


def read_gga(sentence: str) -> GgaFix:
    """The fix that a GGA sentence of any talker gives.

    Raises:
        NmeaError: no GGA sentence, a wrong checksum, an invalid number, or no fix.
    """
    fields = _fields_of(sentence, "GGA", 10)
    if fields[6] == "0":
        raise NmeaError(f"no fix: '{sentence}'")
    try:
        return GgaFix(
            latitude=_read_angle(fields[2], negative=fields[3] == "S"),
            longitude=_read_angle(fields[4], negative=fields[5] == "W"),
            height=float(fields[9]),
            satellites=int(fields[7]),
            dilution=float(fields[8]),
        )
    except ValueError as error:
        raise NmeaError(f"{error} in '{sentence}'") from error


def _fields_of(sentence: str, kind: str, least: int) -> list[str]:
    """The fields of a sentence of a kind, after a look at its checksum."""
    body, mark, checksum = sentence.strip().removeprefix("$").partition("*")
    fields = body.split(",")
    if not mark or len(fields) < least or fields[0][2:] != kind:
        raise NmeaError(f"not {'an' if kind == 'RMC' else 'a'} {kind} sentence: '{sentence}'")
    if f"{np.bitwise_xor.reduce(np.frombuffer(body.encode(), dtype=np.uint8)):02X}" != checksum:
        raise NmeaError(f"wrong checksum: '{sentence}'")
    return fields


def read_rmc(sentence: str) -> RmcFix:
    """The fix that an RMC sentence of any talker gives.

    Raises:
        NmeaError: no RMC sentence, a wrong checksum, an invalid number, or no valid fix.
    """
    fields = _fields_of(sentence, "RMC", 10)
    if fields[2] != "A":
        raise NmeaError(f"no fix: '{sentence}'")
    try:
        return RmcFix(
            latitude=_read_angle(fields[3], negative=fields[4] == "S"),
            longitude=_read_angle(fields[5], negative=fields[6] == "W"),
            speed=float(fields[7]) * KNOT,
            course=float(np.radians(float(fields[8]))),
            time=datetime.strptime(fields[9] + fields[1], "%d%m%y%H%M%S.%f").replace(tzinfo=UTC),
        )
    except ValueError as error:
        raise NmeaError(f"{error} in '{sentence}'") from error


def _read_angle(text: str, *, negative: bool) -> float:
    point = text.index(".")
    angle = int(text[: point - 2]) + float(text[point - 2 :]) / 60.0
    return -angle if negative else angle
