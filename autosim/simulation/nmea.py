"""NMEA 0183 RMC sentences, written for many receivers at once and read one at a time.

Written with fixed widths, so that a digit of all receivers is one array expression:
`$GPRMC,hhmmss.ss,A,ddmm.mmmmmm,N,dddmm.mmmmmm,E,sss.ss,ccc.cc,ddmmyy,,,A*hh`
(time UTC, status, latitude, longitude, speed in knots, course over ground in degrees true,
date, no magnetic variation, autonomous fix). Six decimals of a minute are 2 mm.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from autosim.arrays import Bytes, Floats, Integers

EPOCH = datetime(2008, 1, 1, tzinfo=UTC)
"""The date and time of the simulated clock's zero."""

KNOT = 1852.0 / 3600.0
"""One knot [m/s]: a nautical mile, 1852 m, per hour."""

_TEMPLATE = b"$GPRMC,000000.00,A,0000.000000,N,00000.000000,E,000.00,000.00,000000,,,A*00"
_BODY = slice(1, _TEMPLATE.index(b"*"))
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
    latitude: Floats, longitude: Floats, *, speed: Floats, course: Floats, seconds: float
) -> Sentences:
    """Sentences (n, 75) uint8 without the line end.

    Args:
        latitude: (n,) [deg], WGS 84.
        longitude: (n,) [deg], WGS 84.
        speed: over ground (n,) [m/s].
        course: over ground (n,) [rad] clockwise from north.
        seconds: since `EPOCH`.
    """
    text = np.tile(np.frombuffer(_TEMPLATE, dtype=np.uint8), (len(latitude), 1))
    moment = EPOCH + timedelta(seconds=round(seconds, 2))
    clock = f"{moment:%H%M%S}.{moment.microsecond // 10_000:02d}".encode()
    text[:, 7:16] = np.frombuffer(clock, dtype=np.uint8)
    _write_angle(text, 19, latitude, degrees=2)
    text[:, 31] = np.where(latitude < 0, ord("S"), ord("N"))
    _write_angle(text, 33, longitude, degrees=3)
    text[:, 46] = np.where(longitude < 0, ord("W"), ord("E"))
    _write_fixed(text, 48, np.minimum(speed / KNOT, 999.99))
    _write_fixed(text, 55, np.mod(np.round(np.degrees(course), 2), 360.0))
    text[:, 62:68] = np.frombuffer(f"{moment:%d%m%y}".encode(), dtype=np.uint8)
    checksum = np.bitwise_xor.reduce(text[:, _BODY], axis=1)
    text[:, -2] = _HEX[checksum >> 4]
    text[:, -1] = _HEX[checksum & 15]
    return text


def _write_angle(text: Sentences, start: int, angle: Floats, *, degrees: int) -> None:
    micro_minutes = np.round(np.abs(angle) * 60e6).astype(np.int64)
    whole, rest = np.divmod(micro_minutes, 60_000_000)
    _write_digits(text, start, whole, degrees)
    _write_digits(text, start + degrees, rest // 1_000_000, 2)
    _write_digits(text, start + degrees + 3, rest % 1_000_000, 6)


def _write_fixed(text: Sentences, start: int, value: Floats) -> None:
    whole, rest = np.divmod(np.round(value * 100).astype(np.int64), 100)
    _write_digits(text, start, whole, 3)
    _write_digits(text, start + 4, rest, 2)


def _write_digits(text: Sentences, start: int, value: Integers, count: int) -> None:
    powers = 10 ** np.arange(count - 1, -1, -1)
    text[:, start : start + count] = value[:, None] // powers % 10 + ord("0")


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
