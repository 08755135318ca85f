"""Finds where each kind of house fits, for all stations and kinds at once.

STRtree queries over all boxes replace a loop over houses and obstacles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import House
from autosim.tools.osm_manipulator.furnish_options import Progress, Spacing
from autosim.tools.osm_manipulator.house_rows import HouseRows
from autosim.tools.osm_manipulator.survey import Shapes, Survey

STREET_CLEARANCE = 1.0
"""Least distance [m] to carriageways, pavements and water: room for eaves and opened doors."""

OTHER_CLEARANCE = 0.5
"""Least distance [m] to rails, paths, walls, trees and the like."""

PLACE_ROUNDING = 0.02
"""Distance [m] by which a box may move when its place is rounded to seven decimals of a degree."""

_Obstacles = tuple[Shapes, float]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every kind of house at every station.

    Attributes:
        houses: the kinds.
        centres: (n, kinds, 2) [m] in W.
        yaws: (n,) [rad] of fronts that face the street.
        fits: (n, kinds) whether the kind fits; this changes while houses are set.
    """

    houses: tuple[House, ...]
    centres: Floats
    yaws: Floats
    fits: Booleans

    def outlines(self, stations: npt.ArrayLike, kind: int) -> Shapes:
        """The boxes (m,) of one kind at some stations (m,)."""
        return outlines(self.corners(stations, kind))

    def corners(self, stations: npt.ArrayLike, kind: int) -> Floats:
        """The corners (m, 4, 2) of those boxes."""
        rows = np.asarray(stations, dtype=np.int64)
        return box_corners(self.centres[rows, kind], self.yaws[rows], self.houses[kind])

    def between_stations(self, places: Floats, kind: int) -> tuple[Floats, Floats]:
        """The centres (m, 2) [m] and yaws (m,) [rad] of one kind at places (m,) [stations].

        A place between two stations is one of a straight row.
        """
        before = np.floor(places).astype(np.int64)
        after = np.ceil(places).astype(np.int64)
        share = (places - before)[:, None]
        start, end = self.centres[before, kind], self.centres[after, kind]
        return start + share * (end - start), self.yaws[after]


def box_corners(centres: Floats, yaws: Floats, house: House) -> Floats:
    """Corners (n, 4, 2) [m] in W, counter-clockwise, of a house at n centres with n yaws."""
    width, _, length = house.size
    half = 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([length, width])
    s, c = (each[:, None] for each in portable.sin_cos(yaws))
    x, y = half.T
    corners: Floats = centres[:, None, :] + np.stack([c * x - s * y, s * x + c * y], axis=-1)
    return corners


def outlines(corners: Floats) -> Shapes:
    """Polygons (n,) of corners (n, k, 2)."""
    return np.asarray(shapely.polygons(corners), dtype=object).reshape(-1)


def is_apart(shapes: Shapes, obstacles: Shapes, distance: float) -> Booleans:
    """Whether each shape (n,) is more than `distance` [m] away from all obstacles.

    The tree holds the shapes, because a query prepares its arguments, and obstacles may have
    thousands of corners.
    """
    tree = shapely.STRtree(shapes)
    apart = np.ones(len(shapes), dtype=bool)
    apart[tree.query(obstacles, predicate="dwithin", distance=distance)[1]] = False
    return apart


def find_candidates(
    survey: Survey,
    rows: HouseRows,
    houses: Sequence[House],
    spacing: Spacing,
    *,
    progress: Progress,
) -> Candidates:
    """Finds where each kind of house may stand, without regard to other new houses.

    Args:
        survey: the map.
        rows: stations beside its streets.
        houses: the kinds, each for its own land use.
        spacing: the requested distances.
        progress: called from 0 to 1.
    """
    centres = np.zeros((len(rows.edges), len(houses), 2))
    for k, house in enumerate(houses):
        # At least as far as the clearance needs, whatever distance the user requested.
        nearest = house.size[2] / 2.0 + STREET_CLEARANCE + 2.0 * PLACE_ROUNDING
        centres[:, k] = rows.edges + max(spacing.to_street, nearest) * rows.outwards
    yaws = portable.arctan2(-rows.outwards[:, 1], -rows.outwards[:, 0])
    fits = np.zeros(centres.shape[:2], dtype=bool)
    found = Candidates(tuple(houses), centres, yaws, fits)
    obstacles = _obstacles(survey, spacing)
    sections = sorted({house.landuse for house in houses})
    for k, house in enumerate(houses):
        progress("look where houses fit", k / len(houses))
        section = sections.index(house.landuse)
        chosen = np.flatnonzero(survey.land.at(centres[:, k], sections) == section)
        chosen = _clear(found, chosen, k, obstacles, survey)
        places = found.corners(chosen, k).reshape(-1, 2)
        is_inside = survey.land.at(places, sections).reshape(-1, 4) == section
        fits[chosen[is_inside.all(axis=1)], k] = True
    return found


def _obstacles(survey: Survey, spacing: Spacing) -> tuple[_Obstacles, ...]:
    return (
        (survey.street_surfaces, STREET_CLEARANCE + PLACE_ROUNDING),
        (survey.water, STREET_CLEARANCE + PLACE_ROUNDING),
        (survey.others, OTHER_CLEARANCE + PLACE_ROUNDING),
        (survey.buildings, max(spacing.between, OTHER_CLEARANCE) + PLACE_ROUNDING),
        (survey.houses, max(spacing.between, OTHER_CLEARANCE) + PLACE_ROUNDING),
    )


def _clear(
    candidates: Candidates,
    stations: Integers,
    kind: int,
    obstacles: tuple[_Obstacles, ...],
    survey: Survey,
) -> Integers:
    """The stations at which one kind of house is clear of all obstacles."""
    shapes = candidates.outlines(stations, kind)
    good = shapely.covers(survey.window, shapes)
    stations, shapes = stations[good], shapes[good]
    for blocked, distance in obstacles:
        good = is_apart(shapes, blocked, distance)
        stations, shapes = stations[good], shapes[good]
    return stations
