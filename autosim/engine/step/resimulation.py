"""Simulates a recorded run again, from its log or with its programs, and compares each state."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autosim.engine.step.placement import Placement
from autosim.engine.step.run_log import EXTERNAL_INPUTS, RUN_INPUTS, RunLog
from autosim.engine.step.simulation import Simulation
from autosim.model.state import State, rows_text
from autosim.model.tree import SimulationTree, TreeNode
from autosim.records.events import Intervention, StateDigest
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError


@dataclass(frozen=True, slots=True)
class Difference:
    """The first value in which two runs differ: after `step` steps, that of a node's field.

    `recorded` and `simulated` are the values in words.
    """

    step: int
    node: str
    field: str
    recorded: str
    simulated: str

    def __str__(self) -> str:
        """In words."""
        return (
            f"step {self.step}: {self.node}.{self.field} was {self.recorded} in the record and is "
            f"{self.simulated} now"
        )


@dataclass(frozen=True, slots=True)
class ResimulationResult:
    """Agreement of a run with its record: number of compared states, first difference."""

    compared: int
    difference: Difference | None


def program_restart_reason(record: Record, last: int) -> str:
    """Why programs cannot do again what they did in a record up to a step; "" where they can."""
    interventions = record.events((Intervention,))
    return next(
        (e.text for e in interventions if isinstance(e, Intervention) and e.step < last), ""
    )


def has_pending_inputs(record: Record, last: int) -> bool:
    """Whether inputs after the step `last` are to be applied, and not only the state there."""
    return last in (record.first_step, record.last_step)


def resimulate(
    simulation: Simulation,
    record: Record,
    *,
    last: int,
    are_programs_run: bool = False,
    progress: Callable[[int], None] = lambda step: None,
) -> ResimulationResult:
    """Simulates the recorded run from its first step to `last`, and compares each state.

    Where the record has no states, digests in it are compared.

    Args:
        simulation: of the record's world and seed, before its first step.
        record: holds the log of commands of the run from its first step on.
        last: the step to come to.
        are_programs_run: the simulation's programs run again, and only what came from outside is
            taken from the log; else no program runs.
        progress: told each step that is done.

    Returns:
        the result; it ends with the first difference.

    Raises:
        RecordError: the record is of another world, is not a whole log, or is damaged.
    """
    _check(simulation, record, last)
    following = _Following(simulation, record, are_programs_run=are_programs_run)
    simulation.on_publish.append(following.compare)
    try:
        following.begin()
        while following.difference is None and simulation.state.step < last:
            following.step()
            progress(simulation.state.step)
        if has_pending_inputs(record, last):
            following.tell_last()
    finally:
        simulation.on_publish.remove(following.compare)
    return ResimulationResult(following.compared, following.difference)


class _Following:
    """A simulation on the way through a record.

    `difference` is the first, None without any; `compared` counts the states that were compared.
    """

    def __init__(self, simulation: Simulation, record: Record, *, are_programs_run: bool) -> None:
        events = record.log()
        self.difference: Difference | None = None
        self.compared = 0
        self._simulation, self._record = simulation, record
        self._are_programs_run = are_programs_run
        self._outside = RunLog(events, EXTERNAL_INPUTS)
        self._log = self._outside if are_programs_run else RunLog(events, RUN_INPUTS)
        self._digest = hashlib.sha256()
        self._points = {e.step: e.digest for e in events if isinstance(e, StateDigest)}

    def begin(self) -> None:
        """Compares the first state, and starts the programs, where they run."""
        if not self._is_first_moved(0):
            self._compare_state()
        if self._are_programs_run:
            self._simulation.begin()
            self._wait_for_programs()

    def step(self) -> None:
        """Applies the recorded inputs of a step, and does the step."""
        self._tell(self._log)
        self._simulation.advance()
        if self._are_programs_run:
            self._wait_for_programs()

    def tell_last(self) -> None:
        """Applies the recorded inputs of the following step."""
        if self.difference is None:
            self._tell(self._outside)

    def compare(self) -> None:
        """Compares the state that has just been made."""
        state = self._simulation.state
        self._digest.update(state.buffer)
        if not self._is_first_moved(state.step):
            self._compare_state()
        expected, found = self._points.get(state.step), self._digest.hexdigest()
        if self.difference is None and expected not in (None, found):
            self.difference = Difference(state.step, "run", "digest", str(expected), found)

    def _compare_state(self) -> None:
        state, record = self._simulation.state, self._record
        if self.difference is not None or state.step < record.first_step:
            return
        recorded = record.find_state(state.step)
        if recorded is not None:
            self.compared += 1
            self.difference = first_difference(self._simulation.tree, recorded, state)

    def _is_first_moved(self, step: int) -> bool:
        """Whether the record may begin after something was moved at its first step."""
        told = self._outside.at(step)
        return step == self._record.first_step and any(isinstance(e, Placement) for e in told)

    def _tell(self, log: RunLog) -> None:
        step = self._simulation.state.step
        self._simulation.queue(log.at(step))
        self._simulation.carry_out_placements()
        if self._is_first_moved(step):
            self._compare_state()

    def _wait_for_programs(self) -> None:
        self._simulation.participants.wait()
        self._simulation.settle()


def _check(simulation: Simulation, record: Record, last: int) -> None:
    about = record.about
    if not about.has_log:
        raise RecordError(
            f"{record.path}: cannot be simulated again: its run began in the middle (a robot was "
            "added or removed before), or its log was too long"
        )
    if simulation.tree.digest != about.layout_digest:
        raise RecordError(f"{record.path}: its states have another layout than this world's")
    if simulation.compiled.digest != about.world_digest:
        raise RecordError(
            f"{record.path}: its map compiles to another world now (it was recorded by version "
            f"{about.version}): autosim replay shows the run, but this version cannot simulate it"
        )
    if not 0 <= last <= record.last_step:
        raise RecordError(f"{record.path}: its last step is {record.last_step}, not {last}")


def first_difference(tree: SimulationTree, recorded: bytes, simulated: State) -> Difference | None:
    """The first field, in the order of the tree, in which a recorded state is another one."""
    now = np.frombuffer(simulated.buffer, dtype=np.int64)
    places = np.flatnonzero(np.frombuffer(recorded, dtype=np.int64) != now)
    if not len(places):
        return None
    before = State(tree, bytearray(recorded))
    first = 8 * int(places[0])
    for node in tree.walk():
        for field in node.fields:
            start = node.field_offset(field.name)
            if node.twin is None and start <= first < start + field.size:
                values = (_text(before, node, field), _text(simulated, node, field))
                return Difference(simulated.step, node.name or "the tree", field.name, *values)
    raise AssertionError("a word of a state belongs to no field")


def _text(state: State, node: TreeNode, field: Any) -> str:
    value = state.value(node, field)
    if isinstance(value, np.ndarray):
        return rows_text(value.reshape(-1, 1), value.size, write="{:.17g}".format)
    return f"{value:.17g}" if isinstance(value, float) else str(value)
