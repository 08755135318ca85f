"""The declarations of a file and of what it imports, and the faults in them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autosim.config.reading.xml_reader import UnreadableError, read_bytes
from autosim.openscenario.dsl.parsing.dsl_lexer import DslSyntaxError
from autosim.openscenario.dsl.parsing.dsl_parser import parse_dsl
from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslEnum,
    DslEventDeclaration,
    DslFieldDeclaration,
    DslFile,
    DslGlobal,
    DslMember,
    DslPhysicalType,
    DslType,
    DslUnit,
)
from autosim.openscenario.dsl.standard_names import (
    BASE_UNITS,
    DOMAIN_TYPES,
    PEOPLE,
    PHYSICAL_TYPES,
    PRIMITIVES,
    UNITS,
    VEHICLES,
    Exponents,
    exponents_of,
)

Report = Callable[[Path, int, str, str, bool], None]
"""Receives a finding: file, line, name of the construct, reason, and whether it is a fault."""

_MAX_FILES = 100
"""Number of files that a scenario imports at most."""

MAX_BASES = 50
"""Number of types that one inherits from at most, one from the other."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The declaration of a `type`, and the `file` that it is in."""

    type: DslType
    file: Path


@dataclass
class DslSymbols:
    """All declarations by name; `types` are structs, actors, scenarios, actions and modifiers."""

    physical: dict[str, Exponents] = field(default_factory=lambda: dict(PHYSICAL_TYPES))
    """Physical types: exponents of the base units."""
    units: dict[str, tuple[Exponents, float, float]] = field(default_factory=lambda: dict(UNITS))
    """Units by name: exponents, factor and offset."""
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    """Enumerations: values of their members by name."""
    types: dict[tuple[str, str], Declared] = field(default_factory=dict)
    """Structured types by kind and name."""
    extensions: dict[str, list[Declared]] = field(default_factory=dict)
    """Extensions of structured types by name."""
    globals: list[tuple[DslFieldDeclaration, Path]] = field(default_factory=list)
    """Global parameters."""
    files: list[Path] = field(default_factory=list)
    """The file and those that it imports, the imported ones first."""

    def find(self, name: str, *kinds: str) -> Declared | None:
        """The structured type of a name and one of the kinds."""
        found = (self.types.get((kind, name)) for kind in kinds)
        return next((each for each in found if each is not None), None)

    def members(self, declared: Declared) -> list[DslMember]:
        """The members of a type: those of its bases, its own, and those that extend it."""
        found: list[DslMember] = []
        for each in reversed(self.bases(declared)):
            found += each.type.members
            for extension in self.extensions.get(each.type.name, ()):
                found += extension.type.members
        return found

    def bases(self, declared: Declared) -> list[Declared]:
        """A type and those that it inherits from, the nearest first."""
        found = [declared]
        while found[-1].type.base and len(found) < MAX_BASES:
            base = self.find(found[-1].type.base, declared.type.kind, "struct", "actor")
            if base is None or base in found:
                break
            found.append(base)
        return found

    def is_type(self, name: str) -> bool:
        """Whether a field may have the type of a name."""
        return (
            name in PRIMITIVES
            or name in self.physical
            or name in self.enums
            or name in DOMAIN_TYPES
            or name in VEHICLES
            or name in PEOPLE
            or self.find(name, "struct", "actor", "scenario", "action") is not None
        )


def read_symbols(path: Path, report: Report) -> DslSymbols:
    """The declarations of a file and of all files that it imports; faults are reported.

    Raises:
        UnreadableError: the file itself cannot be read.
    """
    found = DslSymbols()
    _Collector(found, report).read(path)
    return found


class _Collector:
    def __init__(self, symbols: DslSymbols, report: Report) -> None:
        self._symbols, self._report = symbols, report
        self._seen: set[Path] = set()
        self._lines: dict[tuple[str, str], tuple[Path, int]] = {}

    def read(self, path: Path) -> None:
        """Reads a file and what it imports, and checks all declarations."""
        for file, content in self._load(path):
            self._symbols.files.append(file)
            for each in content.declarations:
                self._add(file, each)
        _SymbolCheck(self._symbols, self._report).run()

    def _load(self, path: Path) -> list[tuple[Path, DslFile]]:
        """The imported files first, and the file itself."""
        self._seen.add(path.resolve())
        try:
            text = read_bytes(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise UnreadableError("is not text in UTF-8", 1) from error
        try:
            content = parse_dsl(text)
        except DslSyntaxError as error:
            self._report(path, error.line, "syntax", error.reason, True)
            return []
        found: list[tuple[Path, DslFile]] = []
        for each in content.imports:
            if each.name == "osc" or each.name.startswith("osc.standard"):
                continue
            other = path.parent / each.name
            if not other.is_file() and not each.name.endswith(".osc"):
                other = path.parent / f"{each.name.replace('.', '/')}.osc"
            if not other.is_file():
                self._report(path, each.line, "import", f"there is no file '{each.name}'", True)
            elif other.resolve() not in self._seen and len(self._seen) < _MAX_FILES:
                found += self._load(other)
        return [*found, (path, content)]

    def _add(
        self, file: Path, each: DslPhysicalType | DslUnit | DslEnum | DslGlobal | DslType
    ) -> None:
        symbols = self._symbols
        if isinstance(each, DslPhysicalType):
            exponents = exponents_of(each.exponents)
            self._check_new(
                "type", each.name, file, each.line, symbols.physical.get(each.name) == exponents
            )
            self._check_exponents(file, each.line, each.exponents)
            symbols.physical[each.name] = exponents
        elif isinstance(each, DslUnit):
            self._add_unit(file, each)
        elif isinstance(each, DslEnum):
            self._add_enum(file, each)
        elif isinstance(each, DslGlobal):
            for name in each.field.names:
                self._check_new("global", name, file, each.line)
            symbols.globals.append((each.field, file))
        elif each.kind == "extend":
            symbols.extensions.setdefault(each.name, []).append(Declared(each, file))
        else:
            kind = f"{each.kind} of {each.of}" if each.of else each.kind
            if each.condition is None:
                self._check_new(kind, each.name, file, each.line)
            symbols.types[each.kind, each.name] = Declared(each, file)

    def _add_unit(self, file: Path, each: DslUnit) -> None:
        """Adds a unit; the type that it names states its base units, not what the unit repeats."""
        symbols = self._symbols
        exponents = symbols.physical.get(each.type)
        if exponents is None:
            reason = f"'{each.name}' is a unit of '{each.type}', which is not a type"
            self._report(file, each.line, "unit", reason, True)
            exponents = exponents_of(each.exponents)
        unit = exponents, each.factor, each.offset
        is_same = symbols.units.get(each.name) == unit
        self._check_new("unit", each.name, file, each.line, is_same)
        self._check_exponents(file, each.line, each.exponents)
        symbols.units[each.name] = unit

    def _check_new(
        self, kind: str, name: str, file: Path, line: int, is_same: bool = False
    ) -> None:
        """Reports a second declaration, unless it repeats (`is_same`) that of another file."""
        before = self._lines.get((kind, name))
        if before is not None and not (is_same and before[0] != file):
            where = f"line {before[1]}" if before[0] == file else f"{before[0].name}:{before[1]}"
            self._report(file, line, kind, f"'{name}' is declared in {where} already", True)
        self._lines[kind, name] = file, line

    def _check_exponents(self, file: Path, line: int, stated: tuple[tuple[str, int], ...]) -> None:
        names = [name for name, _ in stated]
        for name in names:
            if name not in BASE_UNITS:
                reason = f"'{name}' is not a base unit: expected {', '.join(BASE_UNITS)}"
                self._report(file, line, "SI", reason, True)
            elif names.count(name) > 1:
                self._report(file, line, "SI", f"'{name}' is stated twice", True)
                return

    def _add_enum(self, file: Path, each: DslEnum) -> None:
        if not each.is_extension:
            self._check_new("enum", each.name, file, each.line)
            self._symbols.enums[each.name] = {}
        known = self._symbols.enums.get(each.name)
        if known is None:
            reason = f"there is no enumeration '{each.name}' to extend"
            self._report(file, each.line, "extend", reason, True)
            return
        for name, stated in each.members:
            value = stated if stated is not None else max(known.values(), default=-1) + 1
            if name in known:
                self._report(file, each.line, "enum", f"'{name}' is stated twice", True)
            elif value in known.values():
                reason = f"'{name}' has the value {value} of another member"
                self._report(file, each.line, "enum", reason, True)
            known[name] = value


class _SymbolCheck:
    """Checks that the types that declarations name exist, and that members have one name each."""

    def __init__(self, symbols: DslSymbols, report: Report) -> None:
        self._symbols, self._report = symbols, report

    def run(self) -> None:
        """Checks all declarations."""
        symbols = self._symbols
        for field_, file in symbols.globals:
            self._check_type(file, field_.line, field_.type)
        for declared in symbols.types.values():
            self._check_header(declared)
            self._check_members(declared)
        for name, extensions in symbols.extensions.items():
            if symbols.find(name, "struct", "actor", "scenario", "action") is None:
                each = extensions[0]
                reason = f"there is no type '{name}' to extend"
                self._report(each.file, each.type.line, "extend", reason, True)

    def _check_header(self, declared: Declared) -> None:
        type_, symbols = declared.type, self._symbols
        actor, dot, _ = type_.name.rpartition(".")
        if dot and type_.kind != "struct" and not self._is_actor(actor):
            reason = f"'{type_.name}' belongs to the actor '{actor}', which is not declared"
            self._report(declared.file, type_.line, type_.kind, reason, True)
        is_known = symbols.find(type_.base, type_.kind) is not None or symbols.is_type(type_.base)
        if type_.base and not is_known:
            reason = f"'{type_.name}' inherits '{type_.base}', which is not declared"
            self._report(declared.file, type_.line, type_.kind, reason, True)

    def _is_actor(self, name: str) -> bool:
        known = name in VEHICLES or name in PEOPLE or name in DOMAIN_TYPES
        return known or self._symbols.find(name, "actor") is not None

    def _check_members(self, declared: Declared) -> None:
        """Checks the members of a type and of its extensions; those of bases may be replaced."""
        lines: dict[str, int] = {}
        for part in (declared, *self._symbols.extensions.get(declared.type.name, ())):
            for each in part.type.members:
                names: tuple[str, ...] = ()
                if isinstance(each, DslFieldDeclaration):
                    names = each.names
                    self._check_type(part.file, each.line, each.type)
                elif isinstance(each, DslEventDeclaration):
                    names = (each.name,)
                    for parameter in each.parameters:
                        self._check_type(part.file, parameter.line, parameter.type)
                for name in names:
                    if name in lines:
                        reason = (
                            f"'{declared.type.name}' has a member '{name}' in line {lines[name]} "
                            "already"
                        )
                        self._report(part.file, each.line, declared.type.kind, reason, True)
                    lines[name] = each.line

    def _check_type(self, file: Path, line: int, name: str) -> None:
        if not self._symbols.is_type(name):
            self._report(file, line, name, "is not a declared type", True)
