"""Takes the numbers of a run from its record."""

import runpy
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

import numpy as np

from autosim.applications.records.value_batches import batches
from autosim.arrays import Floats
from autosim.config.studies import Measure
from autosim.errors import UserError
from autosim.loading.studies.measure_columns import column_of
from autosim.records.record_file import Record

TAKES: Mapping[str, Callable[[Floats], float]] = {
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
    "mean": lambda values: float(values.mean()),
    "last": lambda values: float(values[-1]),
    "rms": lambda values: float(np.sqrt(np.square(values).mean())),
}
"""Reductions of the finite values (n,) of a run to a measure."""

_HOOK = "measures"
"""The function of a study in Python that measures a record."""


def measure(record: Record, measures: Sequence[Measure], program: str) -> dict[str, float | None]:
    """The measures of a run by name; None where a value was never a number.

    Args:
        record: of the run.
        measures: those of the study.
        program: the study's own, whose function `measures(record)` gives more of them; "": none.

    Raises:
        UserError: a name stands for no single value, or the program fails.
    """
    columns = [column_of(each, record.tree) for each in measures]
    found: dict[str, float | None] = {}
    if columns:
        values = np.concatenate([each.values for each in batches(record, columns)])
        for each, series in zip(measures, values.T, strict=True):
            numbers = series[np.isfinite(series)]
            found[each.name] = TAKES[each.take](numbers) if len(numbers) else None
    return found | (_measured_by(program, record) if program else {})


def _measured_by(program: str, record: Record) -> dict[str, float | None]:
    try:
        hook = runpy.run_path(program).get(_HOOK)
        named = hook(record) if hook else {}
        return {
            str(name): float(value) if value is not None and isfinite(value) else None
            for name, value in named.items()
        }
    except Exception as error:
        raise UserError(f"{program}: {_HOOK}: {type(error).__name__}: {error}") from error
