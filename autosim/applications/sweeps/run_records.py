"""The record of a run, made again where it was not kept."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

from autosim.applications.common.terminal import tell, waiting
from autosim.applications.sweeps.folder import RunFolder, SweepFolder
from autosim.applications.sweeps.selection import numbers_of, require_column
from autosim.applications.sweeps.supervision import supervise
from autosim.applications.sweeps.table import rows_of
from autosim.applications.sweeps.trust import require_own_run
from autosim.errors import UserError
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.records.recovery import recover

_END = re.compile(r"(min|max):(.+)")


def find_run(folder: SweepFolder, name: str) -> RunFolder:
    """A run by how its id begins, or the one with the least or greatest value of a column.

    Raises:
        UserError: there is none.
    """
    match = _END.fullmatch(name)
    if match is None:
        return folder.find(name)
    end, column = match.groups()
    rows = rows_of(folder)
    filled, values = numbers_of(rows, require_column(rows, column))
    if not filled:
        raise UserError(f"'{column}' holds no numbers")
    return folder.run(str(filled[int(values.argmin() if end == "min" else values.argmax())]["id"]))


def record_of(run: RunFolder, *, is_trusted: bool) -> Path:
    """The record of a run; where it was not kept, the run is done again with the same bytes.

    Args:
        run: of a sweep.
        is_trusted: it may run code that lies in none of the user's own folders.

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
    if not is_trusted:
        require_own_run(run)
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
