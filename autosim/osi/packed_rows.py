"""Rows of numbers as repeated messages of protobuf, encoded at once.

A message of numbers of type double, which are written even where they are zero, has the same length
in each row. So all rows are one structured array: its bytes are appended to those of the message
that has them (https://protobuf.dev/programming-guides/encoding).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers

_LENGTH, _DOUBLE, _VARINT = 2, 1, 0
"""Numbers of the wire types of protobuf."""

_NUMBER_BYTES = 9
"""Length of a number with its tag."""

_ID_BYTES = 3
"""Length of an identifier of two bytes with its tag."""


def lidar_detections(
    spherical: Floats, intensities: Floats | None, channels: Integers, *, field: int
) -> bytes:
    """`LidarDetection` rows: position, intensity and beam.

    Args:
        spherical: (n, 3) distance [m], azimuth and elevation [rad].
        intensities: (n,) [%]; None: not measured.
        channels: (n,) numbers of the beams, below 16384.
        field: number of the field that holds the rows.
    """
    numbers: list[tuple[int, Floats]] = [(1, np.ones(len(spherical)))]
    if intensities is not None:
        numbers.append((7, intensities))
    return _rows(spherical, numbers, field, beam=(13, channels))


def radar_detections(spherical: Floats, speeds: Floats, *, field: int) -> bytes:
    """`RadarDetection` rows: position, and radial velocities (n,) [m/s] towards the sensor."""
    return _rows(spherical, [(1, np.ones(len(spherical))), (5, speeds)], field, beam=None)


def _rows(
    spherical: Floats,
    numbers: Sequence[tuple[int, Floats]],
    field: int,
    *,
    beam: tuple[int, Integers] | None,
) -> bytes:
    """Rows with a position (field 3), other numbers by their fields, and a beam."""
    inner = 3 * _NUMBER_BYTES
    length = 2 + inner + _NUMBER_BYTES * len(numbers) + (2 + _ID_BYTES if beam else 0)
    columns: list[tuple[str, npt.DTypeLike]] = [("head", "u1", (2,)), ("place", "u1", (2,))]  # type: ignore[list-item]
    for axis in range(3):
        columns += [(f"t{axis}", "u1"), (f"v{axis}", "<f8")]
    for number, _ in numbers:
        columns += [(f"nt{number}", "u1"), (f"n{number}", "<f8")]
    if beam:
        columns.append(("beam", "u1", (5,)))  # type: ignore[arg-type]
    rows = np.zeros(len(spherical), dtype=np.dtype(columns))
    rows["head"] = (field << 3 | _LENGTH, length)
    rows["place"] = (3 << 3 | _LENGTH, inner)
    for axis in range(3):
        rows[f"t{axis}"] = (axis + 1) << 3 | _DOUBLE
        rows[f"v{axis}"] = spherical[:, axis]
    for number, values in numbers:
        rows[f"nt{number}"] = number << 3 | _DOUBLE
        rows[f"n{number}"] = values
    if beam:
        number, channels = beam
        rows["beam"][:, 0] = number << 3 | _LENGTH
        rows["beam"][:, 1:3] = (_ID_BYTES, 1 << 3 | _VARINT)
        rows["beam"][:, 3] = channels & 0x7F | 0x80
        rows["beam"][:, 4] = channels >> 7
    return rows.tobytes()


def with_length(field: int, data: bytes) -> bytes:
    """A message as the value of the field with that number, below 2048."""
    return _varint(field << 3 | _LENGTH) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
