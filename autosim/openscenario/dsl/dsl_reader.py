"""Reads a scenario of OpenSCENARIO DSL into the record that the engine executes."""

from collections.abc import Mapping
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.xml_reader import UnreadableError
from autosim.openscenario.dsl.compiling.behavior_compiler import BehaviorCompiler, DslPhase
from autosim.openscenario.dsl.compiling.story_draft import StoryDraft
from autosim.openscenario.dsl.dsl_symbols import Declared, DslSymbols, Report, read_symbols
from autosim.openscenario.dsl.parsing.dsl_lexer import DslSyntaxError
from autosim.openscenario.dsl.parsing.dsl_parser import parse_expression
from autosim.openscenario.dsl.parsing.dsl_tree import DslDo
from autosim.openscenario.dsl.values.dsl_evaluation import (
    check_type,
    evaluate,
    value_of,
)
from autosim.openscenario.dsl.values.dsl_scope import DslScope
from autosim.openscenario.dsl.values.dsl_values import (
    ActorValue,
    DslError,
    ValueDraws,
)
from autosim.openscenario.reading.xosc_elements import Findings, Refusal
from autosim.openscenario.records.storyboard_records import XoscScenario

SEED = "seed"
"""Name of the value that chooses what is drawn from ranges and alternatives."""

_TOP = "top"
"""Name of the scenario that is run where a file has several."""


def is_library(path: Path) -> bool:
    """Whether a file of OpenSCENARIO DSL has no fault, and declares no behaviour that could run.

    Raises:
        ConfigError: it cannot be read.
    """
    found, findings = read_dsl(path, {})
    return found is None and not findings.refusals


def read_dsl(path: Path, values: Mapping[str, str]) -> tuple[XoscScenario | None, Findings]:
    """Reads a scenario; None where nothing can be executed, with refusals if it has faults.

    Args:
        path: of the file.
        values: of parameters, by name, instead of those of the file; `seed` chooses what is drawn.

    Raises:
        ConfigError: the file cannot be read.
    """
    findings = Findings()

    def report(file: Path, line: int, name: str, reason: str, is_fault: bool) -> None:
        refusal = Refusal(file, line, printable(name, 60), printable(reason, 300), is_fault, False)
        if refusal not in findings.refusals:
            findings.refusals.append(refusal)

    try:
        symbols = read_symbols(path, report)
    except UnreadableError as error:
        found = Diagnostics()
        found.error(path, error.line, str(error))
        raise ConfigError(found.all) from error
    findings.imports = [each for each in symbols.files if each != path]
    top = _top(symbols, path)
    if findings.refusals or top is None:
        return None, findings
    return _Reading(path, symbols, report).run(top, dict(values)), findings


def _top(symbols: DslSymbols, path: Path) -> Declared | None:
    """The scenario that is run: `top`, else the last one of the file that has a behaviour."""
    found: Declared | None = None
    for (kind, name), each in symbols.types.items():
        is_runnable = any(isinstance(member, DslDo) for member in symbols.members(each))
        if kind not in ("scenario", "action") or not is_runnable or each.file != path:
            continue
        if name.rpartition(".")[2] == _TOP:
            return each
        found = each
    return found


class _Reading:
    """A scenario while it is read."""

    def __init__(self, path: Path, symbols: DslSymbols, report: Report) -> None:
        self._path, self._symbols, self._report = path, symbols, report

    def run(self, top: Declared, values: dict[str, str]) -> XoscScenario | None:
        """The record of the scenario, or None with a report."""
        try:
            return self._compile(top, values)
        except DslError as error:
            self._report(self._path, error.line, error.name, error.reason, error.is_fault)
        except RecursionError:
            self._report(self._path, 1, "scenario", "has values that depend on too many", True)
        return None

    def _compile(self, top: Declared, values: dict[str, str]) -> XoscScenario | None:
        outer = DslScope(self._symbols, self._path, ValueDraws(0))
        for declared, _ in self._symbols.globals:
            outer.declare_fields(declared)
        scope = DslScope(self._symbols, self._path, outer.draws, outer)
        scope.declare(self._symbols.members(top))
        if SEED in values and scope.owner(SEED) is None:
            scope.draws = outer.draws = ValueDraws(_seed(values.pop(SEED)))
        self._set(scope, values, top.type.line)
        draft, has_faults = StoryDraft(), []

        def report(file: Path, line: int, name: str, reason: str, is_fault: bool) -> None:
            has_faults.append(line)
            self._report(file, line, name, reason, is_fault)

        compiler = BehaviorCompiler(draft, report, outer)
        compiler.own_actor(top, scope)
        end = compiler.scenario(top, scope, DslPhase())
        parameters = self._parameters(scope, report)
        for each in compiler.scopes:
            _check_keeps(each, report)
        if has_faults:
            return None
        return draft.build(self._path, top.type.name, parameters, end)

    def _set(self, scope: DslScope, values: dict[str, str], line: int) -> None:
        """Gives parameters the values that the user states."""
        for name, text in values.items():
            owner = scope.owner(name)
            if owner is None:
                raise DslError(line, name, "is not a parameter of the scenario")
            state = owner.fields[name]
            try:
                value = evaluate(parse_expression(text), scope)
            except DslSyntaxError as error:
                raise DslError(line, name, f"takes a value, not {text}: {error.reason}") from error
            except DslError:
                if state.type != "string":
                    raise
                value = text
            check_type(name, state, value, owner)
            state.value = value if state.is_list else scope.draws.one_of(value)

    def _parameters(self, scope: DslScope, report: Report) -> tuple[tuple[str, str], ...]:
        found = []
        for name, state in scope.fields.items():
            if scope.symbols.find(state.type, "struct") is not None:
                continue
            try:
                value = value_of(name, scope, state.line)
            except DslError as error:
                report(scope.file, error.line, error.name, error.reason, error.is_fault)
                continue
            if not isinstance(value, ActorValue):
                found.append((name, str(value)))
        return tuple(found)


def _seed(text: str) -> int:
    if not text.strip().isdigit():
        raise DslError(1, SEED, f"takes a whole number, not {text}")
    return int(text)


def _check_keeps(scope: DslScope, report: Report) -> None:
    """Reports constraints that do not hold, and those that cannot be checked."""
    for keep in scope.keeps:
        if keep.qualifier == "default":
            continue
        try:
            if evaluate(keep.value, scope) is not True:
                raise DslError(keep.line, "keep", "is violated by the values of the parameters")
        except DslError as error:
            report(scope.file, error.line, error.name, error.reason, error.is_fault)
    for name, state in scope.fields.items():
        for keep in state.keeps:
            # Those of numbers have given the field its value.
            if isinstance(state.value, ActorValue | None) and keep.qualifier != "default":
                report(scope.file, keep.line, "keep", f"of '{name}' is not executed", False)
