"""The heights of a world, found together: profiles of streets, levels, the ground's function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import arc_lengths
from autosim.world.geometry.height_function import (
    HeightFunction,
    Relief,
    flat,
    no_relief,
    relief_everywhere,
)
from autosim.world.lanes.lane_drafts import LanePlan, TurningHead
from autosim.world.levels.adjacent_streets import AdjacentStreets, find_adjacent_streets
from autosim.world.levels.head_heights import head_samples
from autosim.world.levels.heights import StreetSamples, level_height, sample_streets
from autosim.world.levels.junction_reaches import junction_reaches
from autosim.world.levels.levels import GROUND, Levels, divide, without_shallow_levels
from autosim.world.levels.transition_heights import alike_at_transitions
from autosim.world.levels.turn_heights import Turn, find_turns, turn_samples
from autosim.world.osm.osm_data import OsmData
from autosim.world.profiles.chains import continuations
from autosim.world.profiles.clearances import (
    GradeSeparations,
    find_crossings,
    find_obstacles,
    overlaps_of,
)
from autosim.world.profiles.profiles import Profile, ProfileProblem, heights_along
from autosim.world.profiles.sharp_turns import find_sharp_turns
from autosim.world.streets.streets import Street

_LEVEL = 0.01
_UNEVEN_REACH = 32.0
_GIVEN_UP = 6
_LEAST_ROOM, _ROOM_TO_CROSS = 2.75, 4.2


@dataclass(frozen=True, slots=True)
class Heights:
    """Everything about heights.

    streets: as given, but with levels that are left; profiles: of each; crossings: where they
    cross; levels: their levels; adjacent: what streets have at their sides; heights: a function for
    each level, the ground first; relief: where the ground is anything but level.
    """

    streets: list[Street]
    profiles: list[Profile]
    crossings: GradeSeparations
    levels: Levels
    adjacent: AdjacentStreets
    heights: list[HeightFunction]
    relief: Relief


def find_heights(
    data: OsmData,
    points: Floats,
    streets: Sequence[Street],
    *,
    terrain: HeightFunction,
    plan: LanePlan,
    divided: Callable[[Sequence[Street], Levels, AdjacentStreets], None] = lambda *_: None,
) -> Heights:
    """Finds profiles, levels and height functions.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        streets: all streets.
        terrain: the bare ground.
        plan: the lanes, among them the turns from street to street.
        divided: is told, before anything has a height, on which levels streets lie, and what they
            have at their sides.
    """
    crossings = find_crossings(streets)
    problem = ProfileProblem(
        streets,
        terrain=terrain,
        obstacles=find_obstacles(data, points, streets),
        turns=find_sharp_turns(plan.drafts, streets),
        heads=plan.turning_heads,
    )
    crossings, merged, profiles = _solved(problem, crossings)
    grounds = [_ground_along(s, p, terrain) for s, p in zip(streets, profiles, strict=True)]
    streets = without_shallow_levels(streets, profiles, grounds, crossings)
    reaches = junction_reaches(plan.drafts, streets)
    levels = divide(streets, profiles, merged, crossings=crossings, reaches=reaches)
    adjacent = find_adjacent_streets(streets, profiles, levels)
    divided(streets, levels, adjacent)
    samples = [
        sample_streets(
            levels.on(level),
            streets,
            profiles,
            adjacent.rooms,
            [
                transition
                for transition in levels.transitions
                if level in (transition.owner, transition.level)
            ],
        )
        for level in range(len(levels.signs))
    ]
    samples = _with_heads(samples, plan.turning_heads, levels, (streets, profiles))
    relief: Relief = relief_everywhere
    if terrain is flat:
        samples[GROUND], relief = _uneven(samples[GROUND])
    samples = _with_turns(samples, find_turns(plan, levels), streets, terrain)
    functions = _functions(samples, terrain)
    following = dict(continuations(streets))
    following |= {second: first for first, second in following.items()}
    heights = [
        alike_at_transitions(
            height,
            level,
            levels.transitions,
            streets=streets,
            profiles=profiles,
            rooms=adjacent.rooms,
            following=following,
        )
        for level, height in enumerate(functions)
    ]
    return Heights(streets, profiles, crossings, levels, adjacent, heights, relief)


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
    problem: ProfileProblem, crossings: GradeSeparations
) -> tuple[GradeSeparations, GradeSeparations, list[Profile]]:
    """The crossings that there is room for, those that there is none for, and the profiles.

    Streets whose edges alone are over one another are asked for room there first, and no more where
    that cannot be had: they divide what is between them. Where two levels come so close that
    nothing fits between them, because their streets begin too near for the grades that they may
    have, both get one height: a slab inside a carriageway would stop whatever drives there.
    """
    rules = _Rules(crossings)
    profiles = problem.solve(rules.kept, rules.merged)
    if problem.settle_contacts():
        profiles = problem.solve(rules.kept, rules.merged)
    for _ in range(_GIVEN_UP):
        fails = rules.failing(_gaps(rules.kept, profiles))
        if not fails.any():
            break
        rules.give_up(fails)
        profiles = problem.solve(rules.kept, rules.merged)
    return rules.kept, rules.merged, profiles


class _Rules:
    """What is asked of each place where streets cross: clearance, one height, or nothing."""

    def __init__(self, crossings: GradeSeparations) -> None:
        """Asks for clearance everywhere."""
        self._all, self._overlap = crossings, overlaps_of(crossings)
        self._is_kept = np.ones(len(self._overlap), dtype=np.bool_)
        self._is_merged = np.zeros(len(self._overlap), dtype=np.bool_)
        self._is_eased = np.zeros(len(self._overlap), dtype=np.bool_)

    @property
    def kept(self) -> GradeSeparations:
        """Where clearance is asked for."""
        return self._all.select(self._is_kept)

    @property
    def merged(self) -> GradeSeparations:
        """Where one height is."""
        return self._all.select(self._is_merged)

    def failing(self, gaps: Floats) -> Booleans:
        """Which of `kept` (n,) have no room between their streets, `gaps` (n,) [m] apart.

        Where streets only cross, after they have parted, that is what traffic needs; where nothing
        has been given up yet, what may still come of giving up elsewhere.
        """
        return gaps < np.where(self._is_eased[self._is_kept], _ROOM_TO_CROSS, _LEAST_ROOM)

    def give_up(self, fails: Booleans) -> None:
        """Asks for less on the overlaps of those of `kept` (n,) that fail.

        Without what is beside, one overlap may be two: where the streets part, and where they
        cross; each fails by itself.
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
        # Streets that have one height throughout an overlap have it beside one another too.
        has_other = np.isin(self._overlap, self._overlap[self._is_kept])
        self._is_merged |= np.isin(self._overlap, self._overlap[self._is_merged]) & ~has_other


def _gaps(crossings: GradeSeparations, profiles: Sequence[Profile]) -> Floats:
    """The height (n,) [m] of the upper street over the lower one at each crossing."""
    upper, _ = heights_along(profiles, crossings.upper, crossings.upper_s)
    lower, _ = heights_along(profiles, crossings.lower, crossings.lower_s)
    return upper - lower


def _ground_along(street: Street, profile: Profile, terrain: HeightFunction) -> Floats:
    """The terrain at each sample of a street's profile."""
    stations = arc_lengths(street.points)
    places = [np.interp(profile.s, stations, street.points[:, k]) for k in (0, 1)]
    return terrain(np.column_stack(places))


def _uneven(samples: StreetSamples) -> tuple[StreetSamples, Relief]:
    """On level terrain: the samples near those that leave it, and where they are."""
    leaves = np.abs(samples.heights) > _LEVEL
    if not leaves.any():
        return samples.select(leaves), no_relief
    tree = cKDTree(samples.points[leaves])

    def relief(points: Floats) -> Booleans:
        gaps, _ = tree.query(points, distance_upper_bound=_UNEVEN_REACH)
        return np.isfinite(gaps)

    return samples.select(relief(samples.points)), relief
