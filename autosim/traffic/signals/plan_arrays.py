"""A plan of signals as arrays for kernels, and what controllers remember."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.jit import jitable
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.lanes.roads import RoadNetwork

PHASE, NEXT, STAGE, SINCE = range(4)
"""Columns of a controller's row: the number of its phase, -1 for none (all red), that of the next
one, its stage, and the step in which that began."""

SHOWS, LEADS, CHANGES, DARK = range(4)
"""Stages: a phase is green; people who cross have red already; amber and red; off or flashing."""

_ALL_RED = 3.0
"""Duration [s] of red for all after the signals were off, so that all vehicles stop."""

_GAP = 3.0
"""Time gap [s] between vehicles up to which an actuated green is extended (RiLSA: 2 s to 3 s; FHWA
Signal Timing Manual, 5.4: 2 s to 4 s)."""


class PlanArrays(NamedTuple):
    """A plan for the kernel; times in steps.

    Attributes:
        group_starts: first signal group of each controller.
        phase_starts: first phase of each controller.
        greens: groups that are green in each phase, one controller after another.
        least: shortest green of each phase.
        fixed: green of each phase without detectors.
        most: longest green of each phase.
        ambers: amber of each group.
        clearances: clearance of each group after amber.
        is_people: groups for pedestrians.
        lane_starts: first of `lanes` of each group.
        lanes: lanes of the groups, one group after another.
        reaches: distance before the stop line that extends green [m], of each of `lanes`.
        red_amber: red and amber before green.
        all_red: red for all after the signals were off.
        is_actuated: vehicles extend their green.
    """

    group_starts: Integers
    phase_starts: Integers
    greens: Booleans
    least: Integers
    fixed: Integers
    most: Integers
    ambers: Integers
    clearances: Integers
    is_people: Booleans
    lane_starts: Integers
    lanes: Integers
    reaches: Floats
    red_amber: int
    all_red: int
    is_actuated: bool


def arrays_of(
    plan: SignalPlan, roads: RoadNetwork, step_seconds: float, is_actuated: bool
) -> PlanArrays:
    """A plan for the kernel that has steps of that length [s]."""

    def steps(seconds: Floats) -> Integers:
        return np.ceil(np.asarray(seconds) / step_seconds).astype(np.int64)

    lanes = [lane for group in plan.groups for lane in group.lanes]
    counts = [len(group.lanes) for group in plan.groups]
    return PlanArrays(
        group_starts=plan.group_starts,
        phase_starts=plan.phase_starts,
        greens=plan.greens,
        least=steps(plan.least_greens),
        fixed=steps(plan.fixed_greens),
        most=steps(plan.most_greens),
        ambers=steps(plan.ambers),
        clearances=steps(plan.clearances),
        is_people=plan.is_people,
        lane_starts=np.cumsum([0, *counts]).astype(np.int64),
        lanes=np.array(lanes, dtype=np.int64),
        reaches=_GAP * roads.speed_limits[lanes] if lanes else np.zeros(0),
        red_amber=int(steps(np.array(plan.red_amber))),
        all_red=int(steps(np.array(_ALL_RED))),
        is_actuated=is_actuated,
    )


@jitable
def is_green(plan: PlanArrays, controller: int, phase: int, group: int) -> bool:
    """Whether a group is green in a phase of its controller; in none is -1."""
    if phase < 0:
        return False
    first = plan.group_starts[controller]
    return bool(plan.greens[plan.phase_starts[controller] + phase, group - first])


@jitable
def times_to_next(plan: PlanArrays, controller: int, row: Floats) -> tuple[int, int]:
    """Steps of lead and of change from the phase of a controller to its next one."""
    phase, following = int(row[PHASE]), int(row[NEXT])
    change, people = 0, 0
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if not is_green(plan, controller, phase, group):
            continue
        if is_green(plan, controller, following, group):
            continue
        if plan.is_people[group]:
            people = max(people, plan.clearances[group])
        else:
            change = max(change, plan.ambers[group] + plan.clearances[group])
    lead = max(people - change, 0)
    if phase < 0:
        change = plan.all_red
    return lead, max(change, plan.red_amber)
