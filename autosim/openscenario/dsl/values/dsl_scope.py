"""The fields of a scenario, a struct or the arguments of a method, and their values."""

from dataclasses import dataclass, field
from pathlib import Path

from autosim.openscenario.dsl.dsl_symbols import Declared, DslSymbols
from autosim.openscenario.dsl.parsing.dsl_expressions import DslExpression
from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslEventDeclaration,
    DslFieldDeclaration,
    DslKeep,
    DslMember,
    DslMethodDeclaration,
)
from autosim.openscenario.dsl.standard_names import (
    PEOPLE,
    PERSON_BASES,
    VEHICLE_BASES,
    VEHICLES,
)
from autosim.openscenario.dsl.values.dsl_values import DslValue, ValueDraws


@dataclass
class FieldState:
    """A field of a scope; its value is None until it is known."""

    type: str
    """Name of its type."""
    is_list: bool
    """Whether it is a list."""
    default: DslExpression | None
    """The default, None without one."""
    line: int
    """Line of the file."""
    value: DslValue | None = None
    keeps: list[DslKeep] = field(default_factory=list)
    """Constraints that are stated with it; `it` is the field there."""
    is_open: bool = False
    """Whether it is being evaluated, so that it must not ask for itself."""


class DslScope:
    """Names and what they are.

    Args:
        symbols: declarations of all files.
        file: in which the names are declared, for messages.
        draws: of random values.
        parent: scope around it, None for the global one.
        caller: scope of the scenario that invokes this one, None without one.
    """

    def __init__(
        self,
        symbols: DslSymbols,
        file: Path,
        draws: ValueDraws,
        parent: "DslScope | None" = None,
        caller: "DslScope | None" = None,
    ) -> None:
        self.symbols, self.file, self.draws = symbols, file, draws
        self.parent, self.caller = parent, caller
        self.fields: dict[str, FieldState] = {}
        self.events: dict[str, DslEventDeclaration] = {}
        self.methods: dict[str, DslMethodDeclaration] = {}
        self.keeps: list[DslKeep] = []
        self.structs: dict[str, DslScope] = {}

    def declare(self, members: list[DslMember]) -> None:
        """Adds the members of a type."""
        for each in members:
            if isinstance(each, DslFieldDeclaration):
                self.declare_fields(each)
            elif isinstance(each, DslEventDeclaration):
                self.events[each.name] = each
            elif isinstance(each, DslMethodDeclaration):
                self.methods[each.name] = each
            elif isinstance(each, DslKeep):
                self.keeps.append(each)

    def declare_fields(self, declared: DslFieldDeclaration) -> None:
        """Adds the fields of a declaration."""
        keeps = [each for each in declared.constraints if isinstance(each, DslKeep)]
        for name in declared.names:
            self.fields[name] = FieldState(
                declared.type, declared.is_list, declared.default, declared.line, keeps=keeps
            )

    def owner(self, name: str) -> "DslScope | None":
        """The scope that has a field of a name: this one or one around it."""
        scope: DslScope | None = self
        while scope is not None:
            if name in scope.fields:
                return scope
            scope = scope.parent
        return None

    def event_owner(self, name: str) -> "DslScope | None":
        """The scope that declares an event."""
        scope: DslScope | None = self
        while scope is not None:
            if name in scope.events:
                return scope
            scope = scope.parent
        return None

    def type_chain(self, name: str) -> tuple[str, ...]:
        """The name of a type, and of those that it inherits from."""
        declared, found = self.symbols.find(name, "actor", "struct"), [name]
        if declared is not None:
            bases = self.symbols.bases(declared)
            found = [each.type.name for each in bases]
            if bases[-1].type.base:
                found.append(bases[-1].type.base)
        if found[-1] in VEHICLES:
            found += [each for each in VEHICLE_BASES if each not in found]
        elif found[-1] in PEOPLE:
            found += [each for each in PERSON_BASES if each not in found]
        return tuple(found)

    def struct(self, name: str, declared: Declared) -> "DslScope":
        """The scope of the fields of a struct that a field holds."""
        if name not in self.structs:
            inner = DslScope(self.symbols, declared.file, self.draws, _outermost(self))
            inner.declare(self.symbols.members(declared))
            self.structs[name] = inner
        return self.structs[name]


def _outermost(scope: DslScope) -> DslScope:
    while scope.parent is not None:
        scope = scope.parent
    return scope
