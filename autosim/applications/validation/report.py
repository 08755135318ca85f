"""The page that `autosim validate` writes."""

from collections.abc import Sequence
from pathlib import Path

from autosim.applications.validation.chart import draw
from autosim.applications.validation.results import Check, Section

PAGE, PICTURES = "validation.md", "validation"
"""The page, and the folder of its charts beside it."""

HEAD = """# Validation

`autosim validate` drives `robots/bmw_320i.xml` through the manoeuvres below in the simulator's own
physics, at 240 Hz unless stated otherwise, and writes this page. The last sections are about the
default car, `robots/impreza.xml`, and all other vehicles that come with AutoSim.

`robots/bmw_320i.xml` is vehicle 2 of the [CommonRoad vehicle models](https://commonroad.in.tum.de)
with the tracks of the real car, a centre of mass as high as the mean of passenger cars has it,
anti-roll bars for a roll of 5° for each g, and tyres whose friction and stiffness fall with their
load. With the published numbers it would roll over on a dry road before its tyres slide.

KS, ST and MB are CommonRoad's kinematic single-track, single-track and multi-body models (M.
Althoff and G. Würsching, *CommonRoad: Vehicle Models*, 2020). KS and ST are AutoSim's own, which
its tests hold against CommonRoad's. MB needs CommonRoad's package; without it, the numbers that
need it are left out: `pip install commonroad-vehicle-models==3.0.2`. Two models have what the car
has, and make bands narrow. ST* is ST with the cornering stiffness that the car's axles have as load
moves across them, and with tyres whose lateral force lags their slip over 0.3 m, as the car's.
MB* is MB with the car's tracks, centre of mass and anti-roll bars, and with tyres that depend on
their load as the car's do, but without the shifts of their curves, which jump with the sign of the
camber: no Magic Formula file can hold them. The models have neither air nor rolling resistance, so
the car is compared with them without either.

The table of each manoeuvre gives numbers, the bands in which they have to lie, and what the bands
come from. What lies outside is listed first, with the reason.
"""


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Writes the page and its charts into `folder`; returns the page.

    Raises:
        OSError: it cannot be written.
    """
    pictures = folder / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    for section in sections:
        for chart in section.charts:
            (pictures / f"{chart.name}.svg").write_text(draw(chart), encoding="utf-8")
    page = folder / PAGE
    page.write_text(markdown(sections), encoding="utf-8")
    return page


def markdown(sections: Sequence[Section]) -> str:
    """The page as text."""
    lines = [HEAD, *_summary(sections), *_outside(sections)]
    for section in sections:
        lines += ["", f"## {section.title}", "", section.text, "", *_table(section)]
        for chart in section.charts:
            lines += ["", f"![{chart.title}: {chart.y_label}]({PICTURES}/{chart.name}.svg)"]
    return "\n".join([*lines, ""])


def _summary(sections: Sequence[Section]) -> list[str]:
    lines = ["| Manoeuvre | Numbers | Within their bands |", "|---|---|---|"]
    for each in sections:
        inside = sum(check.is_inside for check in each.checks)
        lines.append(f"| {each.title} | {len(each.checks)} | {inside} |")
    return lines


def _outside(sections: Sequence[Section]) -> list[str]:
    lines = ["", "## What lies outside its band", ""]
    rows = [
        f"- {section.title}, {check.what}: {_number(check.value)} {check.unit}, "
        f"band {_band(check)}. {check.why or 'No reason is known: a fault.'}"
        for section in sections
        for check in section.checks
        if not check.is_inside
    ]
    return [*lines, *(rows or ["Nothing."])]


def _table(section: Section) -> list[str]:
    lines = [f"| What | {section.car} | Unit | Band | Against | |", "|---|---|---|---|---|---|"]
    for each in section.checks:
        mark = "inside" if each.is_inside else "**outside**"
        cells = (each.what, _number(each.value), each.unit, _band(each), each.reference, mark)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _band(check: Check) -> str:
    if check.low == float("-inf"):
        return f"≤ {_number(check.high)}"
    if check.high == float("inf"):
        return f"≥ {_number(check.low)}"
    return f"{_number(check.low)} … {_number(check.high)}"


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
