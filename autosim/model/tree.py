"""The simulation tree: everything that is simulated is a node with a qualified name.

A tree is built once, then laid out: each node's fields get a place in one contiguous buffer,
depth first, so that any subtree is one slice of it. The tree holds names and places, never
values: those are in a `State` (see `state`), of which there may be many over one tree.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

from autosim.config.descriptions import Part, RobotDescription
from autosim.config.schema import Element, Interval
from autosim.model.folded_html import folded_html

ROOT_KIND = "SimulationTree"

PUBLICATION = "Publication"
"""The kind of a list that user programs publish; it lies directly under its robot."""

STATE, STATE_TRUTH = "State", "StateTruth"
"""The kinds of what a robot believes of its motion, and of what is true of it; both lie directly
under their robot."""

WORD = 8
"""Every field fills whole words of eight bytes, so that every number is aligned."""


class TreeError(Exception):
    """A tree was built or used wrongly."""


class FieldType(Enum):
    """Type of a field's words."""

    FLOAT = "float64"
    INT = "int64"
    TEXT = "text"


class Access(Enum):
    """Access: who may write a node's values."""

    READ = "read"
    """The simulation alone."""
    SET = "set"
    """Every program and client; these values drive nothing."""
    DRIVE = "drive"
    """They drive the robot: only one program drives it at a time."""


@dataclass(frozen=True, slots=True)
class Column:
    """One number of each row of a list. `unit` is an SI unit, "1" for none.

    Commands may only give it one of `values`, where there are any: the server knows them, the wire
    does not have them.
    """

    name: str
    """Name of the number within its row."""
    unit: str = "1"
    values: range | None = dataclasses.field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a node. `shape` counts numbers; of a text, bytes (a multiple of eight).

    A text is UTF-8, padded with zero bytes. `unit` is an SI unit, "1" for none. `limits` are how
    far an actuator goes, None where nothing limits it. Commands may leave out a field that
    `is_optional`, and those after it: they keep their values.
    `meaning` is a sentence for people.

    A field with `columns` is a list of any length up to a capacity: in the buffer it is a word
    (int64) with the count of its rows, then room for `capacity` rows, of which those beyond the
    count are zero. Its `shape` is (capacity, number of columns). See `list_field`.
    """

    name: str
    """Name within its node."""
    type: FieldType = FieldType.FLOAT
    """Type of its numbers in the buffer."""
    shape: tuple[int, ...] = ()
    unit: str = "1"
    columns: tuple[Column, ...] = ()
    limits: Interval | None = None
    is_optional: bool = False
    meaning: str = dataclasses.field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.type is FieldType.TEXT and prod(self.shape) % WORD:
            raise TreeError(f"text field '{self.name}' must be a multiple of {WORD} bytes long")
        if any(length < 0 for length in self.shape):
            raise TreeError(f"field '{self.name}' has a negative length")
        is_table = len(self.shape) == 2 and self.shape[1] == len(self.columns)
        if self.columns and not (is_table and self.type is FieldType.FLOAT):
            raise TreeError(f"list '{self.name}' must be rows of a float64 for each column")

    @property
    def is_list(self) -> bool:
        """Whether it has a count and rows."""
        return bool(self.columns)

    @property
    def capacity(self) -> int:
        """The most rows that a list can have."""
        return self.shape[0]

    @property
    def size(self) -> int:
        """Bytes in the buffer."""
        count = prod(self.shape)
        if self.type is FieldType.TEXT:
            return count
        return WORD * (count + self.is_list)


def list_field(name: str, columns: Sequence[Column], capacity: int, meaning: str = "") -> Field:
    """A field that is a list of at most `capacity` rows with a number in each of `columns`."""
    shape = (capacity, len(columns))
    return Field(name, shape=shape, columns=tuple(columns), meaning=meaning)


@dataclass(frozen=True, slots=True)
class KindSchema:
    """Description of a kind of node in files.

    `names` are the fields of the kind's record that are called otherwise than the child of
    `element`, by the child's name.
    """

    element: Element
    names: tuple[tuple[str, str], ...] = ()


class TreeNode:
    """A named node: its kind (the XML element it comes from), its fields, its children.

    `name` becomes the qualified name (`robot.part.device`) when the node is registered.
    `access` says who may write its values, `schema` how files describe its kind.
    A node with `twin`, a node with the same fields that was registered before it, has its values in
    the same place: both are one.
    `start`, `own_stop` and `stop` are byte offsets, known once the tree is laid out: the
    node's own fields, then those of its children.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        fields: Iterable[Field] = (),
        *,
        access: Access = Access.READ,
        twin: "TreeNode | None" = None,
        schema: KindSchema | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.access = access
        self.schema = schema
        self.fields = tuple(fields)
        self.twin = twin
        if twin is not None and twin.fields != self.fields:
            raise TreeError(f"'{name}' cannot lie where '{twin.name}' lies: it has other fields")
        self.parent: TreeNode | None = None
        self.children: list[TreeNode] = []
        self.start = self.own_stop = self.stop = -1

    def _repr_html_(self) -> str:
        """The node with all below it, for notebooks; fields with their types."""
        return tree_html(self, lambda _, field: field.type.name.lower(), is_open=True)

    @property
    def own_size(self) -> int:
        """Bytes of the node's own fields."""
        return sum(field.size for field in self.fields)

    @property
    def command_sizes(self) -> tuple[int, ...]:
        """Permitted sizes of a command [bytes], ascending: trailing fields may be optional."""
        sizes, size = [], 0
        for field in self.fields:
            if field.is_optional:
                sizes.append(size)
            size += field.size
        return (*sizes, size)

    def register(self, child: "TreeNode") -> "TreeNode":
        """Makes `child` and all below it part of this node's tree; returns it."""
        if child.parent is not None:
            raise TreeError(f"node '{child.name}' is already registered")
        root = self.root
        if isinstance(root, SimulationTree):
            root.admit(self, child)
        child.parent = self
        if self.name:
            for node in child.walk():
                node.name = f"{self.name}.{node.name}"
        self.children.append(child)
        if isinstance(root, SimulationTree):
            root.index(child)
        return child

    @property
    def root(self) -> "TreeNode":
        """The topmost node."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def walk(self) -> Iterator["TreeNode"]:
        """This node and all below it, depth first, in the order of registration."""
        yield self
        for child in self.children:
            yield from child.walk()

    def field_offset(self, name: str) -> int:
        """Byte offset of the field `name`.

        Raises:
            TreeError: the node has no such field, or the tree is not laid out.
        """
        if self.start < 0:
            raise TreeError(f"the tree of node '{self.name}' is not laid out yet")
        offset = self.start
        for field in self.fields:
            if field.name == name:
                return offset
            offset += field.size
        raise TreeError(f"node '{self.name}' has no field '{name}'")


def tree_html(
    node: TreeNode, written: Callable[[TreeNode, Field], str], *, is_open: bool = False
) -> str:
    """A node with all below it as HTML: a list that unfolds.

    Args:
        node: the node.
        written: gives the text for a field.
        is_open: whether the node starts unfolded.
    """
    rows = ((field.name, written(node, field)) for field in node.fields)
    below = (tree_html(child, written) for child in node.children)
    title = node.name.rpartition(".")[2] or node.kind
    return folded_html(title, node.kind, rows, below, is_open=is_open)


class SimulationTree(TreeNode):
    """The root. Its own fields are the step count and the simulated time.

    `descriptions` says of each robot, by its name, what it is made of; `objects` the same of each
    object.
    """

    def __init__(self) -> None:
        fields = (
            Field("step", FieldType.INT, meaning="Steps since the start."),
            Field("time", FieldType.INT, unit="ns", meaning="Simulated time since the start."),
        )
        super().__init__("", ROOT_KIND, fields)
        self._nodes: dict[str, TreeNode] = {}
        self.descriptions: dict[str, RobotDescription] = {}
        self.objects: dict[str, Part] = {}
        self.digest = ""

    @property
    def is_laid_out(self) -> bool:
        """Whether the tree is complete and every field has its place."""
        return self.start >= 0

    def admit(self, parent: TreeNode, child: TreeNode) -> None:
        """Refuses a child that may not be registered below `parent`.

        Raises:
            TreeError: the tree is laid out, a name is empty, holds a dot, or is taken.
        """
        if self.is_laid_out:
            raise TreeError(f"cannot register '{child.name}': the tree is laid out")
        if not child.name or "." in child.name:
            raise TreeError(f"a node's name must not be empty or hold a dot: '{child.name}'")
        qualified = f"{parent.name}.{child.name}" if parent.name else child.name
        if qualified in self._nodes:
            raise TreeError(f"there is already a node '{qualified}'")

    def index(self, child: TreeNode) -> None:
        """Makes `child` and all below it known to `find`."""
        self._nodes.update((node.name, node) for node in child.walk())

    def find(self, name: str) -> TreeNode | None:
        """The node with that qualified name, or None (also where `name` is not a text)."""
        return self._nodes.get(name) if isinstance(name, str) else None

    @property
    def robots(self) -> tuple[TreeNode, ...]:
        """The nodes of the robots, in their order; objects come after them."""
        return tuple(node for node in self.children if node.kind == "Robot")

    @property
    def plugins(self) -> tuple[tuple[str, str], ...]:
        """Name and version of each plug-in whose kinds of devices the robots have, in order."""
        robots = self.descriptions.values()
        return tuple(sorted({(each.name, each.version) for own in robots for each in own.plugins}))

    @property
    def names(self) -> tuple[str, ...]:
        """All qualified names, depth first."""
        return tuple(node.name for node in self.walk() if node is not self)

    def lay_out(self) -> "SimulationTree":
        """Gives every field its place and computes the digest; the tree is fixed from then on."""
        self._place(self, 0)
        self.digest = layout_digest(self)
        return self

    def _place(self, node: TreeNode, offset: int) -> int:
        if node.twin is not None:
            node.start, node.own_stop, node.stop = (
                node.twin.start,
                node.twin.own_stop,
                node.twin.own_stop,
            )
            return offset
        node.start = offset
        offset = node.own_stop = offset + node.own_size
        for child in node.children:
            offset = self._place(child, offset)
        node.stop = offset
        return offset


def layout_digest(node: TreeNode) -> str:
    """SHA-256 (hex) over names, kinds and fields of the subtree: equal digests, equal layouts."""
    digest = hashlib.sha256()
    for each in node.walk():
        fields = [_field_text(field) for field in each.fields]
        if each.twin is not None:
            fields.append(f"={each.twin.name}")
        digest.update(("\x1f".join([each.name, each.kind, *fields]) + "\x1e").encode())
    return digest.hexdigest()


def _field_text(field: Field) -> str:
    text = f"{field.name}:{field.type.value}:{field.shape}:{field.unit}"
    return text + "".join(f":{column.name}:{column.unit}" for column in field.columns)
