"""The topics that the code of nodes declares, read from its syntax without running it."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from autosim.config.launches import NodeEntry
from autosim_testbench.launch.node_source import DeclaredNode

_TOPIC, _OBJECT = "topic_name", "topic_object"
"""Parameters of `Node.advertise` and `Node.subscribe`."""

_MAX_DEPTH = 4
"""Number of assignments that are followed from a variable to its value."""


@dataclass(frozen=True, slots=True)
class DeclaredTopic:
    """A topic of a node, with the classes that its messages may have.

    Attributes:
        topic: name of the topic.
        kinds: names of classes; more than one where the code chooses among them.
    """

    topic: str
    kinds: frozenset[str]


def declared_topics(node: DeclaredNode, entry: NodeEntry) -> list[DeclaredTopic]:
    """The topics of a node whose names and kinds its code states plainly; others are left out.

    Args:
        node: its code.
        entry: the node in the launch file.
    """
    module = node.module
    code = _NodeCode(entry.parameters, module.classes, module.imported)
    return list(code.topics([each for origin, each in node.chain if origin is module]))


class _NodeCode:
    """Resolves the names and kinds of topics in the methods of a node.

    Args:
        parameters: those of the node.
        classes: names of the classes of its module.
        imported: as of `_imported`.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        classes: Collection[str],
        imported: Mapping[str, str],
    ) -> None:
        self._parameters = parameters
        self._classes = classes
        self._imported = imported
        self._values: dict[str, list[ast.expr]] = {}

    def topics(self, chain: list[ast.ClassDef]) -> Iterator[DeclaredTopic]:
        """The topics in the methods of these classes."""
        for node in (node for each in chain for node in ast.walk(each)):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value)
        for node in (node for each in chain for node in ast.walk(each)):
            if isinstance(node, ast.Call) and _method(node) in ("advertise", "subscribe"):
                given = dict(zip((_TOPIC, _OBJECT), node.args, strict=False))
                given |= {each.arg: each.value for each in node.keywords if each.arg}
                topics = self._topics(given.get(_TOPIC))
                kinds = self._kinds(given.get(_OBJECT))
                if len(topics) == 1 and kinds:
                    yield DeclaredTopic(next(iter(topics)), kinds)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, its_value in zip(target.elts, value.elts, strict=False):
                self._assign(each, its_value)
        elif isinstance(target, ast.Name | ast.Attribute):
            self._values.setdefault(ast.unparse(target), []).append(value)

    def _topics(self, node: ast.expr | None, depth: int = 0) -> frozenset[str]:
        """The names that an expression may be; empty where that is not known."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return frozenset((node.value,))
        if isinstance(node, ast.Call) and _method(node) == "find_topic_name" and node.args:
            names = self._topics(node.args[0], depth)
            found = [self._parameters[each] for each in names if each in self._parameters]
            return frozenset(found) if len(found) == len(names) else frozenset()
        parts = [self._topics(each, depth + 1) for each in self._values_of(node, depth)]
        return frozenset().union(*parts) if all(parts) else frozenset()

    def _kinds(self, node: ast.expr | None, depth: int = 0) -> frozenset[str]:
        """The classes that an expression may have made; empty where that is not known."""
        if isinstance(node, ast.IfExp):
            parts = [self._kinds(each, depth) for each in (node.body, node.orelse)]
        elif isinstance(node, ast.Call):
            return self._class(node.func)
        else:
            parts = [self._kinds(each, depth + 1) for each in self._values_of(node, depth)]
        return frozenset().union(*parts) if all(parts) else frozenset()

    def _class(self, function: ast.expr) -> frozenset[str]:
        name = ""
        if isinstance(function, ast.Name) and function.id in self._classes:
            name = function.id
        elif isinstance(function, ast.Name):
            name = self._imported.get(function.id, "")
        elif isinstance(function, ast.Attribute):
            name = function.attr
        # What is imported may be a function that makes the message: classes have capitals.
        return frozenset((name,)) if name[:1].isupper() else frozenset()

    def _values_of(self, node: ast.expr | None, depth: int) -> list[ast.expr]:
        """The values that are assigned to a variable or attribute."""
        if depth >= _MAX_DEPTH or not isinstance(node, ast.Name | ast.Attribute):
            return []
        return self._values.get(ast.unparse(node), [])


def _method(call: ast.Call) -> str:
    """The name of the method of `self` that is called, "" for others."""
    function = call.func
    is_own = isinstance(function, ast.Attribute) and ast.unparse(function.value) == "self"
    return function.attr if is_own and isinstance(function, ast.Attribute) else ""
