"""The signal groups of a world as map formats describe them."""

from autosim.traffic.signals.signal_plan import SignalPlan, make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.opendrive import opendrive
from autosim.world.export.opendrive_signals import SignalledLanes


def opendrive_with_signals(world: CompiledWorld, *, has_objects: bool = True) -> bytes:
    """Writes a world as OpenDRIVE with controllers of its signals, as `opendrive` does without."""
    plan = make_plan(world, most=MOST_SIGNALS)
    lanes = SignalledLanes(plan.lane_groups, _first_phases(plan))
    return opendrive(world, has_objects=has_objects, signals=lanes)


def _first_phases(plan: SignalPlan) -> list[int]:
    """The number of the first phase of its controller in which each group is green."""
    found = [0] * len(plan)
    for controller in range(len(plan.phase_starts) - 1):
        phases = list(plan.phases_of(controller))
        for number in range(len(phases) - 1, -1, -1):
            for group in phases[number]:
                found[group] = number
    return found
