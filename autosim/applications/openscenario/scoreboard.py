"""A table of how all OpenSCENARIO files of a folder ran: Markdown, JSON and HTML."""

import html
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.openscenario.scenario_trial import (
    COMPLETED,
    REFUSED,
    STOPPED,
    TIMED_OUT,
    UNREADABLE,
    ScenarioTrial,
    TrialOptions,
    try_scenario,
)
from autosim.config.diagnostics import ConfigError
from autosim.errors import UserError
from autosim.openscenario.dsl.dsl_reader import is_library
from autosim.openscenario.dsl.file_names import is_dsl
from autosim.openscenario.reading.scenario_reader import is_scenario, read_root

_COLUMNS = ("file", "outcome", "element and line", "collisions", "duration [s]", "digest")


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The trials of a folder.

    `others` counts files that hold no scenario: catalogs, distributions of parameters, libraries.
    """

    folder: Path
    trials: tuple[ScenarioTrial, ...]
    others: int

    def summary(self) -> str:
        """The counts of outcomes in one line."""
        counts = Counter(each.outcome for each in self.trials)
        order = (STOPPED, COMPLETED, TIMED_OUT, REFUSED, UNREADABLE)
        parts = [f"{counts[each]} {each}" for each in order if counts[each]]
        rest = f"; {self.others} catalogs, distributions and libraries" if self.others else ""
        return f"{len(self.trials)} scenarios: {', '.join(parts)}{rest}"

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of the table."""
        for each in self.trials:
            first = next(iter(each.refusals), None)
            where = f"{first.title}, line {first.line}" if first else each.reason
            yield (
                each.path.relative_to(self.folder).as_posix(),
                each.outcome,
                where,
                str(len(each.collisions)),
                f"{each.duration:.2f}",
                each.digest,
            )


def make_scoreboard(
    folder: Path, options: TrialOptions, show: Callable[[ScenarioTrial], None]
) -> Scoreboard:
    """Runs all scenarios of a folder and those in it, in the order of their names.

    Raises:
        UserError: the folder holds no OpenSCENARIO file.
    """
    found = (*folder.rglob("*.xosc"), *folder.rglob("*.osc"))
    paths = sorted(each for each in found if each.is_file())
    if not paths:
        raise UserError(f"{folder}: holds no .xosc or .osc file")
    options = replace(options, search=folder)
    trials, others = [], 0
    for path in paths:
        try:
            is_other = is_library(path) if is_dsl(path) else not is_scenario(read_root(path))
        except ConfigError:
            is_other = False
        if is_other:
            others += 1
            continue
        trial = try_scenario(path, options)
        show(trial)
        trials.append(trial)
    return Scoreboard(folder, tuple(trials), others)


def write_scoreboard(board: Scoreboard, out: Path) -> tuple[Path, ...]:
    """Writes scoreboard.md, scoreboard.json and scoreboard.html to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    files = {
        "scoreboard.md": as_markdown(board),
        "scoreboard.json": as_json(board),
        "scoreboard.html": as_html(board),
    }
    for name, text in files.items():
        write_whole(out / name, text.encode())
    return tuple(out / name for name in files)


def as_markdown(board: Scoreboard) -> str:
    """The table in Markdown."""
    lines = [board.summary(), "", f"| {' | '.join(_COLUMNS)} |", "|---|---|---|--:|--:|---|"]
    for row in board.rows():
        cells = [each.replace("|", "\\|").replace("<", "&lt;") for each in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def as_html(board: Scoreboard) -> str:
    """The table as a page that needs no other file."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in _COLUMNS)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(each)}</td>' for each in row)}</tr>\n"
        for row in board.rows()
    )
    style = (
        "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
        "td,th{border:1px solid #bbb;padding:2px 8px;text-align:left}"
    )
    return (
        f'<!doctype html><meta charset="utf-8"><title>OpenSCENARIO</title><style>{style}</style>'
        f"<p>{html.escape(board.summary())}</p><table><tr>{head}</tr>\n{body}</table>\n"
    )


def as_json(board: Scoreboard) -> str:
    """The table with all refusals and collisions."""
    trials = [
        {
            "file": each.path.relative_to(board.folder).as_posix(),
            "outcome": each.outcome,
            "reason": each.reason,
            "refusals": [
                {
                    "file": str(refusal.file),
                    "line": refusal.line,
                    "element": refusal.element,
                    "reason": refusal.reason,
                }
                for refusal in each.refusals
            ],
            "collisions": each.collisions,
            "seconds": each.duration,
            "digest": each.digest,
            "entities": each.entities,
            "notes": each.notes,
        }
        for each in board.trials
    ]
    return json.dumps({"summary": board.summary(), "scenarios": trials}, indent=1) + "\n"
