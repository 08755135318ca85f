"""Draws the tyre models of docs/vehicles.md: `python scripts/draw_tyres.py`."""

from pathlib import Path

import numpy as np

from autosim.applications.validation.chart import draw
from autosim.applications.validation.results import Chart, ChartCurve
from autosim.arrays import Floats
from autosim.kinds.actuators.tyre import Tyre
from autosim.kinds.actuators.tyre_file import read_tyre_file
from autosim.vehicle.tyres.tyre_models import tyre_forces, tyre_table

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "vehicles"

NOMINAL = 4000.0
"""Load [N] of the curves that have one: about a quarter of a car of 1600 kg."""


def tyres() -> dict[str, Tyre]:
    """One of each model, by the label of its curve."""
    file = read_tyre_file((ROOT / "robots" / "tyres" / "passenger.tir").read_bytes())
    magic = Tyre(file.model, coefficients=tuple(file.coefficients.items()))
    return {
        "standard": Tyre("standard"),
        "linear": Tyre("linear"),
        "brush": Tyre("brush"),
        "passenger.tir": magic,
    }


def forces(tyre: Tyre, slips: Floats, tangents: Floats, *, load: float = NOMINAL) -> Floats:
    """Forces (n, 2) [N] along and across."""
    _, table = tyre_table([tyre], [0.316])
    numbers = table.models, table.peaks, table.numbers
    pairs = zip(slips.tolist(), tangents.tolist(), strict=True)
    return np.array([tyre_forces(*numbers, 0, s, t, load, 0.0, 1.0) for s, t in pairs])


def charts() -> list[Chart]:
    """The charts, called as their files."""
    slips, none = np.linspace(-0.4, 0.4, 321), np.zeros(321)
    angles = np.linspace(-15.0, 15.0, 321)
    tangents = np.tan(np.radians(angles))
    models = tyres()
    along = [ChartCurve(n, slips, forces(t, slips, none)[:, 0] / 1e3) for n, t in models.items()]
    across = [
        ChartCurve(n, angles, forces(t, none, tangents)[:, 1] / 1e3) for n, t in models.items()
    ]
    magic = models["passenger.tir"]
    loads = [
        ChartCurve(
            f"{load / 1e3:g} kN", angles, forces(magic, none, tangents, load=load)[:, 1] / load
        )
        for load in (2000.0, 4000.0, 6000.0, 8000.0)
    ]
    combined = []
    for degrees in (2.0, 5.0, 10.0):
        both = forces(magic, slips, np.full(321, -np.tan(np.radians(degrees))))
        combined.append(ChartCurve(f"slip angle {degrees:g}°", both[:, 0] / 1e3, both[:, 1] / 1e3))
    load = f"load {NOMINAL / 1e3:g} kN"
    titles = {
        "along": (f"Force along the wheel, {load}", "slip ratio", "force [kN]", along),
        "across": (f"Force across the wheel, {load}", "slip angle [°]", "force [kN]", across),
        "loads": ("passenger.tir by load", "slip angle [°]", "force / load", loads),
        "combined": (
            f"passenger.tir, {load}, slip ratio -0.4 to 0.4",
            "force along [kN]",
            "force across [kN]",
            combined,
        ),
    }
    return [Chart(name, *texts, tuple(curves)) for name, (*texts, curves) in titles.items()]


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for chart in charts():
        (OUT / f"{chart.name}.svg").write_text(draw(chart), encoding="utf-8")
