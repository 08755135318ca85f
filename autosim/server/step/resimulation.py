"""Simulates a recorded run again, from its log of commands, and compares each state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autosim.records.contents import RecordError
from autosim.records.record_file import Record
from autosim.server.step.run_log import RunLog
from autosim.server.step.simulation import Simulation
from autosim.simulation.state import State, rows_text
from autosim.simulation.tree import Node, SimulationTree


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


def follow_record(
    simulation: Simulation,
    record: Record,
    *,
    last: int,
    is_compared: bool = False,
    progress: Callable[[int], None] = lambda step: None,
) -> Difference | None:
    """Simulates the recorded run from its first step to `last`; the state there is compared.

    Args:
        simulation: of the record's world and seed, before its first step; no program of it runs.
        record: holds the log of commands of the run from its first step on.
        last: the step to come to.
        is_compared: compare each state, and end with the first difference; else a difference in the
            last state is an error.
        progress: told each step that is done.

    Returns:
        the first difference, None where there is none.

    Raises:
        RecordError: the record is of another world, is no whole log, or the run comes to another
            state.
    """
    _check(simulation, record, last)
    log = RunLog(record.log())
    while simulation.state.step < last:
        simulation.queue(log.at(simulation.state.step))
        simulation.advance()
        step = simulation.state.step
        progress(step)
        if (is_compared and step >= record.first_step) or step == last:
            difference = find_difference(simulation.tree, record.state(step), simulation.state)
            if difference is not None and is_compared:
                return difference
            if difference is not None:
                raise RecordError(f"the run comes to another state than recorded: {difference}")
    return None


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
            f"{about.version})"
        )
    if not record.first_step <= last <= record.last_step:
        raise RecordError(
            f"{record.path}: has the steps {record.first_step} to {record.last_step}, not {last}"
        )


def find_difference(tree: SimulationTree, recorded: bytes, simulated: State) -> Difference | None:
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


def _text(state: State, node: Node, field: Any) -> str:
    value = state.value(node, field)
    if isinstance(value, np.ndarray):
        return rows_text(value.reshape(-1, 1), value.size, write="{:.17g}".format)
    return f"{value:.17g}" if isinstance(value, float) else str(value)
