"""Controllers: one for each intersection, which serves the phases of its groups in turn.

A phase is green until it ends: at a fixed time or, actuated, when demand has ended and others
wait. Then people whose light turns red get a lead, vehicles see amber and red, and the next phase
is green. So no two groups in conflict are ever green together, whatever programs order.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import bind_arguments, compiled, jitable
from autosim.traffic.signals.cycle_starts import first_rows
from autosim.traffic.signals.green_waves import find_links
from autosim.traffic.signals.plan_arrays import (
    CHANGES,
    DARK,
    LEADS,
    NEXT,
    PHASE,
    SHOWS,
    SINCE,
    STAGE,
    PlanArrays,
    arrays_of,
    is_green,
    times_to_next,
)
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.lanes.roads import RoadNetwork

_OFF, _RED, _RED_AMBER = int(SignalState.OFF), int(SignalState.RED), int(SignalState.RED_AMBER)
_GREEN, _AMBER = int(SignalState.GREEN), int(SignalState.AMBER)
_FLASHING = int(SignalState.FLASHING)

_SEEN = 60.0
"""Distance [m] from the stop line at which an actuated controller sees vehicles: that at which
advance detectors lie in streets of 50 km/h (RiLSA 2015, 4.2; FHWA Signal Timing Manual, 5.3)."""


class Detectors(NamedTuple):
    """Detector values for actuated controllers, written by the traffic before each step.

    `gaps` (lanes,): distance [m] from the stop line of each lane back to the front of the nearest
    vehicle before it; inf for none. `waiting` (s,): number of people waiting at each group.
    """

    gaps: Floats
    waiting: Integers


@dataclass(frozen=True, slots=True)
class Lights:
    """Output of the kernel, and the orders to it.

    `shown` (s, or more) int64 of `SignalState`; `orders` (k, 2): number of a group
    and the ordered state; `order_count` (1,) number of orders.
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
        seed: of the moments at which the controllers begin, but for those that green waves decide.
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
        arrays = arrays_of(plan, roads, step_seconds, is_actuated)
        # Who comes decides how long actuated greens last: no offset would hold.
        links = [] if is_actuated else find_links(plan, roads)
        self.rows = first_rows(plan, arrays, links, step_seconds, np.random.default_rng(seed))
        self._step, wanted = np.zeros(1, dtype=np.int64), np.full(len(plan), -1, dtype=np.int64)
        seen = self.detectors
        self._read_orders = bind_arguments(_read_orders, lights.orders, lights.order_count, wanted)
        self._advance = bind_arguments(
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
            row[PHASE], row[STAGE], row[SINCE] = -1, DARK, step
            _show_dark(plan, controller, dark, shown)
            continue
        if row[STAGE] == DARK:
            row[NEXT], row[STAGE], row[SINCE] = 0, CHANGES, step
        if row[STAGE] == SHOWS:
            following = _following(step, plan, controller, row, wanted, gaps, waiting)
            if following != row[PHASE]:
                row[NEXT], row[STAGE], row[SINCE] = following, LEADS, step
        lead, change = times_to_next(plan, controller, row)
        if row[STAGE] == LEADS and step - row[SINCE] >= lead:
            row[STAGE], row[SINCE] = CHANGES, step
        if row[STAGE] == CHANGES and step - row[SINCE] >= change:
            row[PHASE], row[STAGE], row[SINCE] = row[NEXT], SHOWS, step
        _show(step, plan, controller, row, change, shown)


@jitable
def _dark_order(plan: PlanArrays, controller: int, wanted: Integers) -> int:
    """`OFF` or `FLASHING` where that is ordered of any group of a controller, else -1."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if wanted[group] == _OFF or wanted[group] == _FLASHING:
            return int(wanted[group])
    return -1


@jitable
def _show_dark(plan: PlanArrays, controller: int, state: int, shown: Integers) -> None:
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        shown[group] = _OFF if plan.is_people[group] else state


@jitable
def _fits(plan: PlanArrays, controller: int, phase: int, wanted: Integers) -> int:
    """Number of orders that a phase satisfies, less a thousand for each that it does not."""
    score = 0
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if wanted[group] >= 0:
            shall_be_green = wanted[group] == _GREEN or wanted[group] == _RED_AMBER
            same = is_green(plan, controller, phase, group) == shall_be_green
            score += 1 if same else -1000
    return score


@jitable
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


@jitable
def _following(
    step: int,
    plan: PlanArrays,
    controller: int,
    row: Floats,
    wanted: Integers,
    gaps: Floats,
    waiting: Integers,
) -> int:
    """The phase that is due now: the same one, as long as its green continues."""
    phase = int(row[PHASE])
    ordered = _ordered(plan, controller, phase, wanted)
    shown = step - row[SINCE]
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


@jitable
def _is_wanted(
    plan: PlanArrays,
    controller: int,
    phase: int,
    shown: int,
    gaps: Floats,
    waiting: Integers,
) -> bool:
    """Whether a group that is green in a phase, but not in the one shown, has demand."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if not is_green(plan, controller, phase, group):
            continue
        if is_green(plan, controller, shown, group):
            continue
        if waiting[group] > 0:
            return True
        for k in range(plan.lane_starts[group], plan.lane_starts[group + 1]):
            if gaps[plan.lanes[k]] < _SEEN:
                return True
    return False


@jitable
def _is_still_used(plan: PlanArrays, controller: int, phase: int, gaps: Floats) -> bool:
    """Whether a vehicle comes soon on a lane that is green."""
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        if is_green(plan, controller, phase, group):
            for k in range(plan.lane_starts[group], plan.lane_starts[group + 1]):
                if gaps[plan.lanes[k]] < plan.reaches[k]:
                    return True
    return False


@jitable
def _show(
    step: int, plan: PlanArrays, controller: int, row: Floats, change: int, shown: Integers
) -> None:
    phase, following, stage = int(row[PHASE]), int(row[NEXT]), row[STAGE]
    passed = step - row[SINCE]
    for group in range(plan.group_starts[controller], plan.group_starts[controller + 1]):
        was = is_green(plan, controller, phase, group)
        will = was if stage == SHOWS else is_green(plan, controller, following, group)
        state = _RED
        if was and will:
            state = _GREEN
        elif was and not plan.is_people[group]:
            if stage == LEADS:
                state = _GREEN
            elif passed < plan.ambers[group]:
                state = _AMBER
        elif will and not plan.is_people[group] and change - passed <= plan.red_amber:
            state = _RED_AMBER if stage == CHANGES else _RED
        shown[group] = state
