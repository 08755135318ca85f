"""Chooses the houses and their places, in rounds.

In each round, every row is filled on its own. Then all proposals are compared at once, and of two
that are too close the earlier one stays. The next round fills the gaps between the houses that
stayed.
"""

from dataclasses import dataclass, replace

import numpy as np
import shapely

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import House
from autosim.tools.osm_manipulator.fitting import (
    PLACE_ROUNDING,
    Candidates,
    box_corners,
    is_apart,
)
from autosim.tools.osm_manipulator.options import Progress
from autosim.tools.osm_manipulator.rows import STATION_SPACING, Rows
from autosim.tools.osm_manipulator.survey import Shapes

_HAIR = 1e-3  # [m] more than rounding moves the houses of a straight row


@dataclass(frozen=True, slots=True)
class PlacedHouse:
    """A house on the map: its `centre` [m] in W and the `yaw` [rad] of its front.

    `node` is the id of the node that places it in the map, None for a new house.
    """

    house: House
    centre: tuple[float, float]
    yaw: float
    node: int | None = None

    def moved(self, centre: tuple[float, float], yaw: float) -> "PlacedHouse":
        """The same house at another place, as a new one."""
        return replace(self, centre=centre, yaw=yaw, node=None)

    @property
    def corners(self) -> Floats:
        """Its corners (4, 2) [m] in W, counter-clockwise."""
        corners: Floats = box_corners(np.array([self.centre]), np.array([self.yaw]), self.house)[0]
        return corners


@dataclass(frozen=True, slots=True)
class _Proposals:
    """Proposed houses: their stations (n,) and kinds (n,)."""

    stations: Integers
    kinds: Integers

    def chosen(self, is_chosen: Booleans) -> "_Proposals":
        return _Proposals(self.stations[is_chosen], self.kinds[is_chosen])


def place_houses(
    rows: Rows, candidates: Candidates, *, between: float, seed: int, progress: Progress
) -> list[PlacedHouse]:
    """New houses along rows, clear of each other, in the order of the rows.

    Args:
        rows: stations beside streets.
        candidates: the places where each kind fits; this changes `fits`.
        between: least free space between two houses [m].
        seed: of the choice among kinds; the same seed gives the same houses.
        progress: called from 0 to 1.
    """
    generator = np.random.default_rng(seed)
    gap = between + PLACE_ROUNDING
    settled: list[_Proposals] = []
    is_open = np.arange(len(rows))
    while len(is_open):
        share = 1.0 - len(is_open) / len(rows)
        progress(f"set {sum(len(each.stations) for each in settled)} houses", share)
        proposals = _propose(rows, is_open, candidates, gap, generator)
        shapes = _outlines(candidates, proposals)
        stays = _without_conflicts(shapes, gap)
        settled.append(proposals.chosen(stays))
        lost = proposals.stations[~stays]
        is_open = np.unique(np.searchsorted(rows.starts, lost, side="right") - 1)
        _block(candidates, rows, is_open, shapes[stays], gap)
    return _placed(candidates, settled)


def _propose(
    rows: Rows,
    is_open: Integers,
    candidates: Candidates,
    gap: float,
    generator: np.random.Generator,
) -> _Proposals:
    widths = np.array([house.size[0] for house in candidates.houses])
    found: list[tuple[int, int]] = []
    for row in is_open.tolist():
        start, end = int(rows.starts[row]), int(rows.starts[row + 1])
        fits = candidates.fits[start:end]
        found += [(start + s, kind) for s, kind in _fill(fits, widths, gap, generator)]
    both = np.array(found, dtype=np.int64).reshape(-1, 2)
    return _Proposals(both[:, 0], both[:, 1])


def _fill(
    fits: Booleans, widths: Floats, gap: float, generator: np.random.Generator
) -> list[tuple[int, int]]:
    """Fills one row with houses (station, kind) from its beginning.

    Each house is drawn at random among the kinds that waste the least ground.
    """
    following = _next_fits(fits)
    houses: list[tuple[int, int]] = []
    free_from = -float(widths.max()) / 2.0
    while True:
        wanted = np.ceil((free_from + widths / 2.0) / STATION_SPACING - 1e-6)
        first = np.clip(wanted.astype(np.int64), 0, len(fits))
        stations = following[first, np.arange(len(widths))]
        waste = stations * STATION_SPACING - widths / 2.0 - free_from
        waste[stations == len(fits)] = np.inf
        if not np.isfinite(waste).any():
            return houses
        kind = int(generator.choice(np.flatnonzero(waste < waste.min() + STATION_SPACING)))
        houses.append((int(stations[kind]), kind))
        free_from = float(stations[kind] * STATION_SPACING + widths[kind] / 2.0 + gap + _HAIR)


def _next_fits(fits: Booleans) -> Integers:
    """For each station (n + 1) and kind the first station from there at which it fits, else n."""
    count = len(fits)
    numbers = np.where(fits, np.arange(count)[:, None], count)
    numbers = np.vstack([numbers, np.full((1, fits.shape[1]), count)])
    return np.asarray(np.minimum.accumulate(numbers[::-1], axis=0)[::-1], dtype=np.int64)


def _outlines(candidates: Candidates, proposals: _Proposals) -> Shapes:
    shapes = np.empty(len(proposals.stations), dtype=object)
    for kind in np.unique(proposals.kinds).tolist():
        chosen = proposals.kinds == kind
        shapes[chosen] = candidates.outlines(proposals.stations[chosen], kind)
    return shapes


def _without_conflicts(shapes: Shapes, gap: float) -> Booleans:
    """Which shapes stay if, of two that are closer than `gap` [m], the earlier one stays."""
    first, second = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=gap)
    is_pair = first < second
    first, second = first[is_pair], second[is_pair]
    order = np.lexsort((second, first))
    stays = np.ones(len(shapes), dtype=bool)
    for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if stays[a]:
            stays[b] = False
    return stays


def _block(
    candidates: Candidates,
    rows: Rows,
    is_open: Integers,
    taken: Shapes,
    gap: float,
) -> None:
    """Removes stations that are too close to new houses from the open rows."""
    if not len(is_open):
        return
    stations = np.concatenate([np.arange(rows.starts[k], rows.starts[k + 1]) for k in is_open])
    for kind in range(len(candidates.houses)):
        fitting = stations[candidates.fits[stations, kind]]
        candidates.fits[fitting, kind] = is_apart(candidates.outlines(fitting, kind), taken, gap)


def _placed(candidates: Candidates, settled: list[_Proposals]) -> list[PlacedHouse]:
    stations = np.concatenate([each.stations for each in settled] or [np.zeros(0, np.int64)])
    kinds = np.concatenate([each.kinds for each in settled] or [np.zeros(0, np.int64)])
    order = np.argsort(stations, kind="stable")
    return [
        PlacedHouse(
            candidates.houses[kind],
            (float(candidates.centres[s, kind, 0]), float(candidates.centres[s, kind, 1])),
            float(candidates.yaws[s]),
        )
        for s, kind in zip(stations[order].tolist(), kinds[order].tolist(), strict=True)
    ]
