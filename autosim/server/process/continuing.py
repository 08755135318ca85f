"""Goes on from a step of a recorded run: it is simulated again up to there, and compared."""

import time
from collections.abc import Callable

from autosim.records.contents import Continuation, RecordError
from autosim.records.events import Event, Intervened, Ordered
from autosim.records.record_file import Record
from autosim.server.process.recording import Recording
from autosim.server.step.resimulation import (
    follow_record,
    is_outstanding_told,
    why_programs_begin_anew,
)
from autosim.server.step.simulation import Simulation
from autosim.simulation.notices import Notice

_TELL_SECONDS = 5.0
"""Time [s] between two messages of how far it has come."""

_SOURCE = "record"
"""The origin of messages on it."""


def continue_run(
    simulation: Simulation,
    continuation: Continuation,
    recording: Recording,
    report: Callable[[Notice], None],
) -> bool:
    """Brings a simulation to where the run of a record is to go on.

    Args:
        simulation: of the record's world, before its first step.
        continuation: from where.
        recording: of the simulation; what is known of the run up to there goes into its log.
        report: takes messages for the user.

    Returns:
        whether the simulation's programs are under way; else they begin anew.

    Raises:
        RecordError: the run cannot be simulated again, or comes to another state.
    """
    with Record(continuation.record) as record:
        last = record.last_step if continuation.step is None else continuation.step
        reason = why_programs_begin_anew(record, last)
        if continuation.has_fresh_programs:
            reason = "that was asked for"
        recording.note_earlier(_not_repeated(record, last))
        followed = follow_record(
            simulation,
            record,
            last=last,
            are_programs_run=not reason,
            progress=_Progress(last, report),
        )
        if followed.difference is not None:
            hint = "" if reason else _HINT
            raise RecordError(
                f"the run comes to another state than recorded: {followed.difference}{hint}"
            )
        if reason:
            recording.note_intervention("programs began anew")
            text = f"goes on from step {last}; programs begin anew ({reason})"
        else:
            text = f"goes on from step {last}, programs as they were"
        report(Notice("info", _SOURCE, last, text))
        return not reason


_HINT = (
    ". Its programs do not do again what they did: their files have changed, or they depend on "
    "more than the simulation. "
    "--fresh-programs repeats their recorded commands, and begins them anew"
)


def _not_repeated(record: Record, last: int) -> list[Event]:
    """What a log has that a simulation does not tell by itself, however it is repeated."""
    end = last + is_outstanding_told(record, last)
    return [each for each in record.events((Ordered, Intervened)) if each.step < end]


class _Progress:
    """Tells how far it has come, where that takes long."""

    def __init__(self, last: int, report: Callable[[Notice], None]) -> None:
        self._last, self._report = last, report
        self._told_at = time.monotonic()

    def __call__(self, step: int) -> None:
        now = time.monotonic()
        if now - self._told_at >= _TELL_SECONDS:
            self._told_at = now
            text = f"simulates the run again: step {step} of {self._last}"
            self._report(Notice("info", _SOURCE, step, text))
