"""`autosim replay` and `autosim server --continue-from`: servers of what a record holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from autosim.applications.common.terminal import tell
from autosim.applications.records.recorded_world import recorded_world
from autosim.applications.run.serve import ServeOptions, run_server
from autosim.records.record_file import Record
from autosim.records.record_format import Continuation


def run_replay(path: Path, options: ServeOptions) -> None:
    """Serves the run of a record until it is ended.

    Args:
        path: of the record.
        options: how to serve; the world and the seed are those of the record.

    Raises:
        UserError: it cannot be shown; the message says why.
    """
    with _as_recorded(path, options, is_simulated=False) as served:
        run_server(replace(served, replay=path.absolute()))


def run_continued(continuation: Continuation, options: ServeOptions) -> None:
    """Simulates a recorded run again up to a step, and serves the live simulation from there.

    Args:
        continuation: its start.
        options: as `run_replay` takes them.

    Raises:
        UserError: it cannot be continued from there; the message gives the reason.
    """
    path = continuation.record
    with _as_recorded(path, options, is_simulated=True) as served:
        run_server(replace(served, continued=replace(continuation, record=path.absolute())))


@contextmanager
def _as_recorded(
    path: Path, options: ServeOptions, *, is_simulated: bool
) -> Iterator[ServeOptions]:
    with Record(path) as record:
        about, first, last = record.about, record.first_step, record.last_step
    seconds = (last - first) * about.step_seconds
    tell(f"{path}: {about.world}, steps {first} to {last} ({seconds:.1f} s)")
    with recorded_world(path, is_simulated=is_simulated) as world:
        yield replace(options, world=str(world.source), described=world, seed=about.seed)
