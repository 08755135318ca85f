"""Parses expressions, from the operator that binds least to a value."""

from collections.abc import Callable

from autosim.openscenario.dsl.parsing.dsl_expressions import (
    DslArgument,
    DslCall,
    DslCast,
    DslElement,
    DslEnumValue,
    DslExpression,
    DslField,
    DslList,
    DslLiteral,
    DslName,
    DslOperation,
    DslQuantity,
    DslRange,
)
from autosim.openscenario.dsl.parsing.dsl_lexer import NAME, NUMBER, TEXT
from autosim.openscenario.dsl.parsing.token_reader import TokenReader

_RELATIONS = ("==", "!=", "<=", ">=", "<", ">", "in")


class ExpressionParser:
    """Parses expressions of a file.

    Args:
        reader: over its tokens.
    """

    def __init__(self, reader: TokenReader) -> None:
        self._reader = reader

    def parse(self) -> DslExpression:
        """An expression.

        Raises:
            DslSyntaxError: there is none.
        """
        return self._reader.deeper(self._choice)

    def arguments(self) -> tuple[DslArgument, ...]:
        """Arguments in parentheses, with or without their names."""
        return self._reader.enclosed(self._argument)

    def _argument(self) -> DslArgument:
        reader = self._reader
        if reader.peek().kind == NAME and reader.sees(":", ahead=1):
            # The names of some arguments are reserved words, such as `every`.
            name = reader.next().text
            reader.next()
            return DslArgument(name, self.parse())
        return DslArgument("", self.parse())

    def _choice(self) -> DslExpression:
        line = self._reader.line
        found = self._implication()
        if not self._reader.accept("?"):
            return found
        first = self.parse()
        self._reader.expect(":")
        return DslOperation("?", (found, first, self.parse()), line)

    def _implication(self) -> DslExpression:
        return self._from_left(("=>",), self._disjunction)

    def _disjunction(self) -> DslExpression:
        return self._from_left(("or",), self._conjunction)

    def _conjunction(self) -> DslExpression:
        return self._from_left(("and",), self._inversion)

    def _inversion(self) -> DslExpression:
        line = self._reader.line
        if self._reader.accept("not"):
            return DslOperation("not", (self._reader.deeper(self._inversion),), line)
        return self._relation()

    def _relation(self) -> DslExpression:
        return self._from_left(_RELATIONS, self._sum)

    def _sum(self) -> DslExpression:
        return self._from_left(("+", "-"), self._term)

    def _term(self) -> DslExpression:
        return self._from_left(("*", "/", "%"), self._factor)

    def _from_left(
        self, operators: tuple[str, ...], parse: Callable[[], DslExpression]
    ) -> DslExpression:
        """Operands with operators of one rank between them, grouped from the left."""
        reader = self._reader
        found = parse()
        while any(reader.sees(each) for each in operators):
            token = reader.next()
            found = DslOperation(token.text, (found, parse()), token.line)
        return found

    def _factor(self) -> DslExpression:
        line = self._reader.line
        if self._reader.accept("-"):
            return DslOperation("-", (self._reader.deeper(self._factor),), line)
        self._reader.accept("+")
        return self._postfix()

    def _postfix(self) -> DslExpression:
        reader = self._reader
        found = self._primary()
        while True:
            line = reader.line
            if reader.sees("("):
                found = DslCall(found, self.arguments(), line)
            elif reader.accept("["):
                found = DslElement(found, self.parse(), line)
                reader.expect("]")
            elif reader.sees(".", "as", "(") or reader.sees(".", "is", "("):
                reader.next()
                is_test = reader.next().text == "is"
                reader.expect("(")
                found = DslCast(found, reader.path(), is_test, line)
                reader.expect(")")
            elif reader.accept("."):
                found = DslField(found, reader.name("the name of a field"), line)
            else:
                return found

    def _primary(self) -> DslExpression:
        reader, token = self._reader, self._reader.peek()
        if token.kind == NUMBER:
            return self._number()
        if token.kind == TEXT:
            return DslLiteral(reader.text(), token.line)
        if reader.sees("("):
            reader.next()
            found = self.parse()
            reader.expect(")")
            return found
        if reader.sees("["):
            return self._list()
        if token.text in ("true", "false"):
            reader.next()
            return DslLiteral(token.text == "true", token.line)
        if reader.sees("range", "("):
            reader.next()
            reader.next()
            low = self.parse()
            reader.expect(",")
            high = self.parse()
            reader.expect(")")
            return DslRange(low, high, token.line)
        if reader.accept("it"):
            return DslName("it", token.line)
        name = reader.name("a value")
        if reader.accept("!"):
            return DslEnumValue(name, reader.name("a member of the enumeration"), token.line)
        return DslName(name, token.line)

    def _number(self) -> DslExpression:
        reader = self._reader
        token = reader.next()
        if "x" in token.text:
            value: int | float = int(token.text, 16)
        else:
            value = float(token.text) if "." in token.text else int(token.text)
        if reader.is_name():
            return DslQuantity(float(value), reader.name(), token.line)
        return DslLiteral(value, token.line)

    def _list(self) -> DslExpression:
        reader = self._reader
        line = reader.expect("[").line
        first = self.parse()
        if reader.accept(".."):
            high = self.parse()
            reader.expect("]")
            return DslRange(first, high, line)
        items = [first]
        while reader.accept(","):
            items.append(self.parse())
        reader.expect("]")
        return DslList(tuple(items), line)
