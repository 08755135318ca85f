"""Chooses the houses and their places, in rounds.

In each round, every row is filled on its own. Then all proposals are compared at once, and of two
that are too close the earlier one stays. The next round fills the gaps between the houses that
stayed.

Along a straight street the free space between two houses of a row is exactly the requested one:
houses lie between the stations there. Along a bend they lie at stations, because boxes that turn
against each other come closer on one side; each is as near to the one before as the stations allow.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import House
from autosim.tools.osm_manipulator.fitting import (
    PLACE_ROUNDING,
    Candidates,
    box_corners,
    is_apart,
    outlines,
)
from autosim.tools.osm_manipulator.furnish_options import Progress
from autosim.tools.osm_manipulator.house_rows import STATION_SPACING, HouseRows
from autosim.tools.osm_manipulator.survey import Shapes

_GAP_TOLERANCE = 1e-3
"""Permitted error [m] of the free space between two houses."""

_WHOLE = 1e-6
"""A place that is this little [stations] above a station is at the station."""

_STRAIGHT_ANGLE = 5e-5
"""Largest change of direction [rad] along a straight row: over 20 m, which is half the depth of a
large house, it moves a corner by `_GAP_TOLERANCE`."""


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
    """Proposed houses: their places (n,) [stations], also between two, and kinds (n,)."""

    stations: Floats
    kinds: Integers

    def chosen(self, is_chosen: Booleans) -> "_Proposals":
        return _Proposals(self.stations[is_chosen], self.kinds[is_chosen])


def place_houses(
    rows: HouseRows, candidates: Candidates, *, between: float, seed: int, progress: Progress
) -> list[PlacedHouse]:
    """New houses along rows, clear of each other, in the order of the rows.

    Args:
        rows: stations beside streets.
        candidates: the places where each kind fits; this changes `fits`.
        between: free space between two houses [m]: exact where a row is straight, else the least.
        seed: of the choice among kinds; the same seed gives the same houses.
        progress: called from 0 to 1.
    """
    generator = np.random.default_rng(seed)
    between = max(between, _GAP_TOLERANCE)  # houses that touch are in conflict
    least = between - _GAP_TOLERANCE
    settled: list[_Proposals] = []
    is_open = np.arange(len(rows))
    while len(is_open):
        share = 1.0 - len(is_open) / len(rows)
        progress(f"set {sum(len(each.stations) for each in settled)} houses", share)
        proposals = _propose(rows, is_open, candidates, between, generator)
        shapes = _outlines(candidates, proposals)
        stays = _without_conflicts(shapes, least)
        settled.append(proposals.chosen(stays))
        lost = proposals.stations[~stays]
        is_open = np.unique(np.searchsorted(rows.starts, lost, side="right") - 1)
        _block(candidates, rows, is_open, shapes[stays], least)
    return _placed(candidates, settled)


def _propose(
    rows: HouseRows,
    is_open: Integers,
    candidates: Candidates,
    between: float,
    generator: np.random.Generator,
) -> _Proposals:
    found: list[tuple[float, int]] = []
    for row in is_open.tolist():
        start, end = int(rows.starts[row]), int(rows.starts[row + 1])
        filling = _RowFilling(rows, candidates, slice(start, end), between)
        found += [(start + place, kind) for place, kind in filling.houses(generator)]
    places, kinds = zip(*found, strict=True) if found else ((), ())
    return _Proposals(np.array(places, dtype=np.float64), np.array(kinds, dtype=np.int64))


class _RowFilling:
    """Fills one row with houses from its beginning.

    Places are numbers of stations of this row, with fractions between two stations.
    """

    def __init__(
        self, rows: HouseRows, candidates: Candidates, part: slice, between: float
    ) -> None:
        self._candidates, self._start = candidates, part.start
        self._edges, self._outwards = rows.edges[part], rows.outwards[part]
        self._fits = candidates.fits[part]
        self._following = _next_fits(self._fits)
        self._half_widths = 0.5 * np.array([house.size[0] for house in candidates.houses])
        self._between = between

    def houses(self, generator: np.random.Generator) -> list[tuple[float, int]]:
        """The houses (place, kind): each kind drawn among those that waste the least ground."""
        count = len(self._fits)
        found: list[tuple[float, int]] = []
        free_from = -float(self._half_widths.max())
        while True:
            wanted = (free_from + self._half_widths) / STATION_SPACING
            places = self._first_places(wanted, found[-1] if found else None)
            waste = (places - wanted) * STATION_SPACING
            waste[places == count] = np.inf
            if not np.isfinite(waste).any():
                return found
            kind = int(generator.choice(np.flatnonzero(waste < waste.min() + STATION_SPACING)))
            found.append((float(places[kind]), kind))
            end = places[kind] * STATION_SPACING + self._half_widths[kind]
            free_from = float(end + self._between)

    def _first_places(self, wanted: Floats, previous: tuple[float, int] | None) -> Floats:
        """The first place (kinds,) of each kind at or after a wanted one; else the row's length.

        That is the wanted place itself if the row is straight since the previous house and the kind
        fits at the stations before and after it; else the first station that is far enough from the
        previous house.
        """
        count = len(self._fits)
        spare = PLACE_ROUNDING / STATION_SPACING if previous is not None else 0.0
        first = np.clip(np.ceil(wanted + spare - _WHOLE), 0, count).astype(np.int64)
        places = self._following[first, np.arange(len(wanted))].astype(np.float64)
        if previous is None:
            return places
        neighbour = self._outline(*previous)
        for kind, place in enumerate(wanted.tolist()):
            before, after = math.floor(place), math.ceil(place)
            if (
                before >= 0
                and after < count
                and self._fits[[before, after], kind].all()
                and self._is_straight(math.floor(previous[0]), after)
            ):
                places[kind] = place
            else:
                places[kind] = self._first_apart(neighbour, int(places[kind]), kind)
        return places

    def _first_apart(self, neighbour: shapely.Polygon, station: int, kind: int) -> int:
        """The first station, around one, at which a kind fits and is apart from its neighbour.

        The inside of a bend needs more of the row than a straight street does, the outside less.
        """
        count = len(self._fits)
        while station < count and not self._is_apart(neighbour, station, kind):
            station = int(self._following[station + 1, kind])
        while (
            0 < station < count
            and self._fits[station - 1, kind]
            and self._is_apart(neighbour, station - 1, kind)
        ):
            station -= 1
        return station

    def _is_apart(self, neighbour: shapely.Polygon, station: int, kind: int) -> bool:
        return bool(self._outline(station, kind).distance(neighbour) >= self._between)

    def _outline(self, place: float, kind: int) -> shapely.Polygon:
        where = np.array([self._start + place], dtype=np.float64)
        centres, yaws = self._candidates.between_stations(where, kind)
        outline: shapely.Polygon = outlines(
            box_corners(centres, yaws, self._candidates.houses[kind])
        )[0]
        return outline

    def _is_straight(self, first: int, last: int) -> bool:
        """Whether the row keeps its direction and its length between two stations."""
        (ax, ay), (bx, by) = self._outwards[first], self._outwards[last]
        length = portable.length(self._edges[last] - self._edges[first])
        return (
            abs(ax * by - ay * bx) < _STRAIGHT_ANGLE
            and ax * bx + ay * by > 0.0
            and abs(length - (last - first) * STATION_SPACING) < 0.1 * _GAP_TOLERANCE
        )


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
        centres, yaws = candidates.between_stations(proposals.stations[chosen], kind)
        corners = box_corners(centres, yaws, candidates.houses[kind])
        shapes[chosen] = outlines(corners)
    return shapes


def _without_conflicts(shapes: Shapes, gap: float) -> Booleans:
    """Mask of shapes that stay if, of two closer than `gap` [m], the earlier one stays."""
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
    rows: HouseRows,
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
    stations = np.concatenate([each.stations for each in settled] or [np.zeros(0)])
    kinds = np.concatenate([each.kinds for each in settled] or [np.zeros(0, np.int64)])
    order = np.argsort(stations, kind="stable")
    found: list[PlacedHouse] = []
    for place, kind in zip(stations[order].tolist(), kinds[order].tolist(), strict=True):
        centres, yaws = candidates.between_stations(np.array([place]), kind)
        centre = (float(centres[0, 0]), float(centres[0, 1]))
        found.append(PlacedHouse(candidates.houses[kind], centre, float(yaws[0])))
    return found
