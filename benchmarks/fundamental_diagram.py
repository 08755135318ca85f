"""The macroscopic fundamental diagram of towns, by AutoSim and by SUMO: flow by density.

    python benchmarks/fundamental_diagram.py EXTRACT... [--densities 1 3 6] [--svg FILE]

Needs the extra `sumo`. Both engines have the same lanes, signals, destinations and costs of ways,
and the same constant number of vehicles; SUMO drives in its usual steps of 1 s. Flow is the density
times the mean speed. Each figure is the mean over `--seeds` runs. Vehicles that overlap are
counted: those of SUMO do, where signals within a junction have no effect on them. With `--svg` the
diagram is drawn, a panel for each town, and written after each town.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from hour_of_traffic import traffic_in

from autosim.applications.common.open_worlds import open_named_world
from autosim.charts import LineSeries, Panel, draw_sheet
from autosim.world.pipeline.cache import compile_world

HERTZ = {"autosim": 20.0, "sumo": 1.0}
"""Steps a second: as often as drivers decide, and SUMO's default."""

ENGINES: tuple[Literal["autosim", "sumo"], ...] = ("autosim", "sumo")
NAMES = {"autosim": "AutoSim", "sumo": "SUMO"}


def lane_kilometres(extract: str) -> float:
    """Length [km] of all lanes of a town but those through junctions."""
    roads = compile_world(open_named_world(extract).terrain).roads
    return float(roads.lengths()[~roads.connectors].sum()) / 1000.0


class Flow(NamedTuple):
    """Vehicles per kilometre of lane, vehicles per hour and lane, and collisions of a run."""

    density: float
    flow: float
    collisions: float


def flow_of(
    extract: str,
    count: int,
    engine: Literal["autosim", "sumo"],
    asked: argparse.Namespace,
    seed: int,
) -> Flow:
    """Runs a town with a constant number of vehicles."""
    hertz = HERTZ[engine]
    traffic, signals, arrays = traffic_in(
        *(extract, count, 0, 0.0), hertz=hertz, seed=seed, engine=engine
    )
    rows, numbers, speeds = traffic.vehicles.rows, [], []
    for step in range(round(asked.minutes * 60.0 * hertz)):
        signals.advance(step + 1)
        traffic.advance(step)
        if step >= asked.settle * hertz and step % hertz == 0.0:
            active = rows["active"]
            numbers.append(np.count_nonzero(active))
            speeds.append(rows["speed"][active].sum())
    kilometres = lane_kilometres(extract)
    return Flow(
        float(np.mean(numbers)) / kilometres,
        3.6 * float(np.mean(speeds)) / kilometres,
        float(arrays.counters[0]),
    )


def panel(extract: str, asked: argparse.Namespace) -> Panel:
    """Measures a town by both engines."""
    lines, kilometres = [], lane_kilometres(extract)
    name = Path(extract).name.split(".")[0]
    for engine in ENGINES:
        found = [Flow(0.0, 0.0, 0.0)]
        for density in asked.densities:
            count = max(round(density * kilometres), 1)
            runs = [flow_of(extract, count, engine, asked, seed) for seed in range(asked.seeds)]
            found.append(Flow(*np.mean(runs, axis=0).tolist()))
            flows = " ".join(f"{each.flow:.0f}" for each in runs)
            print(
                f"{name} {engine}: {found[-1].density:.2f} veh/km, {found[-1].flow:.1f} veh/h "
                f"({flows}), {found[-1].collisions:.0f} collisions",
                flush=True,
            )
        x, y, _ = np.array(found).T
        lines.append(LineSeries(x, y, NAMES[engine]))
    return Panel(name, "vehicles per kilometre of lane", "vehicles per hour and lane", lines)


def arguments_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extracts", nargs="+")
    parser.add_argument("--densities", type=float, nargs="+", default=[1.0, 3.0, 6.0])
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--settle", type=float, default=90.0, help="seconds before the samples")
    parser.add_argument("--seeds", type=int, default=2, help="number of runs for each figure")
    parser.add_argument("--svg", type=Path, help="file for the diagram")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    asked = arguments_parser().parse_args(arguments)
    panels: list[Panel] = []
    for each in asked.extracts:
        panels.append(panel(each, asked))
        if asked.svg:
            asked.svg.write_text(draw_sheet(panels, columns=2, size=(460, 300)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
