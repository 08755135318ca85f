"""A user program's arguments on one line, as in world files and windows."""

import shlex
from collections.abc import Iterable


def join_arguments(arguments: Iterable[str]) -> str:
    """One line that `split_arguments` splits again; arguments are quoted where necessary."""
    return " ".join(shlex.quote(each) for each in arguments)


def split_arguments(line: str) -> tuple[str, ...]:
    """The arguments between spaces, and between quotes.

    A backslash is a character like any other, and so is a single apostrophe.
    """
    words = shlex.shlex(line, posix=True)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    try:
        return tuple(words)
    except ValueError:
        return tuple(line.split())
