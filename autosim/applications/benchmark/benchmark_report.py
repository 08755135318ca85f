"""The report of a benchmark: one HTML page without anything else."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from autosim.applications.benchmark.benchmark_results import (
    BenchmarkResults,
    EpisodeScores,
    InfractionResult,
    MeanScores,
)
from autosim.applications.common.files import write_whole
from autosim.applications.sweeps.episodes import TRACE
from autosim.applications.sweeps.folder import SweepFolder
from autosim.arrays import Floats
from autosim.benchmark.trace import Trace

REPORT = "report.html"
"""Name of the report in the folder of a benchmark."""

_SIZE = 260
"""Width and height [px] of the plan of an episode."""

_MARGIN = 15.0
"""Margin [m] of a plan around the driven path."""

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;
color:#1b1f24;background:#fff}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;text-align:right;
border-bottom:1px solid #d7dce2}td:first-child,th:first-child{text-align:left}
.bar{background:#e6eaef;height:.6rem;width:8rem;display:inline-block;margin-right:.5rem}
.bar i{display:block;height:100%;background:#1f6feb}.big{font-size:2rem;font-weight:600}
.cards{display:flex;gap:2.5rem;flex-wrap:wrap;margin:1rem 0}.small{color:#57606a;font-size:.85rem}
details{margin:.6rem 0;border:1px solid #d7dce2;border-radius:6px;padding:.4rem .8rem}
.row{display:flex;gap:1.5rem;flex-wrap:wrap}svg{background:#f6f8fa;border-radius:4px}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}
td,th,details{border-color:#30363d}.bar{background:#30363d}svg{background:#161b22}
.small{color:#9198a1}}
"""


def write_report(folder: SweepFolder, results: BenchmarkResults) -> Path:
    """Writes the report of a benchmark's folder; returns its path.

    Raises:
        UserError: it cannot be written.
    """
    title = escape(f"{results['agent']} on {results['suite']}")
    body = "\n".join(
        [
            f"<h1>{title}</h1>",
            _overview(results),
            "<h2>Splits</h2>",
            _splits(results["splits"]),
            "<h2>Episodes</h2>",
            *[_episode(folder, each) for each in results["episodes"]],
            "<h2>Versions</h2>",
            _versions(results["versions"]),
            f'<script type="application/json" id="results">{_embedded(results)}</script>',
        ]
    )
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style><body>{body}</body></html>\n"
    )
    file = folder.path / REPORT
    write_whole(file, page.encode())
    return file


def _embedded(results: BenchmarkResults) -> str:
    return json.dumps(results).replace("</", "<\\/")


def _overview(results: BenchmarkResults) -> str:
    scores = results["scores"]
    cards = "".join(
        f'<div><div class="big">{value:.1f}</div>{text}</div>'
        for value, text in (
            (scores["driving_score"], "driving score (CARLA)"),
            (scores["route_completion"], "route completion [%]"),
            (scores["closed_loop_score"], "closed-loop score (nuPlan)"),
        )
    )
    rates = scores["infractions_per_km"]
    rows = "".join(
        f"<tr><td>{escape(kind)}</td><td>{'' if rate is None else f'{rate:.2f}'}</td></tr>"
        for kind, rate in rates.items()
    )
    return (
        f'<p class="small">{results["done"]} of {results["planned"]} episodes</p>'
        f'<div class="cards">{cards}</div>'
        f"<table><tr><th>infraction</th><th>per km</th></tr>{rows}</table>"
    )


def _splits(splits: Mapping[str, MeanScores]) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{each['episodes']}</td>"
        f"<td>{_bar(each['driving_score'])}</td><td>{_bar(each['closed_loop_score'])}</td></tr>"
        for name, each in splits.items()
    )
    head = "<tr><th>split</th><th>episodes</th><th>driving</th><th>closed loop</th></tr>"
    return f"<table>{head}{rows}</table>"


def _bar(score: float) -> str:
    return f'<span class="bar"><i style="width:{score:.1f}%"></i></span>{score:.1f}'


def _versions(versions: Mapping[str, str]) -> str:
    rows = (f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in versions.items())
    return f"<table>{''.join(rows)}</table>"


def _episode(folder: SweepFolder, episode: EpisodeScores) -> str:
    driving, closed = episode["driving_score"], episode["closed_loop_score"]
    infractions: Sequence[InfractionResult] = episode["infractions"]
    terms = "".join(
        f"<tr><td>{escape(name.replace('_', ' '))}</td><td>{value:.2f}</td></tr>"
        for name, value in closed.items()
        if name != "score"
    )
    listed = "".join(
        f"<tr><td>{escape(each['kind'])}</td><td>{each['time']:.2f} s</td>"
        f"<td>{each['x']:.1f}, {each['y']:.1f}</td><td>{escape(each['text'])}</td></tr>"
        for each in infractions
    )
    head = (
        f"{escape(episode['group'])}/{episode['route']} seed {episode['seed']}: "
        f"driving {driving['score']:.1f}, closed loop {closed['score']:.1f}, "
        f"{escape(episode['ended_by'])}, {len(infractions)} infractions"
    )
    failure = f"<p>{escape(episode['failure'])}</p>" if episode["failure"] else ""
    plan = _plan(folder.run(episode["id"]).path / TRACE, infractions)
    return (
        f"<details><summary>{head}</summary>{failure}<div class='row'>{plan}"
        f"<table style='width:auto'>{terms}</table></div>"
        f"<table>{listed}</table><p class='small'>digest {escape(episode['digest'])}</p></details>"
    )


def _plan(file: Path, infractions: Sequence[InfractionResult]) -> str:
    """The driven path as a drawing, with a mark at each infraction."""
    try:
        path: Floats = Trace.load(file).car[:, :2]
    except (OSError, ValueError, KeyError):
        return ""
    low = path.min(axis=0) - _MARGIN
    scale = _SIZE / float((path.max(axis=0) + _MARGIN - low).max())

    def place(point: Floats) -> tuple[float, float]:
        x, y = ((point - low) * scale).tolist()
        return x, _SIZE - y

    line = " ".join("{:.1f},{:.1f}".format(*place(each)) for each in path[::5])
    marks = "".join(_mark(*place(np.array([each["x"], each["y"]])), each) for each in infractions)
    x, y = place(path[0])
    start = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#1a7f37"><title>start</title></circle>'
    return (
        f'<svg width="{_SIZE}" height="{_SIZE}" role="img"><title>path</title>'
        f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/>'
        f"{start}{marks}</svg>"
    )


def _mark(x: float, y: float, infraction: InfractionResult) -> str:
    """A dot in a plan, whose title states the infraction."""
    title = escape(f"{infraction['kind']}: {infraction['text']}")
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#d1242f"><title>{title}</title></circle>'
