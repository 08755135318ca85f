"""The values of a record as columns over time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from autosim.arrays import Floats
from autosim.model.value_columns import ValueColumn
from autosim.records.record_file import Record

_BATCH = 2048
"""Number of states that are taken apart at once: some megabytes."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some states: `steps` (n,), `times` (n,) [s], `values` (n, columns) as float64."""

    steps: Floats
    times: Floats
    values: Floats


def batches(record: Record, columns: Sequence[ValueColumn]) -> Iterator[Batch]:
    """The values of all states of a record.

    Raises:
        RecordError: the record is damaged.
    """
    words = np.array([each.word for each in columns], dtype=np.intp)
    is_integer = np.array([each.is_integer for each in columns], dtype=np.bool_)
    states = record.states()
    while rows := [state for _, state in islice(states, _BATCH)]:
        integers = np.frombuffer(b"".join(rows), dtype=np.int64).reshape(len(rows), -1)
        values: Floats = integers.view(np.float64)[:, words]
        values[:, is_integer] = integers[:, words[is_integer]]
        yield Batch(
            integers[:, 0].astype(np.float64), 1e-9 * integers[:, 1].astype(np.float64), values
        )
