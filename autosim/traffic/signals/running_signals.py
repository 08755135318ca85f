"""The signals of a running world: what is shown on each lane and at each crossing, step by step."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.world_settings import TrafficDescription
from autosim.jit import compiled
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.signals.controllers import Lights, SignalControllers
from autosim.traffic.signals.signal_plan import SignalPlan, make_plan
from autosim.traffic.traffic_node import NAME, SIGNAL_ORDERS, TrafficArrays
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.lane_rules import SignalState

NO_SIGNAL = -1
"""Number shown where there is no signal: it is none of `SignalState`."""


_PERIOD = 0.1
"""Time [s] between two looks of the controllers: real ones look ten times a second (NTCIP 1202)."""


class DetectorGaps(NamedTuple):
    """Positions of vehicles at signals and approaching them, for actuated controllers.

    `lanes` (n,) the lane of each; `stations` (n,) [m] of its front on it.
    """

    lanes: Integers
    stations: Floats


class RunningSignals:
    """All signals of a world with traffic.

    Args:
        world: the place.
        traffic: what the world file says of traffic.
        state: where the signals are shown; its tree has the node of traffic.
        step_seconds: length of a step [s].
        seed: of the run.

    `plan` says which group belongs to which lane and crossing. `lane_signals` (lanes,) and
    `crossing_signals` (c,), by the rows of `LaneRules.crossing_lanes`, are what is shown there now,
    as numbers of `SignalState`, and NO_SIGNAL elsewhere; `shown` (s,) that of each group.
    """

    def __init__(
        self,
        world: CompiledWorld,
        traffic: TrafficDescription,
        state: State,
        *,
        step_seconds: float,
        seed: int = 0,
    ) -> None:
        arrays = _arrays_of(state)
        most = len(arrays.signals)
        # As long as the rest of a new simulation takes: those of one map share it.
        self.plan = world.roads.derived(
            ("signal plan", most, world.origin, world.driving_side),
            lambda: make_plan(world, most=most),
        )
        self._stop_lines = world.roads.traffic.stop_lines
        self.shown = arrays.signals
        self._are_off = traffic.signals == "off"
        self._controllers = SignalControllers(
            self.plan,
            world.roads,
            lights=_lights(state, arrays.signals),
            step_seconds=step_seconds,
            seed=combine_seeds(seed, traffic.seed),
            is_actuated=traffic.signals == "actuated",
        )
        self.lane_signals = np.full(len(world.roads.roads), NO_SIGNAL, dtype=np.int64)
        self.crossing_signals = np.full(len(self.plan.crossing_groups), NO_SIGNAL, dtype=np.int64)
        self._every = max(1, round(_PERIOD / step_seconds))
        self._spread_last = np.full(len(self.plan), NO_SIGNAL, dtype=np.int64)
        self._lanes = np.flatnonzero(self.plan.lane_groups >= 0)
        self._crossings = np.flatnonzero(self.plan.crossing_groups >= 0)
        self.advance(0)

    def advance(self, step: int) -> None:
        """Shows what is shown at a step."""
        if step % self._every == 0 and not self._are_off:
            self._controllers.advance(step)
        # A snapshot may have changed what is shown, too.
        now = self.shown[: len(self._spread_last)]
        if not np.array_equal(now, self._spread_last):
            self._spread_last = now.copy()
            self._spread()

    def update_detectors(self, vehicles: DetectorGaps, waiting: Integers | None = None) -> None:
        """Tells actuated controllers who comes: all vehicles, and `waiting` people by group."""
        seen = self._controllers.detectors
        find_gaps(vehicles.lanes, vehicles.stations, self._stop_lines, seen.gaps)
        if waiting is not None:
            seen.waiting[:] = waiting

    def memories(self) -> tuple[Memory, ...]:
        """State that the controllers keep in addition to the tree's."""
        rows = self._controllers.rows
        names = tuple(f"{NAME}.controller{number}" for number in range(len(rows)))
        return (Memory("SignalController", names, rows),)

    def _spread(self) -> None:
        groups = self.plan.lane_groups[self._lanes]
        self.lane_signals[self._lanes] = self.shown[groups]
        self.crossing_signals[self._crossings] = self.shown[
            self.plan.crossing_groups[self._crossings]
        ]


def signals_of(
    traffic: TrafficDescription | None,
    world: CompiledWorld,
    state: State,
    *,
    step_seconds: float,
    seed: int,
) -> RunningSignals | None:
    """The signals of a world; None where it has no traffic."""
    if traffic is None:
        return None
    return RunningSignals(world, traffic, state, step_seconds=step_seconds, seed=seed)


def signals_text(plan: SignalPlan) -> str:
    """Number of signals as text."""
    people = int(plan.is_people.sum())
    return (
        f"{len(plan) - people} signals for vehicles and {people} for people at "
        f"{len(plan.group_starts) - 1} intersections"
    )


def signal_state_name(state: int) -> str:
    """A state of a signal in words, such as `red and amber`."""
    return SignalState(state).name.lower().replace("_", " and ")


def combine_seeds(*seeds: int) -> int:
    """One seed of several."""
    return int(np.random.SeedSequence(seeds).generate_state(1)[0])


def _arrays_of(state: State) -> TrafficArrays:
    node = state.tree.find(NAME)
    assert node is not None
    return TrafficArrays(state, node)


def _lights(state: State, shown: Integers) -> Lights:
    node = state.tree.find(f"{NAME}.{SIGNAL_ORDERS}")
    assert node is not None
    (rows,) = node.fields
    first = node.start // WORD
    table = state.floats[first + 1 : first + rows.size // WORD].reshape(rows.shape)
    return Lights(shown, table, state.ints[first : first + 1])


@compiled
def find_gaps(lanes: Integers, stations: Floats, stop_lines: Floats, gaps: Floats) -> None:
    """Distances (lanes,) [m] from each stop line back to the nearest vehicle before it."""
    gaps[:] = np.inf
    for row in range(len(lanes)):
        lane = lanes[row]
        gap = stop_lines[lane] - stations[row]
        if 0.0 <= gap < gaps[lane]:
            gaps[lane] = gap
