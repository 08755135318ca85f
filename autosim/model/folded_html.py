"""HTML lists that unfold, for notebooks."""

from collections.abc import Iterable
from html import escape


def folded_html(
    title: str, kind: str, rows: Iterable[tuple[str, str]], below: Iterable[str], *, is_open: bool
) -> str:
    """A list item: a title with its kind, which unfolds a table and the items below it.

    Args:
        title: as text.
        kind: shown in small letters.
        rows: names and values of the table, as text.
        below: further items, as HTML.
        is_open: whether it starts unfolded.
    """
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in rows
    )
    table = f"<table>{cells}</table>" if cells else ""
    open_ = ' open=""' if is_open else ""
    return (
        f"<details{open_}><summary><code>{escape(title)}</code> "
        f"<small>{escape(kind)}</small></summary>"
        f'<div style="margin-left:1.5em">{table}{"".join(below)}</div></details>'
    )
