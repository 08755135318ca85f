"""A user program's arguments on one line, as world files and windows have them."""

import shlex
from collections.abc import Iterable


def join_arguments(arguments: Iterable[str]) -> str:
    """One line that `split_arguments` takes apart again; in quotes where that takes them."""
    return " ".join(shlex.quote(each) for each in arguments)


def split_arguments(line: str) -> tuple[str, ...]:
    """The arguments between spaces, and between quotes.

    A backslash is a character like any other, and so is an apostrophe of which there is one alone.
    """
    words = shlex.shlex(line, posix=True)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    try:
        return tuple(words)
    except ValueError:
        return tuple(line.split())
