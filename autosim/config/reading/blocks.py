"""The generic object model of a configuration file: blocks with converted values."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from autosim.config.descriptions import Vector3
from autosim.config.diagnostics import printable
from autosim.config.schema import Element, Value


@dataclass(slots=True)
class Block:
    """One element of a file with its valid content.

    `tag` is the name in the file (that of `element`, except for open children). `values` holds the
    attributes that the file states validly.
    """

    element: Element
    tag: str
    line: int
    """Line of the element in the file, from 1 on."""
    values: dict[str, Value] = field(default_factory=dict)
    children: list["Block"] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its `name` attribute; empty when there is none."""
        return str(self.values.get("name", ""))

    @property
    def title(self) -> str:
        """Its tag and its name, for messages."""
        tag = f"<{printable(self.tag)}>"
        return f"{tag} '{self.name}'" if self.name else tag

    def all(self, *tags: str) -> Iterator["Block"]:
        """Its children with one of `tags`, in the order of the file."""
        return (each for each in self.children if each.tag in tags)

    def first(self, tag: str) -> "Block | None":
        """Its first child called `tag`."""
        return next(self.all(tag), None)

    def section(self, tag: str) -> "Block":
        """Its first child called `tag`, or an empty one with all defaults."""
        return self.first(tag) or Block(self.element.child(tag), tag, self.line)

    def line_of(self, tag: str) -> int:
        """The line of its child `tag`, or its own line if it has no such child."""
        child = self.first(tag)
        return child.line if child else self.line

    def get(self, attribute: str) -> Value | None:
        """The value of its attribute, else the default, else None."""
        return self.values.get(attribute, self.element.attribute(attribute).default)

    def own_real(self, attribute: str) -> float:
        """A number of its own attributes. The file is free of errors."""
        return float(_present(self.get(attribute), self.tag))

    def value(self, tag: str, attribute: str = "value") -> Value | None:
        """The value of an attribute of its child `tag`, else the default, else None."""
        return self.section(tag).get(attribute)

    def real(self, tag: str, attribute: str = "value") -> float:
        """A number of its child `tag`. The file is free of errors."""
        return float(_present(self.value(tag, attribute), tag))

    def whole(self, tag: str, attribute: str = "value") -> int:
        """A whole number of its child `tag`. The file is free of errors."""
        return int(_present(self.value(tag, attribute), tag))

    def is_true(self, tag: str, attribute: str = "value") -> bool:
        """The truth value of its child `tag`. The file is free of errors."""
        return bool(self.value(tag, attribute))

    def text(self, tag: str, attribute: str = "name") -> str:
        """The text of its child `tag`; empty when there is none."""
        return str(self.value(tag, attribute) or "")

    def vector(self, tag: str) -> Vector3:
        """X (right), y (up), z (forward) of its child `tag`. The file is free of errors."""
        return (self.real(tag, "x"), self.real(tag, "y"), self.real(tag, "z"))


def _present(value: Value | None, tag: str) -> Value:
    if value is None:
        raise AssertionError(f"no value for <{tag}>: the schema lets it be left out")
    return value
