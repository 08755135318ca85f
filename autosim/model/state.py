"""The values of a simulation tree: one contiguous buffer, and its parts as bitstreams."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats, Integers
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim.model.tree import WORD, Field, FieldType, SimulationTree, TreeNode, layout_digest

Value = float | int | str | Floats | Integers

MOST_WRITTEN = 32
"""Numbers of an array that a text has in full; a lidar's would be pages."""

_AT_EACH_END = 4
"""Number of values that are written of each end of a long array: they fit on a line."""


def time_after(step: int, step_seconds: float) -> int:
    """Simulated time [ns] after `step` steps of `step_seconds` [s]."""
    return round(step * step_seconds * 1_000_000_000)


class BitstreamError(Exception):
    """A bitstream does not fit the node that it was given to."""


class State:
    """The values of all nodes of one tree.

    Args:
        tree: a tree that is laid out.
        buffer: writable memory of `tree.stop` bytes or more (shared memory, say); new and zeroed
            when not given.

    `floats` and `ints` are (tree.stop / 8,) views of the whole buffer: a field at byte offset `o`
    begins at index `o // 8`. `bytes` is the same memory as (tree.stop,) uint8. `is_standing`:
    readers of the values know that the simulation is paused. That is not among them: a step has the
    same bytes in every run, wherever that is paused.
    """

    def __init__(self, tree: SimulationTree, buffer: memoryview | bytearray | None = None) -> None:
        self.tree = tree
        self.is_standing = False
        memory = memoryview(bytearray(tree.stop) if buffer is None else buffer).cast("B")
        self.buffer = memory[: tree.stop]
        self.floats: Floats = np.frombuffer(self.buffer, dtype=np.float64)
        self.ints: Integers = np.frombuffer(self.buffer, dtype=np.int64)
        self.bytes: Bytes = np.frombuffer(self.buffer, dtype=np.uint8)

    @property
    def step(self) -> int:
        """Steps done since the start."""
        return int(self.ints[0])

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.ints[1]) * 1e-9

    def to_bitstream(self, node: TreeNode | None = None) -> bytes:
        """The bytes of `node` (default: the whole tree) and of all below it."""
        node = self.tree if node is None else node
        return bytes(self.buffer[node.start : node.stop])

    def from_bitstream(
        self, data: bytes | memoryview, node: TreeNode | None = None, *, digest: str
    ) -> None:
        """Takes over a bitstream of `node` (default: the whole tree).

        Args:
            data: what `to_bitstream` gave.
            node: the top of the subtree that it belongs to.
            digest: `layout_digest` of that subtree where the bitstream was made.

        Raises:
            BitstreamError: another layout, or too short or too long; nothing is changed.
        """
        node = self.tree if node is None else node
        own = self.tree.digest if node is self.tree else layout_digest(node)
        size = node.stop - node.start
        if digest != own or len(data) != size:
            raise BitstreamError(
                f"bitstream of {len(data)} bytes with layout {digest} does not fit "
                f"'{node.name or 'the tree'}' of {size} bytes with layout {own}"
            )
        self.buffer[node.start : node.stop] = data

    def get(self, name: str) -> Value | dict[str, Value]:
        """The value of a node or a field, by its qualified name.

        Args:
            name: such as `impreza.chassis.velocimeter`, or `impreza.chassis.position`.

        Returns:
            the value, as `value` gives it; of a node with several fields, the value of each.

        Raises:
            UserError: the tree has no such node or field, or the node has no values of its own.
        """
        node = self.tree.find(name)
        if node is not None and node.fields:
            values = {field.name: self.value(node, field) for field in node.fields}
            return next(iter(values.values())) if len(values) == 1 else values
        above, _, last = name.rpartition(".")
        owner = self.tree.find(above) if above else self.tree
        for field in owner.fields if owner is not None and node is None else ():
            if field.name == last and owner is not None:
                return self.value(owner, field)
        if node is not None:
            children = ", ".join(each.name for each in node.children)
            raise UserError(f"'{name}' has no values of its own; below it are {children}")
        known = [each.name for each in self.tree.walk()]
        known += [
            f"{each.name}.{field.name}".lstrip(".")
            for each in self.tree.walk()
            for field in each.fields
        ]
        raise UserError(f"there is no value '{name}'" + suggestion(name, known))

    def value(self, node: TreeNode, field: Field) -> Value:
        """The value of one field: a number, a text, or a copy as an array of the field's shape.

        Of a list, a copy of its rows (count, columns).
        """
        start = node.field_offset(field.name)
        if field.is_list:
            return list_rows(self.buffer, field, start).copy()
        if field.type is FieldType.TEXT:
            raw = bytes(self.buffer[start : start + field.size])
            return raw.rstrip(b"\0").decode("utf-8", "replace")
        words = self.floats if field.type is FieldType.FLOAT else self.ints
        first = start // WORD
        if not field.shape:
            number = words[first]
            return float(number) if field.type is FieldType.FLOAT else int(number)
        return words[first : first + field.size // WORD].reshape(field.shape).copy()

    def write_rows(self, node: TreeNode, field: Field, rows: Floats) -> None:
        """Makes `rows` (n, columns) the content of a list.

        Raises:
            BitstreamError: there are more of them than it has room for, or they have other columns;
                nothing is changed.
        """
        capacity, columns = field.shape
        if rows.ndim != 2 or rows.shape[1] != columns or len(rows) > capacity:
            raise BitstreamError(
                f"'{node.name}' takes at most {capacity} rows of {columns} numbers, "
                f"not an array {rows.shape}"
            )
        first = node.field_offset(field.name) // WORD
        self.ints[first] = len(rows)
        room = self.floats[first + 1 : first + 1 + capacity * columns].reshape(field.shape)
        room[: len(rows)] = rows
        room[len(rows) :] = 0.0


def list_rows(memory: memoryview, field: Field, start: int) -> Floats:
    """The rows (count, columns) of a list that begins at byte `start` of `memory`: a view."""
    words = np.frombuffer(memory[start : start + field.size])
    count = int(words[:1].view(np.int64)[0])
    # Memory that another process has written may hold any count.
    return words[1:].reshape(field.shape)[: min(max(count, 0), field.capacity)]


def numbers_text(
    values: npt.NDArray[np.generic],
    *,
    write: Callable[[float], str] = "{:.6g}".format,
    separator: str = " ",
) -> str:
    """Numbers in a line; of more than `MOST_WRITTEN` the first and the last, and how many."""
    texts = [write(float(each)) for each in _ends(values.ravel())]
    if values.size > MOST_WRITTEN:
        texts[_AT_EACH_END:_AT_EACH_END] = ["…"]
        texts.append(f"({' × '.join(map(str, values.shape))} numbers)")
    return separator.join(texts)


def rows_text(
    rows: Floats | Integers, capacity: int, *, write: Callable[[float], str] = "{:.6g}".format
) -> str:
    """The rows (n, k) of a list in a line, after how many there are of how many there may be.

    Of more than `MOST_WRITTEN` numbers, the first row and the last.
    """
    count = f"{len(rows)} of {capacity} rows"
    shown = rows if rows.size <= MOST_WRITTEN else rows[[0, -1]]
    texts = [" ".join(write(float(each)) for each in row) for row in shown]
    return f"{count}: {(' | ' if shown is rows else ' … ').join(texts)}" if len(rows) else count


def _ends(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    if values.size <= MOST_WRITTEN:
        return values
    return np.concatenate([values[:_AT_EACH_END], values[-_AT_EACH_END:]])
