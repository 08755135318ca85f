"""Controllers: one for each intersection, which shows the phases of its groups in turn.

A phase is green until it ends: at a fixed time or, actuated, when nobody comes any more and others
wait. Then people whose light turns red get a lead, vehicles see amber and red, and the next phase
is green. So no two groups in conflict are ever green together, whatever programs order.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.jit import bound, compilable, compiled
from autosim.traffic.signals.plan import SignalPlan
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.traffic_arrays import SignalState

_OFF, _RED, _RED_AMBER = int(SignalState.OFF), int(SignalState.RED), int(SignalState.RED_AMBER)
_GREEN, _AMBER = int(SignalState.GREEN), int(SignalState.AMBER)
_FLASHING = int(SignalState.FLASHING)

_PHASE, _NEXT, _STAGE, _SINCE = range(4)
"""Columns of a controller's row: the number of its phase, -1 for none (all red), that of the next
one, its stage, and the step in which that began."""

_SHOWS, _LEADS, _CHANGES, _DARK = range(4)
"""Stages: a phase is green; people who cross have red already; amber and red; off or flashing."""

_ALL_RED = 3.0
"""Time [s] of red for all after signals were off: everybody stops."""

_SEEN = 60.0
"""Distance [m] from the stop line at which an actuated controller sees vehicles: that at which
advance detectors lie in streets of 50 km/h (RiLSA 2015, 4.2; FHWA Signal Timing Manual, 5.3)."""

_GAP = 3.0
"""Time [s] between vehicles up to which an actuated green goes on (RiLSA: 2 s to 3 s; FHWA Signal
Timing Manual, 5.4: 2 s to 4 s)."""


class PlanArrays(NamedTuple):
    """A plan for the kernel; times in steps."""

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


class Detectors(NamedTuple):
    """What actuated controllers see; whoever moves vehicles and people writes it before each step.

    `gaps` (lanes,): distance [m] from the stop line of each lane back to the front of the nearest
    vehicle before it; inf for none. `waiting` (s,): people who wait at each group for people.
    """

    gaps: Floats
    waiting: Integers


@dataclass(frozen=True, slots=True)
class Lights:
    """What the kernel writes, and the orders that it obeys.

    `shown` (s, or more) int64 of `SignalState`; `orders` (k, 2): number of a group
    and the state that it shall show;
    `order_count` (1,) how many of them there are.
    """

    shown: Integers
    orders: Floats
    order_count: Integers


class SignalControllers:
    """The controllers of all signals of a world.

    Args:
        plan: of the world.
        roads: its lanes.
        lights: memory for what is shown and ordered.
        step_seconds: length of a step [s].
        seed: of the moments at which the controllers begin.
        is_actuated: whether greens depend on who comes.

    `rows` (c, 4) is what the controllers remember, for snapshots; `detectors` what they see.
    """

    def __init__(
        self,
        plan: SignalPlan,
        roads: RoadNetwork,
        *,
        lights: Lights,
        step_seconds: float,
        seed: int = 0,
        is_actuated: bool = False,
    ) -> None:
        self.plan = plan
        self.detectors = Detectors(
            np.full(len(roads.roads), np.inf), np.zeros(len(plan), dtype=np.int64)
        )
        arrays = _arrays(plan, roads, step_seconds, is_actuated)
        self.rows = _first_rows(arrays, np.random.default_rng(seed))
        self._step, wanted = np.zeros(1, dtype=np.int64), np.full(len(plan), -1, dtype=np.int64)
        seen = self.detectors
        self._read_orders = bound(_read_orders, lights.orders, lights.order_count, wanted)
        self._advance = bound(
            _advance, self._step, arrays, self.rows, wanted, seen.gaps, seen.waiting, lights.shown
        )

    def advance(self, step: int) -> None:
        """Writes what is shown after `step` steps."""
        if len(self.plan):
            self._step[0] = step
            self.rehearse()

    def rehearse(self) -> None:
        """Calls the kernels, which compiles them; without signals it does nothing else."""
        self._read_orders()
        self._advance()


def _arrays(
    plan: SignalPlan, roads: RoadNetwork, step_seconds: float, is_actuated: bool
) -> PlanArrays:
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


def _first_rows(arrays: PlanArrays, generator: np.random.Generator) -> Floats:
    """Each controller somewhere in the green of one of its phases."""
    count = len(arrays.phase_starts) - 1
    rows = np.zeros((count, 4))
    for controller in range(count):
        first, end = arrays.phase_starts[controller : controller + 2].tolist()
        fixed = arrays.fixed[first:end]
        moment = int(generator.integers(max(int(fixed.sum()), 1)))
        ends = np.cumsum(fixed)
        phase = int(np.searchsorted(ends, moment, side="right"))
        rows[controller, _PHASE] = rows[controller, _NEXT] = phase
        rows[controller, _SINCE] = -(moment - (ends[phase] - fixed[phase]))
    return rows


@compiled
def _read_orders(orders: Floats, count: Integers, wanted: Integers) -> None:
    """The state ordered (s,) of each group; -1 for none. Of several orders the last one counts."""
    wanted[:] = -1
    for row in range(min(max(count[0], 0), len(orders))):
        group, state = int(orders[row, 0]), int(orders[row, 1])
        if 0 <= group < len(wanted) and _OFF <= state <= _FLASHING:
            wanted[group] = state


@compiled
def _advance(
    now: Integers,
    plan: PlanArrays,
    rows: Floats,
    wanted: Integers,
    gaps: Floats,
    waiting: Integers,
    shown: Integers,
) -> None:
    step = now[0]
    for controller in range(len(rows)):
        row = rows[controller]
        dark = _dark_order(plan, controller, wanted)
        if dark >= 0:
            row[_PHASE], row[_STAGE], row[_SINCE] = -1, _DARK, step
            _show_dark(plan, controller, dark, shown)
            continue
        if row[_STAGE] == _DARK:
            row[_NEXT], row[_STAGE], row[_SINCE] = 0, _CHANGES, step
        if row[_STAGE] == _SHOWS:
            following = _following(step, plan, controller, row, wanted, gaps, waiting)
            if following != row[_PHASE]:
                row[_NEXT], row[_STAGE], row[_SINCE] = following, _LEADS, step
        lead, change = _times_to_next(plan, controller, row)
        if row[_STAGE] == _LEADS and step - row[_SINCE] >= lead:
            row[_STAGE], row[_SINCE] = _CHANGES, step
        if row[_STAGE] == _CHANGES and step - row[_SINCE] >= change:
            row[_PHASE], row[_STAGE], row[_SINCE] = row[_NEXT], _SHOWS, step
        _show(step, plan, controller, row, change, shown)


@compilable
def _dark_order(plan: PlanArrays, controller: int, wanted: Integers) -> int:
    """`OFF` or `FLASHING` where that is ordered of any group of a controller, else -1."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if wanted[group] == _OFF or wanted[group] == _FLASHING:
            return int(wanted[group])
    return -1


@compilable
def _show_dark(plan: PlanArrays, controller: int, state: int, shown: Integers) -> None:
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        shown[group] = _OFF if plan.is_people[group] else state


@compilable
def _is_green(plan: PlanArrays, controller: int, phase: int, group: int) -> bool:
    """Whether a group is green in a phase of its controller; in none is -1."""
    if phase < 0:
        return False
    first = plan.group_starts[controller]
    return bool(plan.greens[plan.phase_starts[controller] + phase, group - first])


@compilable
def _fits(plan: PlanArrays, controller: int, phase: int, wanted: Integers) -> int:
    """How many orders a phase obeys, less a thousand for each that it does not."""
    score = 0
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if wanted[group] >= 0:
            shall_be_green = wanted[group] == _GREEN or wanted[group] == _RED_AMBER
            same = _is_green(plan, controller, phase, group) == shall_be_green
            score += 1 if same else -1000
    return score


@compilable
def _ordered(plan: PlanArrays, controller: int, phase: int, wanted: Integers) -> int:
    """The phase that obeys the orders; -1, all red, where none does. -2: nothing is ordered."""
    has_orders = False
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        has_orders = has_orders or wanted[group] >= 0
    if not has_orders:
        return -2
    count = plan.phase_starts[controller + 1] - plan.phase_starts[controller]
    for k in range(count):
        candidate = (max(phase, 0) + k) % count
        if _fits(plan, controller, candidate, wanted) > 0:
            return int(candidate)
    return -1


@compilable
def _following(
    step: int,
    plan: PlanArrays,
    controller: int,
    row: Floats,
    wanted: Integers,
    gaps: Floats,
    waiting: Integers,
) -> int:
    """The phase that shall come now: the same one, as long as its green goes on."""
    phase = int(row[_PHASE])
    ordered = _ordered(plan, controller, phase, wanted)
    shown = step - row[_SINCE]
    count = plan.phase_starts[controller + 1] - plan.phase_starts[controller]
    at = plan.phase_starts[controller] + phase
    if phase >= 0 and shown < plan.least[at]:
        return phase
    if ordered > -2:
        return ordered
    if phase < 0:
        return 0
    if not plan.is_actuated:
        return phase if shown < plan.fixed[at] else (phase + 1) % count
    for k in range(1, count):
        candidate = (phase + k) % count
        if _is_wanted(plan, controller, candidate, phase, gaps, waiting):
            if shown < plan.most[at] and _is_still_used(plan, controller, phase, gaps):
                return phase
            return int(candidate)
    return phase


@compilable
def _is_wanted(
    plan: PlanArrays,
    controller: int,
    phase: int,
    shown: int,
    gaps: Floats,
    waiting: Integers,
) -> bool:
    """Whether somebody waits for a group that is green in a phase, and not in the one shown."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if not _is_green(plan, controller, phase, group):
            continue
        if _is_green(plan, controller, shown, group):
            continue
        if waiting[group] > 0:
            return True
        for k in range(plan.lane_starts[group], plan.lane_starts[group + 1]):
            if gaps[plan.lanes[k]] < _SEEN:
                return True
    return False


@compilable
def _is_still_used(plan: PlanArrays, controller: int, phase: int, gaps: Floats) -> bool:
    """Whether a vehicle comes soon on a lane that is green."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if _is_green(plan, controller, phase, group):
            for k in range(plan.lane_starts[group], plan.lane_starts[group + 1]):
                if gaps[plan.lanes[k]] < plan.reaches[k]:
                    return True
    return False


@compilable
def _times_to_next(plan: PlanArrays, controller: int, row: Floats) -> tuple[int, int]:
    """Steps of lead and of change from the phase of a controller to its next one."""
    phase, following = int(row[_PHASE]), int(row[_NEXT])
    change, people = 0, 0
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if not _is_green(plan, controller, phase, group):
            continue
        if _is_green(plan, controller, following, group):
            continue
        if plan.is_people[group]:
            people = max(people, plan.clearances[group])
        else:
            change = max(change, plan.ambers[group] + plan.clearances[group])
    lead = max(people - change, 0)
    if phase < 0:
        change = plan.all_red
    return lead, max(change, plan.red_amber)


@compilable
def _show(
    step: int, plan: PlanArrays, controller: int, row: Floats, change: int, shown: Integers
) -> None:
    phase, following, stage = int(row[_PHASE]), int(row[_NEXT]), row[_STAGE]
    passed = step - row[_SINCE]
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        was = _is_green(plan, controller, phase, group)
        will = was if stage == _SHOWS else _is_green(plan, controller, following, group)
        state = _RED
        if was and will:
            state = _GREEN
        elif was and not plan.is_people[group]:
            if stage == _LEADS:
                state = _GREEN
            elif passed < plan.ambers[group]:
                state = _AMBER
        elif will and not plan.is_people[group] and change - passed <= plan.red_amber:
            state = _RED_AMBER if stage == _CHANGES else _RED
        shown[group] = state
