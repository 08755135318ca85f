"""The record of a run, made again where it was not kept."""

import asyncio
from dataclasses import replace
from pathlib import Path

from autosim.applications.common.terminal import tell, waiting
from autosim.applications.sweeps.folder import RunFolder
from autosim.applications.sweeps.supervision import supervise
from autosim.errors import UserError
from autosim.records.contents import RecordError
from autosim.records.record_file import Record
from autosim.records.recovery import recover


def record_of(run: RunFolder) -> Path:
    """The record of a run; where it was not kept, the run is done again with the same bytes.

    Raises:
        UserError: the run has no result yet, or cannot be done again.
    """
    if run.record.exists():
        _make_whole(run.record)
        return run.record
    before = run.outcome()
    if before is None:
        raise UserError(f"run {run.id} is not done yet")
    if before.status == "invalid":
        raise UserError(f"run {run.id} was never simulated: {before.failure}")
    run.forget()
    run.keep_order(replace(run.order(), record="all"))
    try:
        with waiting(f"simulating run {run.id} again, for its record"):
            after = asyncio.run(supervise(run))
    finally:
        if run.outcome() is None:
            run.finish(before)
    if after is None:
        raise UserError(f"run {run.id} is being done by another process")
    if after.state_digest != before.state_digest:
        tell(f"run {run.id} came out otherwise than before: its digest is another")
    if not run.record.exists():
        raise UserError(f"run {run.id} has no record: {after.failure}")
    _make_whole(run.record)
    return run.record


def _make_whole(record: Path) -> None:
    """Recovers the record of a run that was ended."""
    try:
        Record(record).close()
    except RecordError:
        recover(record, record)
