"""The heights of all streets along their axes, found together by least squares.

Each street is sampled about every 8 m; streets that meet at a node share the unknown there. The
sum of squares has a term for the terrain, one for smoothness, and penalties for limits that are
exceeded. Their weights rank the wishes that contradict each other: no street is steeper than its
class allows; streets that cross at different levels keep their clearance; bridges clear water and
railways, and tunnels lie under the ground; streets follow the terrain. `STANDARD` holds the limits,
`WEIGHTS` the ranking.
"""

from collections.abc import Callable, Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import slopes_of
from autosim.world.geometry.least_squares import WeightedRows, minimise
from autosim.world.lanes.lane_drafts import TurningHead
from autosim.world.profiles.chains import (
    SPACING,
    Chain,
    End,
    continuations,
    end_of,
    find_chains,
    places_on,
)
from autosim.world.profiles.clearance_obstacles import Obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import GradeSeparations
from autosim.world.profiles.profile import Profile
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.profiles.street_contacts import find_street_contacts
from autosim.world.profiles.street_mouths import find_merged_mouths
from autosim.world.profiles.vertical_curves import add_vertical_curves
from autosim.world.profiles.weights import WEIGHTS
from autosim.world.streets.street_finding import Street

Following = Sequence[tuple[End, End]]
"""Pairs of street ends that continue each other."""

_NEARLY_AGREED = 0.6
"""Largest difference [m] of two streets' heights at a contact that can still be closed. Chosen: a
street beside a ramp differs by more, and would be dragged along."""

_AGREED = 0.01
"""Difference [m] of heights at a contact that needs no second solution: no wheel feels it."""

_HEAD_MARGIN = 4.0
"""Distance [m] before a turning head from which its grade limit holds. Chosen: half a step of the
chain, so that the step that leads into the head counts as well."""


class ProfileProblem:
    """The heights of all streets: set up once, solved again each time a wish is given up."""

    def __init__(
        self,
        streets: Sequence[Street],
        *,
        terrain: Callable[[Floats], Floats],
        obstacles: Obstacles,
        rises: RiseLimits | None = None,
        heads: Sequence[TurningHead] = (),
    ) -> None:
        """Sets up the wishes that are never given up.

        Args:
            streets: of all levels.
            terrain: heights (n,) [m] of points (n, 2) in W.
            obstacles: water and railways that bridges must clear.
            rises: pairs of places that must not differ much in height.
            heads: the places at the ends of streets where vehicles turn round.
        """
        self._streets = streets
        self._chains, count = find_chains(streets)
        self._ground = _terrain_at(self._chains, count, terrain)
        self._wanted, self._limits = WeightedRows(), WeightedRows()
        _add_terrain(self._wanted, streets, self._chains, self._ground)
        self._following = continuations(streets)
        _add_smoothness(self._wanted, self._chains, self._following)
        _add_grades(self._limits, streets, self._chains, heads)
        add_vertical_curves(self._limits, streets, self._chains)
        if rises is not None:
            _add_rises(self._limits, self._chains, rises)
        _add_obstacles(self._limits, self._chains, obstacles, self._ground)
        _add_cover(self._limits, streets, self._chains, self._ground)
        _add_height_over_ground(self._limits, streets, self._chains, self._ground)
        columns, coefficients, self._crosses = _contacts(streets, self._chains)
        self._contacts = columns, coefficients
        self._weights = np.where(self._crosses, WEIGHTS.crossing, WEIGHTS.loose_contact)
        self._z: Floats | None = None

    def solve(self, separations: GradeSeparations, merged: GradeSeparations) -> list[Profile]:
        """The profile of each street.

        Args:
            separations: places where streets must keep their clearance.
            merged: places where streets have one height although the map has them on different
                levels.
        """
        wanted, limits = self._wanted.copy(), self._limits.copy()
        columns, coefficients = self._contacts
        wanted.add(columns, coefficients, np.zeros(len(columns)), self._weights)
        _add_merged(wanted, self._chains, merged)
        _add_rises(limits, self._chains, find_merged_mouths(self._streets, merged))
        _add_clearances(limits, self._chains, separations)
        self._z = minimise(wanted, limits, len(self._ground), self._z)
        return _profiles(self._chains, self._following, self._z)

    def settle_contacts(self) -> bool:
        """Makes the contacts firm that the last heights nearly keep, and leaves the others loose.

        Two streets side by side cannot share one height all the way where one of them must climb or
        dive; a firm contact would drag both off their heights there.

        Returns:
            Whether another solution can change the heights.
        """
        assert self._z is not None
        columns, coefficients = self._contacts
        gaps = np.abs((coefficients * self._z[columns]).sum(axis=1))
        self._weights = np.where(gaps < _NEARLY_AGREED, WEIGHTS.firm_contact, WEIGHTS.loose_contact)
        self._weights[self._crosses] = WEIGHTS.crossing
        return bool((gaps > _AGREED).any())


def _profiles(chains: Sequence[Chain], following: Following, z: Floats) -> list[Profile]:
    """Profiles through heights `z`, without a kink where one street continues another."""
    grades = [slopes_of(z[chain.unknowns], chain.s) for chain in chains]
    for first, second in following:
        (before, _, span), (behind, _, other) = end_of(chains, first), end_of(chains, second)
        ahead = float(z[behind] - z[before]) / (span + other)
        for (street, at_start), sign in ((first, -1.0), (second, 1.0)):
            grades[street][0 if at_start else -1] = sign * ahead if at_start else -sign * ahead
    return [Profile(c.s, z[c.unknowns], g) for c, g in zip(chains, grades, strict=True)]


def _terrain_at(chains: Sequence[Chain], count: int, terrain: Callable[[Floats], Floats]) -> Floats:
    places = np.zeros((count, 2))
    for chain in chains:
        places[chain.unknowns] = chain.points
    return terrain(places)


def _add_terrain(
    rows: WeightedRows, streets: Sequence[Street], chains: Sequence[Chain], ground: Floats
) -> None:
    weights = np.full(len(ground), WEIGHTS.off_ground)
    for street, chain in zip(streets, chains, strict=True):
        if street.layer == 0:
            weights[chain.unknowns] = WEIGHTS.on_ground
    everything = np.arange(len(ground))[:, None]
    rows.add(everything, np.ones((len(ground), 1)), ground, weights)


def _add_smoothness(rows: WeightedRows, chains: Sequence[Chain], following: Following) -> None:
    """Wishes for an even grade along each street, and from each street into its continuation."""
    triples = [np.column_stack([c.unknowns[:-2], c.unknowns[1:-1], c.unknowns[2:]]) for c in chains]
    spans = [np.column_stack([np.diff(c.s)[:-1], np.diff(c.s)[1:]]) for c in chains]
    for first, second in following:
        a, b = end_of(chains, first), end_of(chains, second)
        triples.append(np.array([[a[0], a[1], b[0]]]))
        spans.append(np.array([[a[2], b[2]]]))
    columns, gaps = np.vstack(triples), SPACING / np.maximum(np.vstack(spans), 1.0)
    coefficients = np.column_stack([gaps[:, 0], -gaps[:, 0] - gaps[:, 1], gaps[:, 1]])
    rows.add(columns, coefficients, np.zeros(len(columns)), WEIGHTS.smoothness)


def _contacts(
    streets: Sequence[Street], chains: Sequence[Chain]
) -> tuple[Integers, Floats, Booleans]:
    """Wishes for one height where the carriageways of two streets overlap.

    Returns:
        Columns and coefficients (n, 4) of the differences in height, and which (n,) of these lie
        where the streets lead across one another.
    """
    places = np.vstack([chain.points for chain in chains])
    owners = np.repeat(np.arange(len(chains)), [len(chain.s) for chain in chains])
    found = find_street_contacts(
        streets, places, owners, np.concatenate([chain.s for chain in chains])
    )
    own, shares = places_on(chains, found.street, found.s)
    beside, other_shares = places_on(chains, found.other, found.other_s)
    columns, coefficients = np.column_stack([own, beside]), np.column_stack([shares, -other_shares])
    return columns, coefficients, found.is_crossing


def _add_grades(
    rows: WeightedRows,
    streets: Sequence[Street],
    chains: Sequence[Chain],
    heads: Sequence[TurningHead],
) -> None:
    """Limits the rise and fall of each step of a profile: `z_b - z_a <= g h`."""
    ends = np.vstack([np.column_stack([c.unknowns[:-1], c.unknowns[1:]]) for c in chains])
    grades = [STANDARD.grade_limit(s) * _in_bends(c) for s, c in zip(streets, chains, strict=True)]
    for head in heads:
        grades[head.street][_in_head(chains[head.street], head)] = STANDARD.head_grade
    limits = np.concatenate([g * np.diff(c.s) for g, c in zip(grades, chains, strict=True)])
    signs = np.broadcast_to([-1.0, 1.0], ends.shape)
    weights = (
        WEIGHTS.grade * SPACING / np.maximum(np.concatenate([np.diff(c.s) for c in chains]), 1.0)
    )
    rows.add(ends, signs, limits, weights)
    rows.add(ends, -signs, limits, weights)


def _in_bends(chain: Chain) -> Floats:
    """The share of its class's grade that each step (n,) of a street's chain may have.

    The inner lane of a hairpin is shorter than the axis and climbs as much, so it is steeper.
    """
    turns = np.zeros(len(chain.s))
    ahead = np.diff(chain.points, axis=0)
    heading = portable.arctan2(ahead[:, 1], ahead[:, 0])
    turns[1:-1] = np.abs(portable.wrapped(np.diff(heading)))
    radii = SPACING / np.maximum(np.maximum(turns[:-1], turns[1:]), 1e-3)
    return np.clip(radii / STANDARD.wide_bend, STANDARD.least_share_in_bends, 1.0)


def _in_head(chain: Chain, head: TurningHead) -> Booleans:
    """Mask of steps (n,) of a street's chain in a turning head or leading into it."""
    gaps = np.linalg.norm(chain.points - head.centre, axis=1)
    is_inside = gaps < head.radius + _HEAD_MARGIN
    return np.asarray(is_inside[:-1] | is_inside[1:])


def _add_rises(rows: WeightedRows, chains: Sequence[Chain], rises: RiseLimits) -> None:
    """Limits how much pairs of places differ in height."""
    nowhere = np.zeros(len(rises.first), dtype=np.bool_)
    pairs = GradeSeparations(rises.first, rises.first_s, rises.second, rises.second_s, nowhere)
    columns, coefficients = _differences(chains, pairs)
    rows.add(columns, coefficients, rises.max_rise, WEIGHTS.turn)
    rows.add(columns, -coefficients, rises.max_rise, WEIGHTS.turn)


def _add_merged(rows: WeightedRows, chains: Sequence[Chain], merged: GradeSeparations) -> None:
    columns, coefficients = _differences(chains, merged)
    rows.add(columns, coefficients, np.zeros(len(columns)), WEIGHTS.merged)


def _add_clearances(
    rows: WeightedRows, chains: Sequence[Chain], separations: GradeSeparations
) -> None:
    """Limits the lower street's height less the upper one's to minus the clearance."""
    columns, coefficients = _differences(chains, separations)
    rows.add(columns, coefficients, np.full(len(columns), -STANDARD.clearance), WEIGHTS.clearance)


def _differences(chains: Sequence[Chain], separations: GradeSeparations) -> tuple[Integers, Floats]:
    """Columns and coefficients (n, 4) of the lower street's height less the upper one's."""
    below, share_below = places_on(chains, separations.lower, separations.lower_s)
    above, share_above = places_on(chains, separations.upper, separations.upper_s)
    return np.column_stack([below, above]), np.column_stack([share_below, -share_above])


def _add_obstacles(
    rows: WeightedRows, chains: Sequence[Chain], obstacles: Obstacles, ground: Floats
) -> None:
    columns, shares = places_on(chains, obstacles.street, obstacles.s)
    least = portable.dot(shares, ground[columns])
    least += obstacles.height
    rows.add(columns, -shares, -least, WEIGHTS.obstacle)


def _add_cover(
    rows: WeightedRows, streets: Sequence[Street], chains: Sequence[Chain], ground: Floats
) -> None:
    """Asks tunnels, but for their ends, to lie under the ground."""
    columns = _inside([c for s, c in zip(streets, chains, strict=True) if s.layer < 0])
    rows.add(columns, np.ones(columns.shape), ground[columns[:, 0]] - STANDARD.cover, WEIGHTS.cover)


def _add_height_over_ground(
    rows: WeightedRows, streets: Sequence[Street], chains: Sequence[Chain], ground: Floats
) -> None:
    """Asks bridges, but for their ends, to lie over the ground.

    So the upper one of two decks rises, and the lower one does not sink into the ground.
    """
    columns = _inside([c for s, c in zip(streets, chains, strict=True) if s.layer > 0])
    rows.add(columns, -np.ones(columns.shape), -ground[columns[:, 0]], WEIGHTS.over_ground)


def _inside(chains: Sequence[Chain]) -> Integers:
    """The unknowns (n, 1) of chains without those at their ends."""
    inner = [np.zeros(0, dtype=np.int64), *(chain.unknowns[1:-1] for chain in chains)]
    return np.concatenate(inner)[:, None]
