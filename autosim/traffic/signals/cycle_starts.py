"""The cycles of controllers with fixed times, and where in them each begins."""

import numpy as np

from autosim.arrays import Floats
from autosim.traffic.signals.green_waves import CoordinationLink
from autosim.traffic.signals.plan_arrays import (
    CHANGES,
    LEADS,
    NEXT,
    PHASE,
    SHOWS,
    PlanArrays,
    times_to_next,
)
from autosim.traffic.signals.signal_plan import SignalPlan

_ALIKE = 0.5
"""Difference [s] of two cycles that is one of rounding: greens are lengthened by it."""


def first_rows(
    plan: SignalPlan,
    arrays: PlanArrays,
    links: list[CoordinationLink],
    step_seconds: float,
    generator: np.random.Generator,
) -> Floats:
    """Initial memory of the controllers (c, 4) at step 0.

    Args:
        plan: of the world.
        arrays: the same for kernels; greens in it become longer by a few steps, so that cycles
            which are linked and alike are equal.
        links: for green waves; the leading controller of each comes before the led one.
        step_seconds: length of a step [s].
        generator: chooses the phase offsets of all others.
    """
    cycles = [_Cycle(arrays, controller) for controller in range(len(plan.phase_starts) - 1)]
    _make_equal(cycles, links, plan, round(_ALIKE / step_seconds))
    moments = _moments_of(cycles, generator)
    for link in links:
        _coordinate(moments, cycles, link, plan, round(link.seconds / step_seconds))
    rows = [each.row_at(moment) for each, moment in zip(cycles, moments, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


class _Cycle:
    """The fixed times of a controller, in steps from where its first phase begins.

    Args:
        arrays: the plan; its fixed greens are read each time.
        controller: whose.
    """

    def __init__(self, arrays: PlanArrays, controller: int) -> None:
        first, end = arrays.phase_starts[controller : controller + 2].tolist()
        self.fixed = arrays.fixed[first:end]
        count = end - first
        row = np.zeros(4)
        self._changes = []
        for phase in range(count):
            row[PHASE], row[NEXT] = phase, (phase + 1) % count
            self._changes.append(times_to_next(arrays, controller, row))

    def __len__(self) -> int:
        return int(self.fixed.sum()) + sum(lead + change for lead, change in self._changes)

    def begin_of(self, phase: int) -> int:
        """When a phase begins to be green."""
        return int(self.fixed[:phase].sum()) + sum(sum(each) for each in self._changes[:phase])

    def row_at(self, moment: int) -> list[int]:
        """Memory of the controller at a given offset of the cycle, at step 0."""
        phase = max(each for each in range(len(self.fixed)) if self.begin_of(each) <= moment)
        passed, following = moment - self.begin_of(phase), (phase + 1) % len(self.fixed)
        green, lead = int(self.fixed[phase]), self._changes[phase][0]
        if passed < green:
            return [phase, phase, SHOWS, -passed]
        if passed < green + lead:
            return [phase, following, LEADS, green - passed]
        return [phase, following, CHANGES, green + lead - passed]


def _moments_of(cycles: list[_Cycle], generator: np.random.Generator) -> list[int]:
    """Each controller somewhere in the green of one of its phases."""
    found = []
    for cycle in cycles:
        moment = int(generator.integers(max(int(cycle.fixed.sum()), 1)))
        phase = int(np.searchsorted(np.cumsum(cycle.fixed), moment, side="right"))
        found.append(cycle.begin_of(phase) + moment - int(cycle.fixed[:phase].sum()))
    return found


def _make_equal(
    cycles: list[_Cycle], links: list[CoordinationLink], plan: SignalPlan, alike: int
) -> None:
    """Lengthens greens by a few steps, so that linked cycles which are alike are equal."""
    for link in reversed(links):
        first, second = (cycles[plan.controllers[group]] for group in (link.first, link.second))
        lack = len(second) - len(first)
        if 0 < lack <= alike:
            first.fixed[0] += lack
    for link in links:
        first, second = (cycles[plan.controllers[group]] for group in (link.first, link.second))
        lack = len(first) - len(second)
        if 0 < lack <= alike:
            second.fixed[0] += lack


def _coordinate(
    moments: list[int], cycles: list[_Cycle], link: CoordinationLink, plan: SignalPlan, steps: int
) -> None:
    """Sets the second controller of a link to green when vehicles from the first arrive."""
    first, second = (int(plan.controllers[group]) for group in (link.first, link.second))
    length = len(cycles[second])
    if len(cycles[first]) != length:
        return
    left = cycles[first].begin_of(_phase_of(plan, link.first)) - moments[first]
    arrives = cycles[second].begin_of(_phase_of(plan, link.second))
    moments[second] = (arrives - left - steps) % length


def _phase_of(plan: SignalPlan, group: int) -> int:
    """The first phase of its controller in which a group is green."""
    phases = plan.phases_of(int(plan.controllers[group]))
    return next((number for number, phase in enumerate(phases) if group in phase), 0)
