"""The process of one run: `python -m autosim.applications.sweeps.run_process FOLDER`.

It serves the run's world to itself, on its own port, so that programs have processes and
pictures as with any server, and a client can watch.
"""

import os
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from autosim.applications.run.waiting import wait_for_step
from autosim.applications.sweeps.episodes import perform_episode
from autosim.applications.sweeps.folder import RunFolder
from autosim.applications.sweeps.measuring import measure
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.outcomes import Outcome, Status
from autosim.applications.sweeps.scenario_variants import perform_variant
from autosim.client.link.mirror import Mirror
from autosim.client.link.simulation_control import (
    RobotTrack,
    RunReport,
    SimulationControl,
    simulation_control,
)
from autosim.client.link.time_control import TimeControl
from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import ConfigError
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import PathError
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.model.state import State
from autosim.process_setup import prepare_process
from autosim.records.events import Collision
from autosim.records.record_file import Record
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.traffic.scenarios.scenario_starts import verdict_of
from autosim.traffic.traffic_node import counters_of
from autosim.userprogram.process.process_cleanup import kill_with_parent
from autosim.version import __version__

CHANGED = 3
"""Exit code where a file is no longer what it was when the sweep was planned."""

NO_ROOM = 4
"""Exit code where the disk is full."""

_LOOK_SECONDS = 0.5
"""Interval of simulated time [s] between checks whether a scenario has ended early. It affects the
result: a run ends at such a check."""

_CHANGED_TEXT = "has changed since the sweep began: start it again"

_ROOM_BYTES = 256 * 1024
"""Room [bytes] below which a disk counts as full: a summary with its log needs less."""


class ChangedError(UserError):
    """A file is no longer what it was when the sweep was planned."""


def perform(folder: RunFolder, order: RunOrder, world: WorldDescription) -> Outcome:
    """Does a run in its world.

    Raises:
        UserError: it cannot be run.
        OSError: the disk is full, or what else the system says.
    """
    folder.record.unlink(missing_ok=True)
    options = ServerOptions("127.0.0.1:0", seed=order.seed, record=folder.record)
    with ServerProcess(world, options) as server, simulation_control(server.address) as control:
        folder.address.write_text(server.address)
        _drive(server, control, world, order.seconds)
        report, track = control.report(), control.track()
        kept = TimeControl(control).stop_record().record
    folder.address.unlink(missing_ok=True)
    if kept is not None and kept.failure:
        raise UserError(f"{folder.record}: {kept.failure}")
    outcome = _judge(world, order, report, track, folder.record)
    if order.record == "all" or (order.record == "failed" and not outcome.is_good):
        return outcome
    folder.record.unlink()
    return replace(outcome, record="")


def _world_of(folder: RunFolder, order: RunOrder) -> WorldDescription:
    """The world of a run, if all is as it was when it was planned."""
    world = load_world(folder.files / order.world)
    found = dict(world.files)
    for name, digest in order.others.items():
        if found.get(name, digest) != digest:
            raise ChangedError(f"'{name}' {_CHANGED_TEXT}")
    for program, digest in order.programs.items():
        if Path(program).is_file() and file_digest(Path(program)) != digest:
            raise ChangedError(f"'{program}' {_CHANGED_TEXT}")
    return world


def _drive(
    server: ServerProcess, control: SimulationControl, world: WorldDescription, seconds: float
) -> None:
    """Does all steps, or as many as a scenario takes that ends before."""
    control.pause()  # answered once the world is loaded
    steps = max(1, round(seconds / world.physics.step_seconds))
    scenario = world.traffic.scenario if world.traffic else None
    if scenario is None or not scenario.ends:
        control.step(steps)
        return
    look = max(1, round(_LOOK_SECONDS / world.physics.step_seconds))
    with Mirror(world, control.address, name="sweep") as mirror:
        done = 0
        while done < steps and not _has_ended(world, mirror):
            done += min(look, steps - done)
            control.step(done - mirror.state.step)
            wait_for_step(mirror, server, done)
            mirror.take()


def _has_ended(world: WorldDescription, mirror: Mirror) -> bool:
    verdict = verdict_of(world, mirror.state)
    return verdict is not None and verdict.passed is not None


def _judge(
    world: WorldDescription,
    order: RunOrder,
    report: RunReport,
    track: RobotTrack,
    record_file: Path,
) -> Outcome:
    with Record(record_file) as record:
        state = State(record.tree, bytearray(record.state(record.last_step)))
        measures = measure(record, order.measures, order.measured_by)
        met = [each for each in record.events((Collision,)) if isinstance(each, Collision)]
    verdict, traffic = verdict_of(world, state), counters_of(state)
    failures = [f"{each.source}: {each.text}" for each in report.notices if each.level == "error"]
    passed = None if verdict is None else verdict.passed
    robot = world.robots[0].name if world.robots else ""
    driven = track.samples[:, 0, :2] if world.robots else np.zeros((0, 2))
    return Outcome(
        id=order.id,
        status="done",
        parameters=order.parameters,
        seed=order.seed,
        passed=False if failures else passed,
        failure=failures[0] if failures else "",
        measures=measures,
        scenario=None if verdict is None else asdict(verdict),
        traffic=traffic or None,
        steps=report.status.step,
        seconds=report.status.time,
        wall_seconds=report.wall_seconds,
        distance_m=float(np.hypot(*np.diff(driven, axis=0).T).sum()),
        collisions=int(report.collisions[0]) if report.collisions else 0,
        met=tuple(f"step {each.step}: {each.text}" for each in met if each.robot == robot),
        state_digest=report.state_digest,
        record=record_file.name,
        limit=order.limit,
        version=__version__,
    )


def _is_full(folder: RunFolder) -> bool:
    """Whether there is no room for another record and a summary."""
    return shutil.disk_usage(folder.path).free < _ROOM_BYTES


def main(path: str) -> None:
    """Executes the run of a folder and stores the result."""
    folder = RunFolder(Path(path))
    order = folder.order()
    try:
        folder.finish(_outcome(folder, order))
    except ChangedError as error:
        _say(error)
        sys.exit(CHANGED)
    except (UserError, OSError) as error:
        if not _is_full(folder):
            raise
        folder.record.unlink(missing_ok=True)
        _say(error)
        sys.exit(NO_ROOM)


def _outcome(folder: RunFolder, order: RunOrder) -> Outcome:
    if order.variant:
        try:
            return perform_variant(order)
        except UserError as error:
            return _not_done(order, "error", error)
    try:
        world = _world_of(folder, order)
    except (ConfigError, PathError) as error:
        return _not_done(order, "invalid", error)
    try:
        if order.episode:
            return perform_episode(folder, order, world)
        return perform(folder, order, world)
    except UserError as error:
        if _is_full(folder):
            raise
        return _not_done(order, "error", error)


def _say(text: object) -> None:
    """Prints a line into the log, if that has room."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _not_done(order: RunOrder, status: Status, error: UserError) -> Outcome:
    _say(error)
    return Outcome(
        id=order.id,
        status=status,
        parameters=order.parameters,
        seed=order.seed,
        failure=str(error),
        limit=order.limit,
        version=__version__,
    )


if __name__ == "__main__":
    kill_with_parent(signal.SIGKILL)
    with suppress(KeyError):
        if os.getppid() != int(os.environ["AUTOSIM_SWEEP_PARENT"]):
            sys.exit(1)  # the sweep has gone before it could be noticed
    prepare_process()
    main(sys.argv[1])
