"""Results of a sweep for people: a table as text, and a sheet of charts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from autosim.applications.common.files import require_suffix, write_whole
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.selection import (
    chosen_rows,
    numbers_of,
    outliers,
    require_column,
    sorted_rows,
)
from autosim.applications.sweeps.sweep import open_folder, result_of
from autosim.applications.sweeps.table import Cell, Row, columns_of_rows, export_rows, rows_of
from autosim.charts import COLOURS, Dots, LineSeries, Mark, Panel, draw_sheet
from autosim.errors import UserError

_LONGEST_CELL = 40
"""Number of characters of a cell at most: the whole text is in summary.json."""

_PASSED, _FAILED, _OTHER = COLOURS[1], COLOURS[0], COLOURS[5]
_LOOKS = {_OTHER: "grey: neither", _PASSED: "blue: passed", _FAILED: "red: failed"}
_LOOK_OF = {"passed": _PASSED, "failed": _FAILED}

_RADIUS = 4.0
"""Radius [pixels] of a run's dot."""

_MOST_CURVES = 6
"""Number of curves in a panel: as many as have colours of their own."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Selection and presentation of runs.

    `axes`: the columns of a plot: horizontal, vertical, and the one with a curve for each value
    ("": none); None: an overview.

    Attributes:
        conditions: conditions that a run must meet, such as `gap < 20`.
        outlying: column of which only outliers are shown, None: all runs.
        sorted_by: column to sort by, None: by number.
        is_reversed: in descending order.
        most: greatest number of runs, None: all.
        as_json: one JSON object a line, not a table.
        csv_file: file to write the rows to, None: none.
    """

    conditions: tuple[str, ...] = ()
    outlying: str | None = None
    sorted_by: str | None = None
    is_reversed: bool = False
    most: int | None = None
    columns: str | None = None
    as_json: bool = False
    csv_file: Path | None = None
    plot: Path | None = None
    axes: tuple[str, str, str] | None = None


def show_sweep(sweep: Path, out: Path | None, options: ShowOptions) -> Iterator[str]:
    """Lines about the results of a sweep; writes the files that are ordered.

    Args:
        sweep: a study, or the folder of its results.
        out: that folder, where it is not the usual one.
        options: what to show.

    Raises:
        UserError: there is no such sweep, or no such column; a file cannot be written.
    """
    folder = open_folder(sweep, out)
    orders = [folder.run(each).order() for each in folder.ids()[:1]]
    rows = rows_of(folder)
    if not orders or not rows:
        yield result_of(folder).as_text()
        return
    order = orders[0]
    shown = _chosen(rows, options)
    yield from _listed(shown, rows, order, options)
    if options.csv_file is not None:
        export_rows(shown, options.csv_file)
    if options.plot is not None:
        require_suffix(options.plot, (".svg",))
        write_whole(options.plot, _drawn(shown, rows, order, options).encode())
        yield f"wrote {options.plot}"
    if not options.as_json:
        yield result_of(folder).as_text()
        yield from _running(folder)


def _chosen(rows: Sequence[Row], options: ShowOptions) -> Sequence[Row]:
    found: Sequence[Row] = chosen_rows(rows, options.conditions)
    if options.outlying is not None:
        found = outliers(found, options.outlying)
    if options.sorted_by is not None:
        found = sorted_rows(found, options.sorted_by, is_reversed=options.is_reversed)
    elif options.is_reversed:
        found = found[::-1]
    return found[: options.most]


def _listed(
    shown: Sequence[Row], rows: Sequence[Row], order: RunOrder, options: ShowOptions
) -> Iterator[str]:
    if options.as_json:
        yield from (json.dumps(row) for row in shown)
        return
    columns = default_columns(order, rows)
    if options.columns == "all":
        columns = columns_of_rows(rows)
    elif options.columns:
        columns = [require_column(rows, each.strip()) for each in options.columns.split(",")]
    if options.outlying and options.outlying not in columns:
        columns.append(options.outlying)
    if not shown:
        yield "no run is like that"
        return
    yield table_text(shown, columns)
    yield from spread_text(shown, measures_of(order, rows))


def _drawn(shown: Sequence[Row], rows: Sequence[Row], order: RunOrder, options: ShowOptions) -> str:
    if options.axes is None:
        return draw_overview(
            shown,
            title=order.study,
            parameters=list(order.parameters),
            measures=measures_of(order, rows),
        )
    x, y, by = options.axes
    for name in filter(None, options.axes):
        require_column(rows, name)
    return draw_columns(shown, title=order.study, x=x, y=y, by=by)


def _running(folder: SweepFolder) -> Iterator[str]:
    for run, outcome in folder.outcomes():
        if outcome is None and run.is_running() and run.address.exists():
            yield f"{run.id} is running: autosim client --server {run.address.read_text()}"


def default_columns(order: RunOrder, rows: Sequence[Row]) -> list[str]:
    """Default columns of a table: id, parameters, seed, status, measures."""
    seeds = {row["seed"] for row in rows}
    found = ["id", *order.parameters, *(["seed"] if len(seeds) > 1 else []), "status"]
    return [*found, *measures_of(order, rows)]


def measures_of(order: RunOrder, rows: Sequence[Row]) -> list[str]:
    """The columns of the study's measures, those of its program included; else the way driven."""
    names = columns_of_rows(rows)
    between = names[names.index("status") + 1 : names.index("steps")] if rows else []
    plain = [each for each in between if not each.startswith(("criterion ", "event ", "traffic "))]
    return plain or [each.name for each in order.measures] or ["distance_m"]


def table_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Rows and columns, aligned."""
    cells = [[_text(row.get(name)) for name in columns] for row in rows]
    widths = [max(map(len, each)) for each in zip(columns, *cells, strict=True)]
    is_left = [any(isinstance(row.get(name), str) for row in rows) for name in columns]
    lines = []
    for line in [list(columns), *cells]:
        padded = (
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(line, widths, is_left, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.6g}"
    text = str(cell).splitlines()[0] if str(cell) else ""
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def spread_text(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[str]:
    """A line for each column of numbers: least, median, greatest."""
    for name in columns:
        _, values = numbers_of(rows, name)
        if len(values):
            low, middle, high = values.min(), median(values.tolist()), values.max()
            yield f"{name}: {low:.6g} to {high:.6g}, median {middle:.6g}"


def draw_overview(
    rows: Sequence[Row], *, title: str, parameters: Sequence[str], measures: Sequence[str]
) -> str:
    """A sheet: the plane of the first two parameters, then each measure over each parameter.

    Raises:
        UserError: there is nothing to draw: no parameter is a number.
    """
    numeric = [name for name in parameters if len(numbers_of(rows, name)[1])]
    if not numeric:
        raise UserError("no parameter is a number: choose columns with --x and --y")
    panels = []
    if len(numeric) > 1:
        panels.append(_dots_panel(rows, numeric[0], numeric[1]))
    drawn = [name for name in measures if len(numbers_of(rows, name)[1])]
    panels += [_dots_panel(rows, x, y) for y in drawn for x in numeric]
    columns = 2 if len(panels) > 1 else 1
    return draw_sheet(panels, title=title, columns=columns)


def draw_columns(rows: Sequence[Row], *, title: str, x: str, y: str, by: str = "") -> str:
    """One column over another; with `by`, a curve of means for each value of a third one."""
    panel = _curves_panel(rows, x, y, by) if by else _dots_panel(rows, x, y)
    return draw_sheet([panel], title=title)


def _dots_panel(rows: Sequence[Row], x: str, y: str) -> Panel:
    marks: list[Mark] = []
    words = []
    for colour, word in _LOOKS.items():
        chosen = [row for row in rows if _LOOK_OF.get(str(row["status"]), _OTHER) == colour]
        filled, across = numbers_of(numbers_of(chosen, y)[0], x)
        if filled:
            marks.append(Dots(across, numbers_of(filled, y)[1], _RADIUS, colour))
            words.append(word)
    note = ", ".join(words) if len(words) > 1 else ""
    return Panel(f"{y} over {x}", x, y, marks, note=note)


def _curves_panel(rows: Sequence[Row], x: str, y: str, by: str) -> Panel:
    groups = list(dict.fromkeys(row.get(by) for row in rows))
    if len(groups) > _MOST_CURVES:
        raise UserError(
            f"'{by}' has {len(groups)} values: a chart has {_MOST_CURVES} curves at most"
        )
    lines = []
    for group in sorted(groups, key=lambda each: (str(type(each)), each)):
        chosen = [row for row in rows if row.get(by) == group]
        filled, across = numbers_of(numbers_of(chosen, y)[0], x)
        places, number = np.unique(across, return_inverse=True)
        if not len(places):
            continue
        heights = np.bincount(number, numbers_of(filled, y)[1]) / np.bincount(number)
        lines.append(LineSeries(places, heights, f"{by} {_text(group)}"))
    return Panel(f"{y} over {x}", x, y, lines)
