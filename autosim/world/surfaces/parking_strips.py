"""Strips along streets on which cars park: bays beside the carriageway, and the pavement beyond.

Lanes stay where they are; the kerb moves outward. Strips end before junctions, crossings and bus
stops, and there the kerb comes back to the lanes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import DrivingSide
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import arc_lengths, points_at, to_left
from autosim.world.geometry.extent import Box
from autosim.world.osm.street_parking import Bays
from autosim.world.streets.street_finding import Street

_INWARD = 0.5
"""Width [m] by which a strip reaches under the lanes, so that no gap is left between them."""

_BRIDGED = 15.0
"""Length [m] of a gap between two strips up to which the pavement behind them runs straight."""

_SAME_LINE = 0.05
"""Tolerance [m] of simplifying the outline of a strip: straight ones need four corners."""

_LEAST_SINE = 0.1
"""Sine of the angle of cars with a street below which they are parallel to it."""

_FEWEST = 2
"""Number of bays of the shortest strip: for a single one no kerb is moved."""


@dataclass(frozen=True, slots=True)
class BayRows:
    """Places for bays along streets, each a quadrilateral, as arrays (n,).

    `corners` (n, 4, 2) [m]: on the edge of the carriageway along the street, then on the far side;
    `streets`, `sides` (1 left, -1 right of the axis), `numbers` in the row; `stations` [m] of the
    middle on the axis; `yaws` [rad] of cars; `angles` [rad] of cars with the street; `depths` [m].
    """

    corners: Floats
    streets: Integers
    sides: Integers
    numbers: Integers
    stations: Floats
    yaws: Floats
    angles: Floats
    depths: Floats

    def __len__(self) -> int:
        return len(self.streets)

    def select(self, chosen: npt.NDArray[np.generic]) -> "BayRows":
        """Some of the bays."""
        return BayRows(*(getattr(self, name)[chosen] for name in self.__slots__))

    def ends(self) -> Booleans:
        """Whether each bay (n,) is the first or the last of its strip."""
        found = np.zeros(len(self), dtype=np.bool_)
        for run in _runs(self, gap=0.0):
            found[[run.start, run.stop - 1]] = True
        return found

    def shapes(self) -> npt.NDArray[np.object_]:
        """The polygon (n,) of each bay."""
        return np.asarray(shapely.polygons(self.corners), dtype=np.object_)

    @property
    def edges(self) -> Floats:
        """The middle (n, 2) [m] of each bay's side at the lanes."""
        return np.asarray((self.corners[:, 0] + self.corners[:, 1]) / 2.0)

    @property
    def outwards(self) -> Floats:
        """Unit vectors (n, 2) away from the lanes."""
        across = (self.corners[:, 2] + self.corners[:, 3]) / 2.0 - self.edges
        return np.asarray(across / portable.hypot(across[:, :1], across[:, 1:]))


@dataclass(frozen=True, slots=True)
class ParkingStrips:
    """All bays along streets, with what they add to carriageways and pavements of the ground."""

    bays: BayRows
    carriageway: tuple[BaseGeometry, ...]
    """Shapes to add to carriageways, in W [m]."""
    pavement: tuple[BaseGeometry, ...]
    """Shapes to add to pavements, in W [m]."""

    def about(self, near: BaseGeometry) -> "ParkingStrips":
        """The strips that touch a shape, with all bays."""
        if not self.carriageway:
            return self
        kept = [
            tuple(shape for shape in shapes if near.intersects(shape))
            for shapes in (self.carriageway, self.pavement)
        ]
        return replace(self, carriageway=kept[0], pavement=kept[1])


def no_strips() -> ParkingStrips:
    """No bays at all."""
    return ParkingStrips(rows_of([], [], side="right"), (), ())


@dataclass(frozen=True, slots=True)
class ParkingStretch:
    """Parking along street number `street`: from `start` to `end` [m] of its axis.

    `bays` are those on its left (`sign` 1) or on its right (-1).
    """

    street: int
    sign: int
    start: float
    end: float
    bays: Bays


def rows_of(
    streets: Sequence[Street], stretches: Sequence[ParkingStretch], *, side: DrivingSide
) -> BayRows:
    """Bays all along stretches of streets."""
    parts = [
        _row(each, street, is_along=_leads_along(street, each.sign, side))
        for each in stretches
        for street in [streets[each.street]]
    ]
    whole = [part for part in parts if len(part)]
    if not whole:
        none, flat = np.zeros(0, dtype=np.int64), np.zeros(0)
        return BayRows(np.zeros((0, 4, 2)), none, none, none, flat, flat, flat, flat)
    names = BayRows.__slots__
    return BayRows(*(np.concatenate([getattr(part, name) for part in whole]) for name in names))


def _leads_along(street: Street, sign: int, side: DrivingSide) -> bool:
    """Whether the traffic on one side of a street follows its points."""
    return street.profile.is_one_way or (sign > 0) == (side == "left")


def _row(stretch: ParkingStretch, street: Street, *, is_along: bool) -> BayRows:
    along, bays, sign = arc_lengths(street.points), stretch.bays, stretch.sign
    count = int((stretch.end - stretch.start) / bays.pitch)
    spare = stretch.end - stretch.start - count * bays.pitch
    s = np.linspace(0.0, count * bays.pitch, count + 1) + (stretch.start + spare / 2.0)
    axis = points_at(street.points, along, s)
    ahead = points_at(street.points, along, np.minimum(s + 1.0, along[-1]))
    ahead -= points_at(street.points, along, np.maximum(s - 1.0, 0.0))
    ahead /= np.maximum(portable.hypot(ahead[:, :1], ahead[:, 1:]), 1e-9)
    outward = sign * to_left(ahead)
    half = street.profile.width / 2.0
    inner, outer = axis + half * outward, axis + (half + bays.depth) * outward
    chord = axis[1:] - axis[:-1]
    headings = portable.arctan2(chord[:, 1], chord[:, 0])
    turn = sign * bays.angle
    return BayRows(
        corners=np.stack([inner[:-1], inner[1:], outer[1:], outer[:-1]], axis=1),
        streets=np.full(count, stretch.street),
        sides=np.full(count, sign),
        numbers=np.round(s[:-1] / bays.pitch).astype(np.int64),
        stations=(s[:-1] + s[1:]) / 2.0,
        yaws=headings + turn if is_along else headings + np.pi - turn,
        angles=np.full(count, bays.angle),
        depths=np.full(count, bays.depth),
    )


def strips_of(bays: BayRows, streets: Sequence[Street], box: Box) -> ParkingStrips:
    """The strips that free bays make; single bays, and those beyond a box, have none."""
    x_min, y_min, x_max, y_max = box
    low, high = bays.corners.min(axis=1), bays.corners.max(axis=1)
    inside = (low > (x_min, y_min)).all(axis=1) & (high < (x_max, y_max)).all(axis=1)
    bays = bays.select(inside)
    runs = [run for run in _runs(bays, gap=0.0) if run.stop - run.start >= _FEWEST]
    kept = np.zeros(len(bays), dtype=np.bool_)
    for run in runs:
        kept[run] = True
    bays = bays.select(kept)
    roads = [_strip(bays, run, _INWARD, 0.0) for run in _runs(bays, gap=0.0)]
    paved = []
    for run in _runs(bays, gap=_BRIDGED):
        left, right = streets[bays.streets[run.start]].profile.pavement
        width = left if bays.sides[run.start] > 0 else right
        if width > 0.0:
            paved.append(_strip(bays, run, _INWARD, width))
    return ParkingStrips(bays, tuple(roads), tuple(paved))


def _runs(bays: BayRows, *, gap: float) -> list[slice]:
    """Rows of bays that follow each other on one side of a street, at most `gap` [m] apart."""
    if not len(bays):
        return []
    is_other = (np.diff(bays.streets) != 0) | (np.diff(bays.sides) != 0)
    pitches = np.linalg.norm(bays.corners[:, 1] - bays.corners[:, 0], axis=1)
    missing = (np.diff(bays.numbers) - 1) * pitches[:-1]
    ends = np.flatnonzero(is_other | (missing > gap)) + 1
    bounds = [0, *ends.tolist(), len(bays)]
    return [slice(a, b) for a, b in pairwise(bounds)]


def _strip(bays: BayRows, run: slice, inward: float, beyond: float) -> BaseGeometry:
    """The outline of a run of bays, wider by `inward` and `beyond` [m], longer by the latter."""
    corners = bays.corners[run]
    inner = np.concatenate([corners[:, 0], corners[-1:, 1]])
    outer = np.concatenate([corners[:, 3], corners[-1:, 2]])
    across = outer - inner
    across /= portable.hypot(across[:, :1], across[:, 1:])
    inner, outer = inner - inward * across, outer + beyond * across
    if beyond > 0.0:
        side = bays.sides[run.start]
        # Across is to the left or to the right of the way along the street.
        first, last = side * to_left(across[:1])[0], -side * to_left(across[-1:])[0]
        inner, outer = (
            np.vstack([line[0] + beyond * first, line, line[-1] + beyond * last])
            for line in (inner, outer)
        )
    outline = shapely.Polygon(np.vstack([inner, outer[::-1]]))
    thinned: BaseGeometry = overlays.simplify(outline, _SAME_LINE)
    return thinned if thinned.is_valid else overlays.buffer(outline, 0.0, quad_segs=16)


def bay_lines(bays: BayRows, *, short_of_kerb: float) -> Floats:
    """Lines (n, 2, 2) [m] in plan between bays and lanes, and from bay to bay, off the kerbs."""
    if not len(bays):
        return np.zeros((0, 2, 2))
    runs = _runs(bays, gap=0.0)
    firsts = np.array([run.start for run in runs])
    lasts = np.array([run.stop - 1 for run in runs])
    beside = bays.corners[:, [0, 1]]
    ahead = beside[:, 1] - beside[:, 0]
    ahead *= short_of_kerb / portable.hypot(ahead[:, :1], ahead[:, 1:])
    beside[firsts, 0] += ahead[firsts]
    beside[lasts, 1] -= ahead[lasts]
    between = bays.corners[:, [0, 3]] + _slants(bays)[:, None] * [[[-1.0], [1.0]]]
    between[:, 1] -= short_of_kerb / bays.depths[:, None] * (between[:, 1] - between[:, 0])
    return np.concatenate([beside, np.delete(between, firsts, axis=0)])


def _slants(bays: BayRows) -> Floats:
    """Offset (n, 2) [m] of the far end of the line before a bay ahead of its middle.

    Lines slant as the cars between them do; beside parallel cars they are square.
    """
    sine, cosine = portable.sin_cos(bays.angles)
    ahead = bays.corners[:, 1] - bays.corners[:, 0]
    ahead /= portable.hypot(ahead[:, :1], ahead[:, 1:])
    yaw_sine, yaw_cosine = portable.sin_cos(bays.yaws)
    along = np.sign(yaw_cosine * ahead[:, 0] + yaw_sine * ahead[:, 1])
    slope = np.where(sine > _LEAST_SINE, cosine / np.maximum(sine, _LEAST_SINE), 0.0)
    return np.asarray((0.5 * bays.depths * along * slope)[:, None] * ahead)
