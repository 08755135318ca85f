"""The value in a world that each measure of a study reads."""

from collections.abc import Sequence

from autosim.config.reading.faults import Faults
from autosim.config.studies import Measure
from autosim.errors import UserError
from autosim.model.tree import SimulationTree
from autosim.model.value_columns import ValueColumn, columns_of


def column_of(measure: Measure, tree: SimulationTree) -> ValueColumn:
    """The value that a measure is of.

    Raises:
        UserError: its name stands for no single value.
    """
    try:
        columns = columns_of(tree, [measure.of])
    except UserError as error:
        raise UserError(f"measure '{measure.name}': {error}") from error
    if len(columns) > 1:
        some = ", ".join(each.name for each in columns[:4])
        raise UserError(
            f"measure '{measure.name}': '{measure.of}' has {len(columns)} values: name one of "
            f"{some}"
        )
    return columns[0]


def check_measures(measures: Sequence[Measure], tree: SimulationTree, faults: Faults) -> None:
    """Names the measures whose names stand for no single value."""
    for each in measures:
        try:
            column_of(each, tree)
        except UserError as error:
            faults.error(each.line, str(error))
