"""Runs on the machines of a Ray cluster, all of which see the sweep's folder."""

import asyncio
import importlib
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from autosim.applications.sweeps.executors.executor import OutcomeCallback
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.supervision import StoppedSweepError, supervise
from autosim.errors import UserError

_LOOK_SECONDS = 1.0
"""Time [s] between two looks at runs that another sweep does."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Submits runs to Ray, which starts one for each processor that it has.

    `address` of the cluster, "" for one that is started on this machine for `jobs` runs at a
    time.
    """

    address: str
    jobs: int

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Does the runs; see `Executor`."""
        ray = _require_ray()
        try:
            ray.init(**self._setting(), log_to_driver=False, configure_logging=False)
        except ConnectionError as error:
            raise UserError(f"no Ray cluster answers at {self.address}: {error}") from error
        try:
            _execute(ray, folder, runs, told)
        finally:
            ray.shutdown()
        return ""

    def _setting(self) -> dict[str, object]:
        if self.address:
            return {"address": self.address}
        # The processes of a cluster of one's own import from where this one does.
        path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path if each)
        return {
            "address": "local",
            "num_cpus": self.jobs,
            "include_dashboard": False,
            "runtime_env": {"env_vars": {"PYTHONPATH": path}},
        }


def _execute(
    ray: ModuleType, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback
) -> None:
    remote = ray.remote(max_retries=2)(_do)
    path = folder.path.absolute()
    waiting = {remote.remote(str(path), each): each for each in runs}
    while waiting:
        (done,), _ = ray.wait(list(waiting), num_returns=1)
        run = waiting.pop(done)
        try:
            text = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise StoppedSweepError(str(error.cause)) from error
        if text:
            told(Outcome.from_json(text))
        else:  # another sweep is at it
            time.sleep(_LOOK_SECONDS)
            waiting[remote.remote(str(path), run)] = run


def _do(folder: str, run: str) -> str:
    """The outcome of a run, done where Ray wants it; "" where another process is at it."""
    outcome = asyncio.run(supervise(SweepFolder(Path(folder)).run(run)))
    return outcome.to_json() if outcome else ""


def _require_ray() -> ModuleType:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise UserError("this needs the package ray: pip install 'autosim[ray]'") from error
