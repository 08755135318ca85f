"""Parses a file: imports and declarations."""

from autosim.openscenario.dsl.parsing.behavior_parser import BehaviorParser
from autosim.openscenario.dsl.parsing.dsl_expressions import DslExpression
from autosim.openscenario.dsl.parsing.dsl_lexer import END, TEXT, tokenize
from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslCoverage,
    DslDeclaration,
    DslDo,
    DslEnum,
    DslEventDeclaration,
    DslFieldDeclaration,
    DslFile,
    DslGlobal,
    DslImport,
    DslMember,
    DslMethodDeclaration,
    DslOn,
    DslParameter,
    DslPhysicalType,
    DslType,
    DslUnit,
)
from autosim.openscenario.dsl.parsing.expression_parser import ExpressionParser
from autosim.openscenario.dsl.parsing.token_reader import TokenReader

_TYPES = ("struct", "actor", "scenario", "action", "modifier")


def parse_dsl(text: str) -> DslFile:
    """The content of a file.

    Raises:
        DslSyntaxError: it does not obey the grammar.
    """
    return _DslParser(TokenReader(tokenize(text))).file()


class _DslParser:
    def __init__(self, reader: TokenReader) -> None:
        self._reader = reader
        self._behaviors = BehaviorParser(reader)
        self._expressions = self._behaviors.expressions

    def file(self) -> DslFile:
        """Imports, and then declarations."""
        reader, imports, declarations = self._reader, [], []
        while reader.sees("import"):
            line = reader.next().line
            name = reader.text() if reader.peek().kind == TEXT else reader.path()
            reader.end_line()
            imports.append(DslImport(name, line))
        while reader.peek().kind != END:
            declarations.append(self._declaration())
        return DslFile(tuple(imports), tuple(declarations))

    def _declaration(self) -> DslDeclaration:
        reader, line = self._reader, self._reader.line
        if reader.accept("type"):
            name = reader.name()
            reader.expect("is")
            exponents, _, _ = self._si()
            return DslPhysicalType(name, exponents, line)
        if reader.accept("unit"):
            name = reader.name()
            reader.expect("of")
            of = reader.name()
            reader.expect("is")
            return DslUnit(name, of, *self._si(), line)
        if reader.accept("enum"):
            return self._enum(reader.name(), False, line)
        if reader.accept("global"):
            return DslGlobal(self._field(), line)
        if reader.accept("extend"):
            name = reader.path()
            if reader.sees(":", "["):
                return self._enum(name, True, line)
            return DslType("extend", name, "", "", None, reader.block(self._member), line)
        for kind in _TYPES:
            if reader.accept(kind):
                return self._type(kind, line)
        raise reader.fail("a declaration")

    def _si(self) -> tuple[tuple[tuple[str, int], ...], float, float]:
        """Exponents, factor and offset of a unit."""
        reader = self._reader
        reader.expect("SI")
        reader.expect("(")
        exponents: list[tuple[str, int]] = []
        factor, offset = 1.0, 0.0
        while True:
            name = reader.name("a base unit, factor or offset")
            reader.expect(":")
            if name == "factor":
                factor = reader.number()
            elif name == "offset":
                offset = reader.number()
            else:
                exponents.append((name, reader.whole()))
            if not reader.accept(","):
                break
        reader.expect(")")
        reader.end_line()
        return tuple(exponents), factor, offset

    def _enum(self, name: str, is_extension: bool, line: int) -> DslEnum:
        reader = self._reader
        reader.expect(":")
        reader.expect("[")
        members = reader.separated(self._enum_member)
        reader.expect("]")
        reader.end_line()
        return DslEnum(name, members, is_extension, line)

    def _enum_member(self) -> tuple[str, int | None]:
        name = self._reader.name()
        return name, self._reader.whole() if self._reader.accept("=") else None

    def _type(self, kind: str, line: int) -> DslType:
        reader = self._reader
        name, base, of = reader.path(), "", ""
        condition: DslExpression | None = None
        if reader.accept("of"):
            of = reader.path()
        if reader.accept("inherits"):
            base = reader.path()
            if reader.accept("("):
                condition = self._expressions.parse()
                reader.expect(")")
        members: tuple[DslMember, ...] = ()
        if reader.sees(":"):
            members = reader.block(self._member)
        else:
            reader.end_line()
        return DslType(kind, name, base, of, condition, members, line)

    # ---- members

    def _member(self) -> DslMember:
        reader, line = self._reader, self._reader.line
        if reader.is_name() and (reader.sees(":", ahead=1) or reader.sees(",", ahead=1)):
            return self._field()
        if reader.accept("var"):
            return self._variable(line)
        if reader.accept("event"):
            return self._event(line)
        if reader.accept("def"):
            return self._method(line)
        if reader.accept("do"):
            return DslDo(self._behaviors.behavior(), line)
        if reader.accept("on"):
            event = self._behaviors.event()
            return DslOn(event, reader.block(self._behaviors.behavior), line)
        found = self._constraint_or_coverage()
        return found or self._behaviors.modifier()

    def _constraint_or_coverage(self) -> DslMember | None:
        reader, line = self._reader, self._reader.line
        for kind in ("cover", "record"):
            if reader.sees(kind, "("):
                reader.next()
                self._expressions.arguments()
                reader.end_line()
                return DslCoverage(kind, line)
        return self._behaviors.constraint()

    def _field(self) -> DslFieldDeclaration:
        reader, line = self._reader, self._reader.line
        names, type_, is_list = self._typed_names()
        default = self._expressions.parse() if reader.accept("=") else None
        constraints: tuple[DslMember, ...] = ()
        if reader.accept("with"):
            constraints = reader.block(self._field_constraint)
        else:
            reader.end_line()
        return DslFieldDeclaration(names, type_, is_list, default, False, constraints, line)

    def _field_constraint(self) -> DslMember:
        found = self._constraint_or_coverage()
        if found is None:
            raise self._reader.fail("a constraint")
        return found

    def _variable(self, line: int) -> DslFieldDeclaration:
        names, type_, is_list = self._typed_names()
        default: DslExpression | None = None
        if self._reader.accept("="):
            default = self._sample() or self._expressions.parse()
        self._reader.end_line()
        return DslFieldDeclaration(names, type_, is_list, default, True, (), line)

    def _sample(self) -> DslExpression | None:
        """The default of a sampled variable; None where no sample is next."""
        reader = self._reader
        if not reader.sees("sample", "("):
            return None
        reader.next()
        reader.next()
        found = self._expressions.parse()
        reader.expect(",")
        self._behaviors.event()
        if reader.accept(","):
            found = self._expressions.parse()
        reader.expect(")")
        return found

    def _typed_names(self) -> tuple[tuple[str, ...], str, bool]:
        names = self._reader.separated(self._reader.name)
        self._reader.expect(":")
        return names, *self._type_name()

    def _type_name(self) -> tuple[str, bool]:
        is_list = self._reader.accept("list")
        if is_list:
            self._reader.expect("of")
        return self._reader.path(), is_list

    def _event(self, line: int) -> DslEventDeclaration:
        reader = self._reader
        name = reader.name()
        parameters = reader.enclosed(self._parameter) if reader.sees("(") else ()
        event = self._behaviors.event() if reader.accept("is") else None
        reader.end_line()
        return DslEventDeclaration(name, parameters, event, line)

    def _parameter(self) -> DslParameter:
        reader, line = self._reader, self._reader.line
        name = reader.name()
        reader.expect(":")
        type_, _ = self._type_name()
        default = self._expressions.parse() if reader.accept("=") else None
        return DslParameter(name, type_, default, line)

    def _method(self, line: int) -> DslMethodDeclaration:
        reader = self._reader
        name = reader.name()
        parameters = reader.enclosed(self._parameter)
        returns = self._type_name()[0] if reader.accept("->") else ""
        reader.expect("is")
        reader.accept("only")
        body: DslExpression | None = None
        external = ""
        if reader.accept("expression"):
            body = self._expressions.parse()
        elif reader.accept("external"):
            external = reader.path()
            self._expressions.arguments()
        else:
            reader.expect("undefined")
        reader.end_line()
        return DslMethodDeclaration(name, parameters, returns, body, external, line)


def parse_expression(text: str) -> DslExpression:
    """The expression of a text, for example of a value on the command line.

    Raises:
        DslSyntaxError: it is not one.
    """
    reader = TokenReader(tokenize(text))
    found = ExpressionParser(reader).parse()
    reader.end_line()
    return found
