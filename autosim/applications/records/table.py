"""The values of a record as columns over time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.records.record_file import Record
from autosim.simulation.tree import Field, FieldType, Node, SimulationTree

MOST_VALUES = 64
"""Largest array that becomes columns: a lidar's would be thousands. Naming it brings it in."""

_BATCH = 2048
"""Number of states that are taken apart at once: some megabytes."""


@dataclass(frozen=True, slots=True)
class Column:
    """One number of the state: `name` is robot.part.device.field[index], `word` its place."""

    name: str
    unit: str
    word: int
    is_integer: bool


def columns_of(tree: SimulationTree, names: Sequence[str] = ()) -> list[Column]:
    """The columns of a tree, in its order.

    Args:
        tree: laid out.
        names: of nodes, with all below them, or of single fields or values; nothing: all values,
            but for large arrays.

    Raises:
        UserError: a name stands for nothing.
    """
    found = [
        column
        for node in tree.walk()
        if node.twin is None and node is not tree
        for column in _columns(node, is_named=any(_covers(name, node.name) for name in names))
    ]
    if not names:
        return found
    for name in names:
        if not any(_covers(name, each.name) for each in found):
            raise UserError(f"'{name}' names nothing in the record")
    return [each for each in found if any(_covers(name, each.name) for name in names)]


def _covers(name: str, whole: str) -> bool:
    return whole == name or whole.startswith((f"{name}.", f"{name}["))


def _columns(node: Node, *, is_named: bool) -> Iterator[Column]:
    for field in node.fields:
        first = node.field_offset(field.name) // 8
        name = f"{node.name}.{field.name}"
        if field.type is FieldType.TEXT:
            continue
        if field.is_list:
            yield Column(f"{name}.count", "1", first, is_integer=True)
        if field.size // 8 <= MOST_VALUES or is_named:
            yield from _values(field, name, first)


def _values(field: Field, name: str, first: int) -> Iterator[Column]:
    is_integer = field.type is FieldType.INT
    if not field.shape:
        yield Column(name, field.unit, first, is_integer)
        return
    start = first + field.is_list
    for number, index in enumerate(product(*map(range, field.shape))):
        if field.is_list:
            column = field.columns[index[1]]
            own = f"{name}[{index[0]}].{column.name}"
            yield Column(own, column.unit, start + number, is_integer=False)
        else:
            own = name + "".join(f"[{each}]" for each in index)
            yield Column(own, field.unit, start + number, is_integer)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some states: `steps` (n,), `times` (n,) [s], `values` (n, columns) as float64."""

    steps: Floats
    times: Floats
    values: Floats


def batches(record: Record, columns: Sequence[Column]) -> Iterator[Batch]:
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
