"""The elevation of a world: profiles of streets, levels, and a height function for each level."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import arc_lengths
from autosim.world.geometry.height_function import (
    HeightFunction,
    IsUneven,
    everywhere_uneven,
    flat,
    nowhere_uneven,
)
from autosim.world.lanes.lane_drafts import LanePlan, TurningHead
from autosim.world.levels.adjacent_streets import AdjacentStreets, find_adjacent_streets
from autosim.world.levels.head_heights import head_samples
from autosim.world.levels.heights import StreetSamples, level_height, sample_streets
from autosim.world.levels.junction_reaches import junction_reaches
from autosim.world.levels.level_division import (
    GROUND,
    Levels,
    divide_into_levels,
    without_shallow_levels,
)
from autosim.world.levels.transition_heights import agreeing_at_transitions
from autosim.world.levels.turn_heights import Turn, find_turns, turn_samples
from autosim.world.osm.osm_data import OsmData
from autosim.world.profiles.chains import continuations
from autosim.world.profiles.clearance_obstacles import find_obstacles
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.grade_separations import GradeSeparations, find_separations, overlaps_of
from autosim.world.profiles.inner_lanes import find_inner_lanes
from autosim.world.profiles.profile import Profile, heights_along
from autosim.world.profiles.profile_problem import ProfileProblem
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.profiles.sharp_turns import find_sharp_turns
from autosim.world.profiles.street_mouths import find_street_mouths
from autosim.world.profiles.turns_off_streets import find_turns_off_streets
from autosim.world.streets.street_finding import Street

_EVEN = 0.01
"""Largest height [m] of a street above or below a plain that it does not leave."""

_UNEVEN_REACH = 32.0
"""Distance [m] from a street that leaves a plain up to which the ground is uneven: half the widest
carriageway, the verge and the transition to the terrain."""

_MOST_ROUNDS = 6
"""Number of rounds in which clearances are given up. Chosen: each round gives up whole
overlaps, so few are needed."""

_LEAST_GAP = STANDARD.clearance / 2.0
"""Minimum height [m] of one street over another that justifies a separate level: half of the
clearance."""

_GAP_TO_CROSS = 4.2
"""Least height [m] of a street over another that it only crosses: a lorry of 4 m passes."""


@dataclass(frozen=True, slots=True)
class LevelledStreets:
    """The streets of a world with their profiles, divided into levels.

    streets: those given, but shallow bridges and tunnels lie on the ground; profiles: of each
    street; separations: the places where one street passes over another; levels: the division of
    the streets into levels; adjacent: streets side by side at different heights.
    """

    streets: list[Street]
    profiles: list[Profile]
    separations: GradeSeparations
    levels: Levels
    adjacent: AdjacentStreets


@dataclass(frozen=True, slots=True)
class Heights:
    """The elevation of a world.

    heights: a height function for each level, the ground first; is_uneven: tells where the ground
    is not a plain. The other fields are those of `LevelledStreets`.

    Attributes:
        streets: streets, cut where levels change.
        profiles: height profile of each street.
        separations: crossings of streets on different levels.
        levels: division of the streets into levels.
        adjacent: streets that run side by side.
    """

    streets: list[Street]
    profiles: list[Profile]
    separations: GradeSeparations
    levels: Levels
    adjacent: AdjacentStreets
    heights: list[HeightFunction]
    is_uneven: IsUneven


def find_levels(
    data: OsmData,
    points: Floats,
    streets: Sequence[Street],
    *,
    terrain: HeightFunction,
    plan: LanePlan,
) -> LevelledStreets:
    """Finds the profiles of streets and divides the streets into levels.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        streets: all streets.
        terrain: the bare ground.
        plan: the lanes and connectors.
    """
    separations = find_separations(streets)
    merged, profiles = separations, list[Profile]()
    if streets:
        problem = ProfileProblem(
            streets,
            terrain=terrain,
            obstacles=find_obstacles(data, points, streets),
            rises=_rise_limits(plan, streets),
            heads=plan.turning_heads,
        )
        separations, merged, profiles = _solved(problem, separations)
    grounds = [_ground_along(s, p, terrain) for s, p in zip(streets, profiles, strict=True)]
    streets = without_shallow_levels(streets, profiles, grounds, separations)
    reaches = junction_reaches(plan.drafts, streets)
    levels = divide_into_levels(streets, profiles, merged, separations=separations, reaches=reaches)
    adjacent = find_adjacent_streets(streets, profiles, levels)
    return LevelledStreets(list(streets), profiles, separations, levels, adjacent)


def _rise_limits(plan: LanePlan, streets: Sequence[Street]) -> RiseLimits:
    """The stretches of lanes and connectors that may climb only little, and mouths of streets."""
    found = find_sharp_turns(plan.drafts, streets)
    for find in (find_inner_lanes, find_turns_off_streets):
        found = found.joined(find(plan.drafts, streets))
    return found.joined(find_street_mouths(streets))


def find_heights(levelled: LevelledStreets, *, terrain: HeightFunction, plan: LanePlan) -> Heights:
    """Finds a height function for each level.

    Args:
        levelled: the streets with their profiles and levels.
        terrain: the bare ground.
        plan: the lanes and connectors.
    """
    streets, profiles, levels = levelled.streets, levelled.profiles, levelled.levels
    side_clearances = levelled.adjacent.side_clearances
    samples = [
        sample_streets(
            levels.on(level),
            streets,
            profiles,
            side_clearances,
            [
                transition
                for transition in levels.transitions
                if level in (transition.owner, transition.level)
            ],
        )
        for level in range(len(levels.signs))
    ]
    samples = _with_heads(samples, plan.turning_heads, levels, (streets, profiles))
    is_uneven: IsUneven = everywhere_uneven
    if terrain is flat:
        samples[GROUND], is_uneven = _uneven(samples[GROUND])
    samples = _with_turns(samples, find_turns(plan, levels), streets, terrain)
    functions = _functions(samples, terrain)
    following = dict(continuations(streets))
    following |= {second: first for first, second in following.items()}
    heights = [
        agreeing_at_transitions(
            height,
            level,
            levels.transitions,
            streets=streets,
            profiles=profiles,
            side_clearances=side_clearances,
            following=following,
        )
        for level, height in enumerate(functions)
    ]
    return Heights(
        streets,
        profiles,
        levelled.separations,
        levels,
        levelled.adjacent,
        heights,
        is_uneven,
    )


def _functions(samples: Sequence[StreetSamples], terrain: HeightFunction) -> list[HeightFunction]:
    """The height function of each level."""
    return [level_height(samples[GROUND], terrain), *map(level_height, samples[1:])]


def _with_heads(
    samples: Sequence[StreetSamples],
    heads: Sequence[TurningHead],
    levels: Levels,
    streets: tuple[Sequence[Street], Sequence[Profile]],
) -> list[StreetSamples]:
    """The samples of each level with those of its turning heads."""
    numbers = [levels.level_at(head.street, head.centre) for head in heads]
    by_level = [
        [head for head, at in zip(heads, numbers, strict=True) if at == k]
        for k in range(len(samples))
    ]
    return [
        StreetSamples.joined([known, head_samples(own, *streets)])
        for known, own in zip(samples, by_level, strict=True)
    ]


def _with_turns(
    samples: Sequence[StreetSamples],
    turns: Sequence[Turn],
    streets: Sequence[Street],
    terrain: HeightFunction,
) -> list[StreetSamples]:
    """The samples of each level with those of its turns."""
    by_level = [[turn for turn in turns if turn.level == k] for k in range(len(samples))]
    return [
        StreetSamples.joined([known, turn_samples(own, streets, height)])
        for known, own, height in zip(samples, by_level, _functions(samples, terrain), strict=True)
    ]


def _solved(
    problem: ProfileProblem, separations: GradeSeparations
) -> tuple[GradeSeparations, GradeSeparations, list[Profile]]:
    """The separations with clearance, those merged to one height, and the profiles.

    Where only the edges of two streets overlap, the clearance is given up first if it cannot be
    kept: the two divide the space between their axes. Where two streets come so close that nothing
    fits between them, because they part too near for their grades, both get one height: a slab
    inside a carriageway would stop all traffic.
    """
    rules = _Rules(separations)
    profiles = problem.solve(rules.kept, rules.merged)
    if problem.settle_contacts():
        profiles = problem.solve(rules.kept, rules.merged)
    for _ in range(_MOST_ROUNDS):
        fails = rules.failing(_gaps(rules.kept, profiles))
        if not fails.any():
            break
        rules.give_up(fails)
        profiles = problem.solve(rules.kept, rules.merged)
    return rules.kept, rules.merged, profiles


class _Rules:
    """The wish at each place where streets cross: clearance, one height, or none."""

    def __init__(self, separations: GradeSeparations) -> None:
        """Wishes for clearance everywhere."""
        self._all, self._overlap = separations, overlaps_of(separations)
        self._is_kept = np.ones(len(self._overlap), dtype=np.bool_)
        self._is_merged = np.zeros(len(self._overlap), dtype=np.bool_)
        self._is_eased = np.zeros(len(self._overlap), dtype=np.bool_)

    @property
    def kept(self) -> GradeSeparations:
        """The places with clearance."""
        return self._all.select(self._is_kept)

    @property
    def merged(self) -> GradeSeparations:
        """The places with one height."""
        return self._all.select(self._is_merged)

    def failing(self, gaps: Floats) -> Booleans:
        """Mask of `kept` (n,) with too little between their streets, `gaps` (n,) [m] apart.

        Streets that only cross, after they have parted, need as much as traffic does. Where no wish
        has been given up yet, half is enough: giving up others may still win the rest.
        """
        return gaps < np.where(self._is_eased[self._is_kept], _GAP_TO_CROSS, _LEAST_GAP)

    def give_up(self, fails: Booleans) -> None:
        """Wishes for less on the overlaps of those of `kept` (n,) that fail.

        Without the places at its edges one overlap may become two: one where the streets part, one
        where they cross. Each fails by itself.
        """
        rows = np.flatnonzero(self._is_kept)
        overlap = overlaps_of(self.kept)
        failed = rows[np.isin(overlap, overlap[fails])]
        beside = failed[self._all.is_beside[failed]]
        is_eased = np.isin(self._overlap[failed], self._overlap[beside])
        self._is_eased[failed[is_eased]] = True
        self._is_kept[beside] = False
        self._is_merged[failed[~is_eased]] = True
        self._is_kept &= ~self._is_merged
        # Streets with one height throughout an overlap have it at the overlap's edges, too.
        has_other = np.isin(self._overlap, self._overlap[self._is_kept])
        self._is_merged |= np.isin(self._overlap, self._overlap[self._is_merged]) & ~has_other


def _gaps(separations: GradeSeparations, profiles: Sequence[Profile]) -> Floats:
    """The height (n,) [m] of the upper street over the lower one at each crossing."""
    upper, _ = heights_along(profiles, separations.upper, separations.upper_s)
    lower, _ = heights_along(profiles, separations.lower, separations.lower_s)
    return upper - lower


def _ground_along(street: Street, profile: Profile, terrain: HeightFunction) -> Floats:
    """The terrain at each sample of a street's profile."""
    stations = arc_lengths(street.points)
    places = [np.interp(profile.s, stations, street.points[:, k]) for k in (0, 1)]
    return terrain(np.column_stack(places))


def _uneven(samples: StreetSamples) -> tuple[StreetSamples, IsUneven]:
    """On a plain: the samples near those that leave it, and the test for such places."""
    leaves = np.abs(samples.heights) > _EVEN
    if not leaves.any():
        return samples.select(leaves), nowhere_uneven
    tree = cKDTree(samples.points[leaves])

    def is_uneven(points: Floats) -> Booleans:
        gaps, _ = tree.query(points, distance_upper_bound=_UNEVEN_REACH)
        return np.isfinite(gaps)

    return samples.select(is_uneven(samples.points)), is_uneven
