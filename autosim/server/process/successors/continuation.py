"""Continues from a step of a recorded run, which is simulated again up to there and compared."""

import time
from collections.abc import Callable

from autosim.config.descriptions import WorldDescription
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import PathError, locate
from autosim.config.files.program_files import PROGRAM_FOLDER, find_program
from autosim.engine.step.resimulation import (
    has_pending_inputs,
    program_restart_reason,
    resimulate,
)
from autosim.engine.step.simulation import Simulation
from autosim.model.notices import Notice
from autosim.records.events import CommandOrdered, Event, Intervention
from autosim.records.record_file import Record
from autosim.records.record_format import Continuation, RecordError
from autosim.server.process.run_recording import RunRecording

_TELL_SECONDS = 5.0
"""Time [s] between two messages of how far it has come."""

_SOURCE = "record"
"""The origin of messages on it."""


def continue_run(
    world: WorldDescription,
    simulation: Simulation,
    continuation: Continuation,
    recording: RunRecording,
    report: Callable[[Notice], None],
) -> bool:
    """Brings a simulation to the step from which a record's run is to continue.

    Args:
        world: of the record.
        simulation: of the record's world, before its first step.
        continuation: from where.
        recording: of the simulation; what is known of the run up to there goes into its log.
        report: takes messages for the user.

    Returns:
        whether the simulation's programs are under way; otherwise they restart.

    Raises:
        RecordError: the run cannot be simulated again, or comes to another state; or a program that
            is to repeat its commands is missing, or has another content than in the run.
    """
    with Record(continuation.record) as record:
        last = record.last_step if continuation.step is None else continuation.step
        reason = program_restart_reason(record, last)
        if continuation.has_fresh_programs:
            reason = "that was asked for"
        if not reason:
            _require_same_programs(record, world)
        recording.note_earlier(_not_repeated(record, last))
        followed = resimulate(
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
            recording.note_intervention("programs restarted")
            text = f"continues from step {last}; programs restart ({reason})"
        else:
            text = f"continues from step {last} with its programs"
        report(Notice("info", _SOURCE, last, text))
        return not reason


def _require_same_programs(record: Record, world: WorldDescription) -> None:
    """Compares the programs of this machine with those that the run had.

    Records hold no programs: those that run are looked up in the user's own program folders.
    """
    roots = locate(world.source)[1]
    for name, digest in record.about.programs:
        try:
            file = find_program(name, roots)
        except PathError as error:
            raise RecordError(
                f"the run had the user program '{name}', and records hold no programs: {error}. "
                f"Put it into a folder {PROGRAM_FOLDER}, or {_WITHOUT}"
            ) from error
        if file_digest(file) != digest:
            raise RecordError(
                f"the user program {file} is another file than the run had (SHA-256 "
                f"{digest[:12]}…): put that version there, or {_WITHOUT}"
            )


_WITHOUT = (
    "--restart-programs repeats the recorded commands, and starts the programs of today there"
)

_HINT = (
    ". Its programs do not do again what they did: their files have changed, or they depend on "
    "more than the simulation. "
    "--restart-programs repeats their recorded commands, and restarts the programs"
)


def _not_repeated(record: Record, last: int) -> list[Event]:
    """Entries of a log that a simulation does not reproduce by itself."""
    end = last + has_pending_inputs(record, last)
    return [each for each in record.events((CommandOrdered, Intervention)) if each.step < end]


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
