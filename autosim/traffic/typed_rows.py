"""Rows of named and typed fields: arrays of records, which kernels and Python read alike.

A class that derives from `RowRecord` declares the fields; `make_rows` makes the array. A record is
a view of its row, so `rows[3].speed = 0.0` writes the array; `rows["speed"]` is a view of a column.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar, cast, get_type_hints, overload

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.model.snapshot import Memory

_TYPES = {float: np.float64, int: np.int64, bool: np.bool_}
"""Types of fields, by what a class declares."""

_ALIGNMENT = 8
"""Number of bytes of which the size of a record is a multiple, so that kernels read it fast."""


class RowRecord:
    """A record whose annotated fields are the columns of an array, in the order of declaration.

    Fields are `float`, `int` and `bool`, in arrays of 8, 8 and 1 bytes; a field annotated
    `Annotated[Integers, n]` holds n numbers. Fields of the class that a class derives from come
    first. No instance of it is ever made: the records of an array have these attributes.
    """


Row = TypeVar("Row", bound=RowRecord)
RowOut = TypeVar("RowOut", bound=RowRecord, covariant=True)

Column = npt.NDArray[Any]
"""A column: a view of one field of all rows."""


class Rows(Protocol[RowOut]):
    """An array (n,) of records, as `make_rows` returns it."""

    def __len__(self) -> int:
        """Number of rows."""
        ...

    def __iter__(self) -> Iterator[RowOut]:
        """The records, one after another."""
        ...

    @overload
    def __getitem__(self, key: int | np.int64) -> RowOut: ...

    @overload
    def __getitem__(self, key: str) -> Column: ...

    @overload
    def __getitem__(self, key: slice | Column | Integers) -> "Rows[RowOut]": ...

    def __getitem__(self, key: object) -> object:
        """A record, a column, or some of the rows."""
        ...

    def __setitem__(self, key: object, value: object, /) -> None:
        """Writes records or a column."""
        ...

    def tobytes(self) -> bytes:
        """Content of all rows."""
        ...


def row_type(record: type[RowRecord]) -> "np.dtype[np.void]":
    """The structured type of the records of a class.

    Flags are behind all numbers, and a field fills the rest: copies of records with gaps between
    their fields would have other bytes.
    """
    hints = get_type_hints(record, include_extras=True)
    flags = [name for name, hint in hints.items() if hint is bool]
    numbers = [name for name in hints if name not in flags]
    formats: list[object] = [
        _TYPES.get(hints[each]) or (np.int64, hints[each].__metadata__) for each in numbers
    ]
    formats += [np.bool_] * len(flags)
    names = [*numbers, *flags]
    if len(flags) % _ALIGNMENT:
        names.append("padding")
        formats.append((np.uint8, (-len(flags) % _ALIGNMENT,)))
    return np.dtype((np.record, np.dtype({"names": names, "formats": formats}, align=True)))


def make_rows(record: type[Row], count: int) -> Rows[Row]:
    """Rows of zeros."""
    return cast(Rows[Row], np.zeros(count, row_type(record)))


def memory_of(kind: str, names: Sequence[str], rows: Rows[RowRecord]) -> Memory:
    """Content of a snapshot: records, each of the device with the name in its place."""
    return Memory(kind, tuple(names), cast(Floats, rows))
