"""Faults of the parameters of nodes, found in the code of the nodes without running it."""

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autosim.config.files.lookup import locate
from autosim.config.launches import NodeEntry
from autosim.config.reading.attribute_values import suggestion
from autosim_testbench.launch.node_source import CodeModule, DeclaredNode

_NUMBER, _WHOLE, _FILE, _CHOICE = "number_of", "whole_number_of", "file_of", "choice_of"
"""Functions of `autosim_testbench.nodes.parameters` that read a parameter."""

_READERS = (_NUMBER, _WHOLE, _FILE, _CHOICE)

_SAFE = ("len", "id", "repr", "str", "print", "super", "type", "isinstance")
"""Functions that read no parameters of a node that they take."""


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """A fault of a parameter; `is_error`: the node cannot be set up with it."""

    is_error: bool
    text: str
    """Description of the fault."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One place at which a node reads a parameter.

    Attributes:
        how: name of the function that reads it; "" for a text.
        is_needed: whether the node cannot do without it.
        words: those that it may be, where that is known.
    """

    name: str
    how: str = ""
    is_needed: bool = False
    words: tuple[str, ...] = ()


def parameter_faults(
    node: DeclaredNode, entry: NodeEntry, folder: Path
) -> Iterator[ParameterFault]:
    """The faults of a node's parameters.

    Where the code reads parameters in a way that is not plain, such as by names that it computes,
    no parameter is called unused.

    Args:
        node: its code.
        entry: the node in the launch file.
        folder: that of the launch file.
    """
    code = _ParameterCode(node)
    given, known = entry.parameters, {each.name for each in code.readings}
    for each in dict.fromkeys(code.readings):
        if each.name in given:
            yield from _value_faults(each, given[each.name], folder)
        elif each.is_needed:
            left = sorted(entry.own - known)
            hint = suggestion(each.name, left)
            yield ParameterFault(True, f"needs the parameter '{each.name}'{hint}")
    if not node.is_whole or code.is_open:
        return
    for name in sorted(entry.own - known):
        hint = suggestion(name, known - entry.own)
        yield ParameterFault(False, f"does not use its parameter '{name}'{hint}")


def _value_faults(reading: _Reading, text: str, folder: Path) -> Iterator[ParameterFault]:
    name = reading.name
    if reading.how in (_NUMBER, _WHOLE):
        number = _number(text)
        if not math.isfinite(number):
            yield ParameterFault(True, f"parameter {name} is {text!r}, which is not a number")
        elif reading.how == _WHOLE and (number < 1 or number != int(number)):
            message = f"parameter {name} is {text}, but has to be 1, 2, 3 …"
            yield ParameterFault(True, message)
    elif reading.how == _FILE and not (folder / text).is_file():
        yield ParameterFault(True, f"parameter {name}: there is no file {folder / text}")
    elif reading.how == "load_world" and not locate(text)[0].is_file():
        yield ParameterFault(True, f"parameter {name}: there is no world file {text!r}")
    elif reading.words and text not in reading.words:
        message = f"parameter {name} is {text!r}, none of {', '.join(reading.words)}"
        yield ParameterFault(True, message)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@dataclass(slots=True)
class _ParameterCode:
    """The parameters that the code of a node reads.

    Attributes:
        readings: the places at which it does, in the order of the code.
        is_open: whether it reads others, too, whose names are not known.
    """

    node: DeclaredNode
    readings: list[_Reading] = field(default_factory=list)
    is_open: bool = False
    _scanned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        setups = [
            (module, each)
            for module, found in self.node.chain
            for each in found.body
            if isinstance(each, ast.FunctionDef) and each.name == "setup"
        ]
        certain = _certain_calls(setups[0][1]) if setups else set()
        for module, found in self.node.chain:
            self._scan(module, found, "self", certain)

    def _scan(self, module: CodeModule, code: ast.AST, receiver: str, certain: set[int]) -> None:
        """Takes what `code` reads of the node that is called `receiver` in it."""
        constants = _constants(code)
        plain: set[int] = set()
        for node in ast.walk(code):
            if isinstance(node, ast.Call):
                self._take_call(module, node, receiver, constants, certain)
            plain |= self._take_plain(node, receiver, constants)
        for node in ast.walk(code):
            if _is_parameters(node, receiver) and id(node) not in plain:
                self.is_open = True

    def _take_call(
        self,
        module: CodeModule,
        call: ast.Call,
        receiver: str,
        constants: Mapping[str, tuple[str, ...]],
        certain: set[int],
    ) -> None:
        function = call.func
        is_method = isinstance(function, ast.Attribute) and _is_name(function.value, receiver)
        if isinstance(function, ast.Attribute) and is_method:
            if function.attr == "find_topic_name" and call.args:
                self._add(call.args[0], constants, is_needed=id(call) in certain)
            return
        if not any(_is_name(each, receiver) for each in call.args):
            return
        name = function.id if isinstance(function, ast.Name) else ""
        original = module.imported.get(name, name)
        if original in _READERS and len(call.args) > 1:
            has_default = original == _CHOICE or len(call.args) + len(call.keywords) > 2
            self._add(
                call.args[1],
                constants,
                how=original,
                is_needed=id(call) in certain and not has_default,
                words=_words(call.args[2]) if original == _CHOICE and len(call.args) > 2 else (),
            )
        elif name in module.functions and name not in self._scanned:
            self._scanned.add(name)
            own = module.functions[name]
            place = next(k for k, each in enumerate(call.args) if _is_name(each, receiver))
            if place < len(own.args.args):
                self._scan(module, own, own.args.args[place].arg, set())
        elif name not in module.functions and name not in _SAFE:
            self.is_open = True

    def _take_plain(
        self, node: ast.AST, receiver: str, constants: Mapping[str, tuple[str, ...]]
    ) -> set[int]:
        """Takes a reading of `receiver.parameters`; its numbers as an object."""
        if isinstance(node, ast.Subscript) and _is_parameters(node.value, receiver):
            self._add(node.slice, constants)
            return {id(node.value)}
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            (last,) = node.comparators[:1]
            if _is_parameters(last, receiver):
                self._add(node.left, constants)
                return {id(last)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            place = node.func.value
            if node.func.attr == "get" and _is_parameters(place, receiver) and node.args:
                self._add(node.args[0], constants)
                return {id(place)}
        if isinstance(node, ast.Call) and _is_name(node.func, "load_world") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Subscript) and _is_parameters(first.value, receiver):
                self._add(first.slice, constants, how="load_world")
        return set()

    def _add(
        self,
        name: ast.expr,
        constants: Mapping[str, tuple[str, ...]],
        *,
        how: str = "",
        is_needed: bool = False,
        words: tuple[str, ...] = (),
    ) -> None:
        names = constants.get(name.id, ()) if isinstance(name, ast.Name) else _words(name)
        self.is_open |= not names
        self.readings += [_Reading(each, how, is_needed, words) for each in names]


def _certain_calls(setup: ast.FunctionDef) -> set[int]:
    """The numbers of the calls that `setup` makes in any case, as objects."""
    found: set[int] = set()
    waiting: list[ast.AST] = []
    for statement in setup.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.AugAssign):
            waiting.append(statement)
        else:
            break  # what follows may not be reached
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.IfExp | ast.BoolOp | ast.Lambda | ast.GeneratorExp | ast.ListComp):
            continue
        if isinstance(node, ast.DictComp | ast.SetComp):
            continue
        if isinstance(node, ast.Call):
            found.add(id(node))
        waiting += ast.iter_child_nodes(node)
    return found


def _constants(code: ast.AST) -> dict[str, tuple[str, ...]]:
    """Variables of loops over texts that the code itself states, and these texts."""
    loops = [
        (node.target, node.iter)
        for node in ast.walk(code)
        if isinstance(node, ast.For | ast.comprehension)
    ]
    found: dict[str, tuple[str, ...]] = {}
    for target, values in loops:
        if isinstance(target, ast.Name):
            words = _words(values)
            is_known = words and target.id not in found
            found[target.id] = words if is_known else ()
    return found


def _words(node: ast.expr) -> tuple[str, ...]:
    """The texts of a constant, or of a tuple, list or set of them; () for anything else."""
    elements = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    texts = tuple(
        each.value
        for each in elements
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )
    return texts if len(texts) == len(elements) else ()


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_parameters(node: ast.AST, receiver: str) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "parameters"
        and _is_name(node.value, receiver)
    )
