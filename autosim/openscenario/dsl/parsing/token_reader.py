"""A cursor over the tokens of a file."""

from collections.abc import Callable
from typing import TypeVar

from autosim.config.diagnostics import printable
from autosim.openscenario.dsl.parsing.dsl_lexer import (
    DEDENT,
    INDENT,
    NAME,
    NEWLINE,
    NUMBER,
    SIGN,
    TEXT,
    DslSyntaxError,
    DslToken,
)

Parsed = TypeVar("Parsed")

MAX_DEPTH = 30
"""Number of levels of expressions and behaviours: written scenarios have less than ten."""

RESERVED = frozenset(
    (
        "and",
        "or",
        "not",
        "in",
        "as",
        "is",
        "if",
        "it",
        "true",
        "false",
        "with",
        "list",
        "of",
        "do",
        "on",
        "wait",
        "emit",
        "call",
        "until",
        "keep",
        "def",
        "event",
        "var",
        "serial",
        "parallel",
        "one_of",
    )
)
"""Words that are not names of fields, methods or units."""


class TokenReader:
    """Reads tokens in order.

    Args:
        tokens: of a file; the last one is its end.
    """

    def __init__(self, tokens: list[DslToken]) -> None:
        self._tokens, self._at = tokens, 0
        self.depth = 0

    @property
    def line(self) -> int:
        """Line of the next token."""
        return self.peek().line

    def peek(self, ahead: int = 0) -> DslToken:
        """The token a number of places ahead."""
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def next(self) -> DslToken:
        """Takes the next token."""
        found = self.peek()
        self._at += 1
        return found

    def fail(self, wanted: str) -> DslSyntaxError:
        """The error that the next token is not what is wanted; the caller raises it."""
        token = self.peek()
        found = f"'{printable(token.text, 40)}'" if token.text else f"the {_words(token.kind)}"
        return DslSyntaxError(token.line, f"expected {wanted}, found {found}")

    def sees(self, *texts: str, ahead: int = 0) -> bool:
        """Whether the next tokens are these signs or words."""
        found = (self.peek(ahead + number) for number in range(len(texts)))
        return all(
            token.kind in (SIGN, NAME) and token.text == text
            for token, text in zip(found, texts, strict=True)
        )

    def accept(self, text: str) -> bool:
        """Takes a sign or word where it is next."""
        if not self.sees(text):
            return False
        self._at += 1
        return True

    def expect(self, text: str) -> DslToken:
        """Takes a sign or word.

        Raises:
            DslSyntaxError: another token is next.
        """
        if not self.sees(text):
            raise self.fail(f"'{text}'")
        return self.next()

    def is_name(self, ahead: int = 0) -> bool:
        """Whether a name is next that is not reserved."""
        token = self.peek(ahead)
        return token.kind == NAME and token.text not in RESERVED

    def name(self, wanted: str = "a name") -> str:
        """Takes a name, without the bars around it."""
        if not self.is_name():
            raise self.fail(wanted)
        return self.next().text.strip("|")

    def path(self) -> str:
        """Takes names with dots between them."""
        found = [self.name()]
        while self.sees(".") and self.is_name(1):
            self.next()
            found.append(self.name())
        return ".".join(found)

    def text(self) -> str:
        """Takes a text in quotation marks, without these."""
        if self.peek().kind != TEXT:
            raise self.fail("a text in quotation marks")
        found = self.next().text
        return found[3:-3] if found[:3] in ('"""', "'''") and len(found) > 5 else found[1:-1]

    def whole(self) -> int:
        """Takes a whole number with its sign."""
        sign = -1 if self.accept("-") else 1
        token = self.peek()
        if token.kind != NUMBER or "." in token.text:
            raise self.fail("a whole number")
        self.next()
        return sign * int(token.text, 0 if token.text.startswith("0x") else 10)

    def number(self) -> float:
        """Takes a number with its sign."""
        sign = -1.0 if self.accept("-") else 1.0
        self.accept("+")
        token = self.peek()
        if token.kind != NUMBER:
            raise self.fail("a number")
        self.next()
        return sign * (float(int(token.text, 16)) if "x" in token.text else float(token.text))

    def separated(self, parse: Callable[[], Parsed]) -> tuple[Parsed, ...]:
        """Takes one or more of a kind, with commas between them."""
        found = [parse()]
        while self.accept(","):
            found.append(parse())
        return tuple(found)

    def enclosed(self, parse: Callable[[], Parsed]) -> tuple[Parsed, ...]:
        """Takes any number of a kind in parentheses."""
        self.expect("(")
        if self.accept(")"):
            return ()
        found = self.separated(parse)
        self.expect(")")
        return found

    def end_line(self) -> None:
        """Takes the end of a line."""
        if self.peek().kind != NEWLINE:
            raise self.fail("the end of the line")
        self.next()

    def block(self, parse: Callable[[], Parsed]) -> tuple[Parsed, ...]:
        """Takes a colon and the indented lines behind it."""
        self.expect(":")
        self.end_line()
        if self.peek().kind != INDENT:
            raise self.fail("indented lines")
        self.next()
        found = []
        while self.peek().kind != DEDENT:
            found.append(parse())
        self.next()
        return tuple(found)

    def deeper(self, parse: Callable[[], Parsed]) -> Parsed:
        """Parses what lies one level deeper.

        Raises:
            DslSyntaxError: it is nested too deeply.
        """
        if self.depth >= MAX_DEPTH:
            raise DslSyntaxError(self.line, f"is nested deeper than {MAX_DEPTH} levels")
        self.depth += 1
        try:
            return parse()
        finally:
            self.depth -= 1


def _words(kind: str) -> str:
    return {NEWLINE: "end of the line", INDENT: "indented line", DEDENT: "end of the block"}.get(
        kind, kind
    )
