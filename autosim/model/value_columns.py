"""The values of a simulation tree as columns of numbers, by their names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim.model.tree import Field, FieldType, SimulationTree, TreeNode

MOST_VALUES = 64
"""Largest array that becomes columns: a lidar's would be thousands. Naming it brings it in."""


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """One number of the state: `name` is robot.part.device.field[index], `word` its place."""

    name: str
    unit: str
    """SI unit, "1" for none."""
    word: int
    is_integer: bool
    """Whether the word is an int64, not a float64."""


def columns_of(tree: SimulationTree, names: Sequence[str] = ()) -> list[ValueColumn]:
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
            names_of_all = [each.name for each in columns_of(tree)]
            raise UserError(f"there is no value '{name}'" + suggestion(name, names_of_all))
    return [each for each in found if any(_covers(name, each.name) for name in names)]


def _covers(name: str, whole: str) -> bool:
    return whole == name or whole.startswith((f"{name}.", f"{name}["))


def _columns(node: TreeNode, *, is_named: bool) -> Iterator[ValueColumn]:
    for field in node.fields:
        first = node.field_offset(field.name) // 8
        name = f"{node.name}.{field.name}"
        if field.type is FieldType.TEXT:
            continue
        if field.is_list:
            yield ValueColumn(f"{name}.count", "1", first, is_integer=True)
        if field.size // 8 <= MOST_VALUES or is_named:
            yield from _values(field, name, first)


def _values(field: Field, name: str, first: int) -> Iterator[ValueColumn]:
    is_integer = field.type is FieldType.INT
    if not field.shape:
        yield ValueColumn(name, field.unit, first, is_integer)
        return
    start = first + field.is_list
    for number, index in enumerate(product(*map(range, field.shape))):
        if field.is_list:
            column = field.columns[index[1]]
            own = f"{name}[{index[0]}].{column.name}"
            yield ValueColumn(own, column.unit, start + number, is_integer=False)
        else:
            own = name + "".join(f"[{each}]" for each in index)
            yield ValueColumn(own, field.unit, start + number, is_integer)
