"""`autosim replay`: a server that shows a record, or goes on from one of its steps."""

from dataclasses import replace
from pathlib import Path

from autosim.applications.common.terminal import tell
from autosim.applications.records.recorded_world import recorded_world
from autosim.applications.run.serve import ServeOptions, run_server
from autosim.records.record_file import Record


def run_replay(path: Path, options: ServeOptions, *, continued_from: int | None = None) -> None:
    """Serves the run of a record until it is ended.

    Args:
        path: of the record.
        options: how to serve; the world and the seed are those of the record.
        continued_from: simulate the run again up to this step, and go on from there; None: only
            show it.

    Raises:
        UserError: it cannot be shown; the message says why.
    """
    with Record(path) as record:
        about, first, last = record.about, record.first_step, record.last_step
    seconds = (last - first) * about.step_seconds
    tell(f"{path}: {about.world}, steps {first} to {last} ({seconds:.1f} s)")
    with recorded_world(path) as world:
        is_shown = continued_from is None
        run_server(
            replace(
                options,
                world=str(world.source),
                seed=about.seed,
                replay=path.absolute() if is_shown else None,
                continued=None if continued_from is None else (path.absolute(), continued_from),
            )
        )
