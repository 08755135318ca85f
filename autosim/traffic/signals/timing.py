"""Durations of amber, of the red between two greens, and of greens.

Sources: Institute of Transportation Engineers (ITE), Guidelines for Determining Traffic Signal
Change and Clearance Intervals, 2020; Manual on Uniform Traffic Control Devices (MUTCD), 2009,
chapters 4D and 4E; Richtlinien für Lichtsignalanlagen (RiLSA), 2015, chapter 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.traffic.signals.signal_groups import SignalGroup
from autosim.traffic.signals.signalled_crossings import SignalledCrossing
from autosim.world.lanes.roads import RoadNetwork


@dataclass(frozen=True, slots=True)
class _Practice:
    """Common practice."""

    reaction: float = 1.0
    """Time [s] until a driver brakes at amber (ITE)."""

    deceleration: float = 3.05
    """[m/s²] with which drivers brake at amber: 10 ft/s² (ITE)."""

    shortest_amber: float = 3.0
    """Shortest amber [s] (MUTCD 4D.26; RiLSA: 3 s at 50 km/h, 4 s at 60, 5 s at 70)."""

    longest_amber: float = 6.0
    """Longest amber [s] (MUTCD 4D.26)."""

    vehicle: float = 6.0
    """Length [m] by which a vehicle clears the place of conflict (RiLSA)."""

    clearing: float = 10.0
    """Speed [m/s] at which vehicles clear straight on (RiLSA)."""

    turning: float = 7.0
    """Speed [m/s] at which vehicles clear in a turn (RiLSA)."""

    turn: float = 0.5
    """Angle [rad] from which a way is a turn: some 30°, where the radius begins to slow drivers."""

    least_clearance: float = 1.0
    """Shortest time [s] in which all is red (MUTCD 4D.26: up to 6 s, by the junction's size)."""

    most_clearance: float = 8.0
    """Longest such time [s] for vehicles: beyond it a network's conflict is not one of signals."""

    walking: float = 1.2
    """Speed [m/s] of people who clear a crossing (RiLSA; MUTCD 4E.06: 3.5 ft/s, 1.07 m/s)."""

    people_green: float = 7.0
    """Shortest green [s] for people (MUTCD 4E.06; RiLSA: 5 s)."""

    vehicles_green: float = 6.0
    """Shortest green [s] for vehicles (RiLSA: 5 s)."""

    cycle: float = 60.0
    """Cycle [s] of two phases (RiLSA: 30 s to 90 s)."""

    cycle_per_phase: float = 15.0
    """Time [s] by which each further phase lengthens the cycle: a short green and a change."""

    longest_cycle: float = 120.0
    """Longest cycle [s] (RiLSA)."""

    longest_green: float = 1.5
    """Longest actuated green as a multiple of the fixed one. Chosen: a queue of half as many
    vehicles again leaves in it."""

    pause: float = 8.0
    """Red [s] for vehicles where people cross whom the map does not know: shortest green and a
    carriageway of one lane."""


PRACTICE = _Practice()


def amber_times(roads: RoadNetwork, groups: Sequence[SignalGroup]) -> Floats:
    """Amber [s] (g,) of each group, by its speed limit; 0 for people."""
    p = PRACTICE
    found = []
    for group in groups:
        speed = max((float(roads.speed_limits[lane]) for lane in group.lanes), default=0.0)
        amber = p.reaction + speed / (2.0 * p.deceleration)
        found.append(min(max(amber, p.shortest_amber), p.longest_amber) if group.lanes else 0.0)
    return np.array(found, dtype=np.float64)


def clearance_times(
    roads: RoadNetwork, groups: Sequence[SignalGroup], walkways: Sequence[SignalledCrossing]
) -> Floats:
    """Time [s] (g,) from red until what is in conflict may become green."""
    ends = _ends_of_conflicts(roads)
    p = PRACTICE
    found = []
    for group in groups:
        if group.walkway >= 0:
            found.append(walkways[group.walkway].length / p.walking)
            continue
        inner = frozenset(group.through)
        times = [_time_to_clear(roads, lane, last, ends, inner) for lane, last in _ways_in(group)]
        found.append(min(max([p.least_clearance, *times]), p.most_clearance))
    return np.array(found, dtype=np.float64)


def _ways_in(group: SignalGroup) -> list[tuple[int, int]]:
    return list(zip(group.lanes, group.lasts, strict=True))


def _time_to_clear(
    roads: RoadNetwork, lane: int, last: int, ends: Floats, inner: frozenset[int]
) -> float:
    """Time [s] from the stop line until a vehicle is through the junction, and through `inner`."""
    p = PRACTICE
    before = roads.lanes[lane].length - float(roads.traffic.stop_lines[lane])
    before += roads.lanes[last].length if last != lane else 0.0
    longest = 0.0
    for way in roads.lanes[last].successors:
        if not roads.connectors[way]:
            continue
        speed = p.turning if abs(roads.lanes[way].turn) > p.turn else p.clearing
        speed = min(speed, float(roads.speed_limits[lane]))
        if ends[way] > 0.0:
            longest = max(longest, (before + ends[way] + p.vehicle) / speed)
        for after in inner & set(roads.lanes[way].successors):
            rest = _time_to_clear(roads, after, after, ends, inner - {after})
            on_way = before + roads.lanes[way].length + float(roads.traffic.stop_lines[after])
            longest = max(longest, on_way / speed + rest)
    return longest


def _ends_of_conflicts(roads: RoadNetwork) -> Floats:
    """Station (n,) [m] on each connector beyond all conflicts; 0 without a conflict."""
    ends = np.zeros(len(roads.roads))
    rules = roads.traffic
    np.maximum.at(ends, rules.conflict_lanes.ravel(), rules.conflict_spans[:, :, 1].ravel())
    return ends


def intergreen_seconds(
    phase: Sequence[int], following: Sequence[int], times: "GroupTimes"
) -> tuple[float, float]:
    """From one phase to the next: lead [s], in which only people have red yet, and change [s].

    In the change ending groups show amber and red, until the groups that begin are green.
    """
    ending = [group for group in phase if group not in following]
    vehicles = [g for g in ending if not times.is_people[g]]
    people = [float(times.clearances[g]) for g in ending if times.is_people[g]]
    change = max((float(times.ambers[g] + times.clearances[g]) for g in vehicles), default=0.0)
    return max([0.0, *(each - change for each in people)]), max(change, times.red_amber)


@dataclass(frozen=True, slots=True)
class GroupTimes:
    """Times [s] (g,) of the groups of one intersection, and what its country shows before green.

    Attributes:
        ambers: of vehicles; of people 0.
        clearances: red after the end of amber.
        is_people: groups for pedestrians.
        weights: traffic volumes, by which green is divided.
        red_amber: red and amber before green, 0 where a country shows none.
    """

    ambers: Floats
    clearances: Floats
    is_people: Sequence[bool]
    weights: Floats
    red_amber: float


def green_times(
    phases: Sequence[Sequence[int]], times: GroupTimes
) -> tuple[list[float], list[float]]:
    """The shortest and the fixed green [s] of each phase, up to where it begins to end."""
    p = PRACTICE
    count = len(phases)
    pairs = [(phase, phases[(k + 1) % count]) for k, phase in enumerate(phases)]
    lost = sum(sum(intergreen_seconds(*pair, times)) for pair in pairs)
    least = [
        p.people_green if any(times.is_people[g] for g in phase) else p.vehicles_green
        for phase in phases
    ]
    cycle = min(p.cycle + p.cycle_per_phase * max(count - 2, 0), p.longest_cycle)
    spare = max(cycle - lost - sum(least), 0.0)
    shares = [max((float(times.weights[g]) for g in phase), default=0.0) for phase in phases]
    total = sum(shares) or 1.0
    fixed = [low + spare * share / total for low, share in zip(least, shares, strict=True)]
    return least, fixed


_EUROPE = (34.0, 72.0, -12.0, 45.0)
"""South, north, west and east [deg] of where most countries show red and amber before green."""

_RED_AMBER = 1.0
"""Red and amber [s] before green (RiLSA; also in the United Kingdom, Poland and the Nordic
countries)."""


def red_amber_at(latitude: float, longitude: float) -> float:
    """Time [s] of red and amber before green, as it is usual at a place [deg]."""
    south, north, west, east = _EUROPE
    return _RED_AMBER if south < latitude < north and west < longitude < east else 0.0
