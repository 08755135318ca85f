"""Drawing and looking up curvilinear tables, against the memory that both have to touch.

To draw a table means to fill its texels; to look a place up, to read four of them. So the limits
are filling the same memory by NumPy, and reading four texels at the same places and adding them up.
With Panda3D, OpenGL draws the same tables (in software where there is no graphics card).
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.jit import compiled
from autosim.tracks.curve import Curve
from autosim.tracks.curvilinear_table import CurvilinearTable
from autosim.tracks.rasteriser import draw
from autosim.tracks.ribbon import ribbon_of

SIZE = 512
POINTS = 200
PLACES = 200_000
DRAW_GOAL, LOOK_UP_GOAL = 5.0, 20.0  # ms, ns


def curves() -> dict[str, tuple[Curve, float]]:
    """Curves of 200 points half a metre apart, each with a width [m]."""
    stations = np.arange(POINTS) * 0.5
    bends = np.cumsum(0.12 * np.sin(stations / 9.0))
    steps = 0.5 * np.column_stack([np.cos(bends), np.sin(bends)])
    angles = np.linspace(0.0, 2.0 * np.pi, POINTS, endpoint=False)
    ring = np.column_stack([18.0 * np.cos(angles), 14.0 * np.sin(angles)])
    rows = [np.column_stack([np.arange(40) * 0.5, np.full(40, 4.0 * row)]) for row in range(5)]
    snake = np.vstack([each[::-1] if row % 2 else each for row, each in enumerate(rows)])
    return {
        "winding, 5 m": (Curve.through(np.cumsum(steps, axis=0)), 5.0),
        "ring, 5 m": (Curve.through(ring, is_closed=True), 5.0),
        "snake, 16 m": (Curve.through(snake), 16.0),
    }


def best(call: Callable[[], object], repeats: int = 15) -> float:
    """Shortest time [s] of several calls."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


@compiled
def read_four(values: Floats32, rows: Integers, columns: Integers, found: Floats) -> None:
    for k in range(len(rows)):
        i, j = rows[k], columns[k]
        found[k] = values[i, j, 0] + values[i, j + 1, 0] + values[i + 1, j, 0]
        found[k] += values[i + 1, j + 1, 0]


def show_drawing() -> None:
    values = np.empty((SIZE, SIZE, 5), dtype=np.float32)
    fill = best(lambda: values.fill(0.0))
    print(f"Drawing {SIZE}² from {POINTS} points; the limit, filling it: {1e3 * fill:.2f} ms")
    print(f"{'curve':14} {'covered':>8} {'whole ms':>9} {'draw ms':>8} {'draw:fill':>10}")
    for name, (curve, width) in curves().items():
        table = CurvilinearTable.of(curve, width=width, size=SIZE)
        whole = best(lambda c=curve, w=width: CurvilinearTable.of(c, width=w, size=SIZE))
        ribbon = ribbon_of(curve, width=width, extension=2.0**0.5 * width)
        alone = best(lambda r=ribbon, s=table.square: draw(r, s, values))
        covered = np.mean(table.values[..., 4] > 0.0)
        print(
            f"{name:14} {covered:8.0%} {1e3 * whole:9.2f} {1e3 * alone:8.2f} {alone / fill:10.1f}"
            f"   (goal: whole in {DRAW_GOAL:g} ms)"
        )


def show_opengl() -> None:
    try:
        from autosim.client.panda.renderer import open_renderer
        from autosim.client.panda.table_renderer import TableRenderer
    except ImportError:
        print("OpenGL: Panda3D is not installed")
        return
    opened = open_renderer("p3headlessgl")
    renderer = TableRenderer(opened, SIZE)
    for name, (curve, width) in curves().items():
        ours = best(lambda c=curve, w=width: CurvilinearTable.of(c, width=w))
        theirs = best(lambda c=curve, w=width: CurvilinearTable.of(c, width=w, draw=renderer.draw))
        print(f"{name:14} {1e3 * theirs:9.2f} ms, {theirs / ours:.1f} times the rasteriser's")
    print(f"  with {opened.name}")
    renderer.close()


def show_looking_up() -> None:
    random = np.random.default_rng(0)
    print(f"Looking up {PLACES} places, ns each; the limit: reading four texels")
    for name, (curve, width) in curves().items():
        table = CurvilinearTable.of(curve, width=width, size=SIZE)
        low, high = curve.points.min(axis=0), curve.points.max(axis=0)
        anywhere = random.uniform(low, high, (PLACES, 2))
        station = np.linspace(0.0, 0.99 * curve.length, PLACES)
        along = np.column_stack(
            [
                np.interp(station, curve.distances[: len(curve.points)], curve.points[:, k])
                for k in (0, 1)
            ]
        )
        for what, places in (("anywhere", anywhere), ("along it", along)):
            x, y = np.ascontiguousarray(places.T)
            rows, columns = (
                np.clip((a - b) * table.square.per_metre - 0.5, 0, SIZE - 2).astype(np.int64)
                for a, b in ((y, table.square.south), (x, table.square.west))
            )
            found = np.empty(PLACES)
            limit = best(lambda t=table, r=rows, c=columns, f=found: read_four(t.values, r, c, f))
            taken = best(lambda t=table, x=x, y=y: t.look_up(x, y))
            print(
                f"{name:14} {what:9} {1e9 * taken / PLACES:7.1f} {1e9 * limit / PLACES:7.1f}"
                f"  {taken / limit:.1f} times the limit (goal: {LOOK_UP_GOAL:g} ns)"
            )


def main() -> None:
    show_drawing()
    show_opengl()
    show_looking_up()


if __name__ == "__main__":
    sys.exit(main())
