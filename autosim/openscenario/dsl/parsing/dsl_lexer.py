"""Splits the text of a file into tokens; indentation becomes tokens, as in the standard."""

import re
from typing import NamedTuple

NEWLINE, INDENT, DEDENT, END = "newline", "indent", "dedent", "end of file"
NUMBER, TEXT, NAME, SIGN = "number", "text", "name", "sign"

_TAB = 8
"""Columns between the stops of a tab."""

_TOKEN = re.compile(
    r"""
    (?P<skip>[ \t]+|\\[ \t]*\r?\n|\#[^\r\n\f]*|/\*.*?\*/)
  | (?P<newline>\r?\n|\r|\f)
  | (?P<text>\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''
           |\"(?:[^\\\"\r\n]|\\.)*\"|'(?:[^\\'\r\n]|\\.)*')
  | (?P<number>0x[0-9A-Fa-f]+|\d*\.\d+(?:[eE][+-]?\d+)?|\d+)
  | (?P<name>[^\W\d]\w*|\|[^|\r\n]+\|)
  | (?P<sign>\.\.|->|=>|==|!=|<=|>=|[-+*/%<>=?:,.()\[\]@!])
    """,
    re.VERBOSE | re.DOTALL,
)


class DslSyntaxError(Exception):
    """Text that does not obey the grammar, with its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class DslToken(NamedTuple):
    """A token: its kind, its text and the line of the file, from 1."""

    kind: str
    text: str
    line: int


def tokenize(text: str) -> list[DslToken]:
    """The tokens of a file, with one of each change of indentation.

    Raises:
        DslSyntaxError: a character or an indentation that the grammar does not have.
    """
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text, self._line, self._open = text.removeprefix("\ufeff"), 1, 0
        self._tokens: list[DslToken] = []
        self._columns = [0]
        self._is_line_start = True

    def run(self) -> list[DslToken]:
        """All tokens."""
        at, size = 0, len(self._text)
        while at < size:
            found = _TOKEN.match(self._text, at)
            if found is None:
                raise DslSyntaxError(self._line, f"unexpected character {self._text[at]!r}")
            kind, text = str(found.lastgroup), found.group()
            if kind == "newline":
                self._end_line()
            elif kind != "skip":
                if self._is_line_start and not self._open:
                    self._indent(at)
                self._add(kind, text)
            self._line += text.count("\n") + (text == "\r")
            at = found.end()
        self._end_line()
        self._dedent(0)
        self._tokens.append(DslToken(END, "", self._line))
        return self._tokens

    def _add(self, kind: str, text: str) -> None:
        self._is_line_start = False
        if text in ("(", "["):
            self._open += 1
        elif text in (")", "]"):
            self._open = max(self._open - 1, 0)
        self._tokens.append(DslToken(kind, text, self._line))

    def _end_line(self) -> None:
        if self._open or self._is_line_start:
            return
        self._tokens.append(DslToken(NEWLINE, "", self._line))
        self._is_line_start = True

    def _indent(self, at: int) -> None:
        """Compares the column of the first token of a line with those of the lines before."""
        start = max(self._text.rfind(each, 0, at) for each in "\r\n\f") + 1
        column = 0
        for each in self._text[start:at]:
            column += _TAB - column % _TAB if each == "\t" else 1
        if column > self._columns[-1]:
            self._columns.append(column)
            self._tokens.append(DslToken(INDENT, "", self._line))
        elif column < self._columns[-1]:
            self._dedent(column)

    def _dedent(self, column: int) -> None:
        while self._columns[-1] > column:
            self._columns.pop()
            self._tokens.append(DslToken(DEDENT, "", self._line))
        if self._columns[-1] != column:
            raise DslSyntaxError(self._line, "the indentation agrees with none of the lines above")
