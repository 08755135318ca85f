"""Takes the numbers of a run from its record."""

import runpy
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

import numpy as np

from autosim.applications.records.table import Column, batches, columns_of
from autosim.arrays import Floats
from autosim.config.reading.values import nearest
from autosim.config.studies import Measure
from autosim.errors import UserError
from autosim.records.record_file import Record
from autosim.simulation.tree import SimulationTree

TAKES: Mapping[str, Callable[[Floats], float]] = {
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
    "mean": lambda values: float(values.mean()),
    "last": lambda values: float(values[-1]),
    "rms": lambda values: float(np.sqrt(np.square(values).mean())),
}
"""What a measure takes of the values (n,) of a run that are numbers."""

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
    columns = check_measures(measures, record.tree)
    found: dict[str, float | None] = {}
    if columns:
        values = np.concatenate([each.values for each in batches(record, columns)])
        for each, series in zip(measures, values.T, strict=True):
            numbers = series[np.isfinite(series)]
            found[each.name] = TAKES[each.take](numbers) if len(numbers) else None
    return found | (_measured_by(program, record) if program else {})


def check_measures(measures: Sequence[Measure], tree: SimulationTree) -> list[Column]:
    """The value that each measure is of.

    Raises:
        UserError: a name stands for no single value.
    """
    return [_column(tree, each) for each in measures]


def _column(tree: SimulationTree, measure: Measure) -> Column:
    try:
        columns = columns_of(tree, [measure.of])
    except UserError as error:
        names = [each.name for each in columns_of(tree)]
        message = f"measure '{measure.name}': there is no value '{measure.of}'"
        raise UserError(message + nearest(measure.of, names)) from error
    if len(columns) > 1:
        some = ", ".join(each.name for each in columns[:4])
        raise UserError(
            f"measure '{measure.name}': '{measure.of}' has {len(columns)} values: name one of "
            f"{some}"
        )
    return columns[0]


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
