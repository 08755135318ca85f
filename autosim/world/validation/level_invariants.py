"""Measures the invariants of streets above one another and of all lanes.

- `missed_lane_rays`: number of points, at least every half metre along all lanes, without a floor
  within 0.5 m of the lane.
- `worst_hop_m`: the greatest wheel lift [m] of the ride test.
- `steepest_lane`: rise over run of the steepest half metre of all lanes and connectors.
- `worst_side_step_m`: the greatest difference [m] of the floor under a wheel from that under the
  middle of its lane.
- `worst_joint_gap_m`: the greatest distance [m] between the end of a lane and the next one.
- `worst_joint_turn`: the greatest angle [rad] between the end of a lane and the next one.
- `tight_connectors`: number of connectors with a smaller radius than a car can drive.
- `tight_lanes`: number of lanes between junctions with a bend that no car can steer.
- `lost_ends`: number of lanes that nothing follows although the map leads on.
- `min_clearance_m`: the least height [m] of a carriageway over one that it crosses; left out where
  no streets cross.
- `grade_p99`: the grade (rise over run) that 99 % of the metres of all lanes keep.
"""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import arc_lengths
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.levels.elevation import Heights
from autosim.world.validation.diagnosis import (
    StreetsAbout,
    cause_of_clearance,
    cause_of_grade,
    cause_of_joint,
    cause_of_lane_form,
    cause_of_missed_lane,
    cause_of_tight_turn,
    cause_of_wheel_lift,
)
from autosim.world.validation.invariants import Finding
from autosim.world.validation.lane_forms import LaneForm, steepest_lane, worst_side_step
from autosim.world.validation.lane_joints import (
    JointFinding,
    TightTurns,
    tight_connectors,
    tight_lanes,
    worst_joint_gap,
    worst_joint_turn,
)
from autosim.world.validation.ride_test import LaneSamples, sample_lanes, worst_wheel_lift
from autosim.world.validation.soundness import grade_p99, steepest

_NO_JOINT = 1e-6
"""Gap [m] or angle [rad] of a joint below which it is rounding."""

_ONE_FLOOR = 1e-3
"""Difference in height [m] up to which two floors are one, up to rounding."""


def level_invariants(
    roads: RoadNetwork, heights: Heights, index: GroundIndex, lost: Sequence[int]
) -> tuple[Finding, ...]:
    """Measures all of them.

    Args:
        roads: the finished lanes.
        heights: profiles and separations.
        index: index of the ground and the floors of all decks.
        lost: numbers of the lanes that end although the map leads on.
    """
    about = StreetsAbout(heights.streets, heights.profiles)
    *found, grade = lane_invariants(roads, index, about)
    found.append(_lost(roads, lost, about))
    clearance = _least_clearance(heights, index, about)
    return (*found, *(() if clearance is None else (clearance,)), grade)


def lane_invariants(
    roads: RoadNetwork, index: GroundIndex, about: StreetsAbout
) -> tuple[Finding, ...]:
    """Measures those that need only lanes and floors.

    Args:
        roads: the finished lanes.
        index: index of the ground and the floors of all decks.
        about: the streets that causes name.
    """
    samples = sample_lanes(roads, index)
    return (
        _missed(samples, about),
        _wheel_lift(roads, samples, about),
        _lane_form("steepest_lane", steepest_lane(samples), about),
        _lane_form("worst_side_step_m", worst_side_step(roads, samples, index), about),
        _joint("worst_joint_gap_m", worst_joint_gap(roads), about),
        _joint("worst_joint_turn", worst_joint_turn(roads), about),
        _tight("tight_connectors", tight_connectors(roads), about),
        _tight("tight_lanes", tight_lanes(roads), about),
        _grade(roads, about),
    )


def _missed(samples: LaneSamples, about: StreetsAbout) -> Finding:
    places = samples.points[np.isnan(samples.floors)]
    if not len(places):
        return Finding("missed_lane_rays", 0.0)
    cause = cause_of_missed_lane(places[0], about)
    return Finding("missed_lane_rays", float(len(places)), places[0], cause)


def _wheel_lift(roads: RoadNetwork, samples: LaneSamples, about: StreetsAbout) -> Finding:
    # The invariant keeps its old name, which stands in compiled worlds and in scripts of users.
    lift = worst_wheel_lift(roads, samples)
    if lift is None or not lift.height:
        return Finding("worst_hop_m", 0.0)
    return Finding("worst_hop_m", lift.height, lift.place, cause_of_wheel_lift(lift, about))


def _lane_form(name: str, found: LaneForm | None, about: StreetsAbout) -> Finding:
    if found is None or not found.value:
        return Finding(name, 0.0)
    return Finding(name, found.value, found.place, cause_of_lane_form(found.place, about))


def _joint(name: str, found: JointFinding | None, about: StreetsAbout) -> Finding:
    if found is None or found.value < _NO_JOINT:
        return Finding(name, 0.0)
    return Finding(name, found.value, found.place, cause_of_joint(found.place, about))


def _tight(name: str, found: TightTurns | None, about: StreetsAbout) -> Finding:
    if found is None or not found.count:
        return Finding(name, 0.0)
    cause = cause_of_tight_turn(found.place, found.radius, found.needed, about)
    return Finding(name, float(found.count), found.place, cause)


def _lost(roads: RoadNetwork, lost: Sequence[int], about: StreetsAbout) -> Finding:
    if not lost:
        return Finding("lost_ends", 0.0)
    place = roads.points[roads.starts[lost[0] + 1] - 1]
    return Finding("lost_ends", float(len(lost)), place, cause_of_joint(place, about))


def _grade(roads: RoadNetwork, about: StreetsAbout) -> Finding:
    found = steepest(roads)
    if found is None:
        return Finding("grade_p99", 0.0)
    return Finding("grade_p99", grade_p99(roads), found[1], cause_of_grade(*found, about))


def _least_clearance(heights: Heights, index: GroundIndex, about: StreetsAbout) -> Finding | None:
    """The least difference [m] of the floors where streets cross."""
    separations = heights.separations
    if not len(separations.upper):
        return None
    uppers = _places(heights, separations.upper, separations.upper_s)
    lowers = _places(heights, separations.lower, separations.lower_s)
    # Both heights are taken in the middle of the area that the carriageways share: a bank or a
    # pavement beside one of them does not lead under or over the other.
    halves = np.array([street.profile.width / 2.0 for street in heights.streets])
    upper, lower = halves[separations.upper], halves[separations.lower]
    share = (lower / (lower + upper))[:, None]
    middles = lowers[:, :2] + share * (uppers[:, :2] - lowers[:, :2])
    uppers[:, :2], lowers[:, :2] = middles, middles
    gaps = index.heights_at(uppers) - index.heights_at(lowers)
    # Two triangles that share an edge there, or one triangle, are the same floor and do not count.
    is_apart = index.triangles_at(uppers) != index.triangles_at(lowers)
    is_apart &= np.abs(gaps) > _ONE_FLOOR
    gaps = np.where(is_apart, gaps, np.inf)
    worst = int(np.argmin(gaps))
    if not np.isfinite(gaps[worst]):
        return None
    cause = cause_of_clearance(int(separations.upper[worst]), int(separations.lower[worst]), about)
    return Finding("min_clearance_m", float(gaps[worst]), uppers[worst], cause)


def _places(heights: Heights, streets: Integers, s: Floats) -> Floats:
    """Points (n, 3) of the axes of streets (n,) at arc lengths (n,)."""
    return np.array([_place(heights, int(k), float(at)) for k, at in zip(streets, s, strict=True)])


def _place(heights: Heights, street: int, s: float) -> Floats:
    points = heights.streets[street].points
    stations = arc_lengths(points)
    x, y = (np.interp(s, stations, points[:, k]) for k in (0, 1))
    return np.array([x, y, float(heights.profiles[street].at(s))])
