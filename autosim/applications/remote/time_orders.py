"""The `autosim ctl` commands for the time of a running simulation."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from autosim.applications.remote.server_orders import patient_control
from autosim.client.link.time_control import RecordInfo, TimeControl, TimeInfo
from autosim.errors import UserError

_SAME_SECONDS = 0.5
"""Difference of two times [s] up to which a run that continues meanwhile counts as at both."""


@contextmanager
def open_time(address: str) -> Iterator[TimeControl]:
    """The calls to the server at `address`."""
    with patient_control(address) as control:
        yield TimeControl(control)


def time_text(info: TimeInfo) -> str:
    """Step and time of a run, its record and its digest: a line of text for each."""
    lines = [f"step {info.step} ({info.time:.3f} s)"]
    if info.replayed is not None:
        lines.append("replay of steps {} to {}".format(*info.replayed))
    if info.record is not None:
        lines.append(record_text(info.record))
    for snapshot in info.snapshots:
        lines.append(
            f"snapshot {snapshot.name}: step {snapshot.step} ({snapshot.time:.3f} s), "
            f"{snapshot.bytes / 1e6:.0f} MB"
        )
    if info.state_digest:
        lines.append(f"digest {info.state_digest}")
    return "\n".join(lines)


def rewound_text(info: TimeInfo, wanted: float) -> str:
    """The same after going back, with a line where the history begins after the time wanted.

    Args:
        info: the run, which has gone back.
        wanted: time [s] to which it was to go back.
    """
    kept = [each.time for each in info.snapshots]
    if info.replayed is not None and info.step:
        kept = [info.replayed[0] * info.time / info.step]
    if not kept or wanted > min(kept) - _SAME_SECONDS:
        return time_text(info)
    reached = "the oldest snapshot" if min(kept) > 0.0 else "the beginning of the run"
    return f"{time_text(info)}\nthere is nothing older: this is {reached}"


def record_text(record: RecordInfo) -> str:
    """Status of a record as text."""
    text = f"record {record.path}: {record.states} states, {record.bytes / 1e6:.1f} MB"
    if record.waits:
        text += f"; the simulation waited {record.waits} times for the disk"
    if record.dropped:
        text += f"; {record.dropped} pictures were left out"
    return f"{text}; {record.failure}" if record.failure else text


def time_record(info: TimeInfo) -> dict[str, object]:
    """The same, as JSON has it."""
    return asdict(info)


def save_snapshot_here(address: str) -> Path:
    """Has a server of this machine write a snapshot to the disk; the file.

    Raises:
        UserError: it cannot, or the file is on another machine.
    """
    with open_time(address) as time:
        record = time.save_snapshot().record
    assert record is not None
    path = Path(record.path)
    if not path.is_file():
        raise UserError(f"the snapshot is on the server's machine: run autosim branch {path} there")
    return path
