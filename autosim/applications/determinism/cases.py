"""The ways to run one world that are to give one digest."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.determinism.digest_probe import USER_ERROR, ProbeOrder
from autosim.applications.records.verify import resimulated_digest
from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.client.link.time_control import TimeControl
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.records.record_format import Continuation
from autosim.server.network.server_process import ServerProcess
from autosim.server.worlds.server_options import ServerOptions

STEP_SECONDS = 600.0
"""Longest time [s] for the steps of one run."""

RUNS_OF_A_PROCESS = 100
"""Number of runs of one process: PyBullet keeps about 3 MB of each world until its process ends."""

Processor = Mapping[str, str]

PROCESSORS: Mapping[str, Processor] = {
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "OpenBLAS of an old processor": {"OPENBLAS_CORETYPE": "Nehalem"},
    "kernels for any processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"},
}
"""Variables with which libraries take the processor for another one."""


@dataclass(frozen=True, slots=True)
class Case:
    """A way to run a world; `run` gives the digests of its runs."""

    name: str
    """The way to run, as the report prints it."""
    run: Callable[[ProbeOrder], list[str]]


def all_cases(runs: int, *, with_processors: bool = False) -> Iterator[Case]:
    """All ways; the first one, which others are compared with, comes `runs` times.

    Args:
        runs: number of runs of the first way.
        with_processors: also the code paths of other processors, for one of which Numba compiles
            all kernels once, which takes a minute or two.
    """
    yield Case("in one process", lambda order: _probe_often(order, max(2, runs)))
    yield Case("in another process", _probe)
    yield Case("with delays", lambda order: _probe(replace(order, is_delayed=True)))
    yield Case("under load", _probe_under_load)
    yield Case("server, 0 viewers", lambda order: [_serve(order, 0)])
    yield Case("server, 1 viewer", lambda order: [_serve(order, 1)])
    yield Case("server, 5 viewers", lambda order: [_serve(order, 5)])
    yield Case("after reset", _reset)
    yield Case("from a snapshot", _restore)
    yield Case("from the disk", _continue)
    yield Case("recorded, and simulated again", _record)
    for name, variables in PROCESSORS.items() if with_processors else ():
        yield Case(name, lambda order, variables=variables: _probe(order, variables))  # type: ignore[misc]


def _probe_often(order: ProbeOrder, runs: int) -> list[str]:
    """So many runs, as many as a process has room for in each."""
    full, rest = divmod(runs, RUNS_OF_A_PROCESS)
    batches = [RUNS_OF_A_PROCESS] * full + [rest] * bool(rest)
    return [digest for batch in batches for digest in _probe(replace(order, runs=batch))]


def _probe(order: ProbeOrder, variables: Processor | None = None) -> list[str]:
    path = os.pathsep.join(filter(None, sys.path))
    ran = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "autosim.applications.determinism.digest_probe",
            order.to_json(),
        ],
        env={**os.environ, "PYTHONPATH": path, **(variables or {})},
        capture_output=True,
        text=True,
    )
    if ran.returncode == USER_ERROR:
        raise UserError(ran.stderr.strip())
    if ran.returncode:
        raise UserError(f"a run has failed: {ran.stderr.strip().splitlines()[-1]}")
    return ran.stdout.split()


def _probe_under_load(order: ProbeOrder) -> list[str]:
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        return _probe(order)


@contextmanager
def _served(
    order: ProbeOrder, record: Path | None = None, continued: Continuation | None = None
) -> Iterator[SimulationControl]:
    options = ServerOptions("127.0.0.1:0", seed=order.seed, record=record, continued=continued)
    with (
        ServerProcess(open_named_world(order.world), options) as server,
        simulation_control(server.address) as control,
    ):
        yield control


def _steps(control: SimulationControl, steps: int) -> str:
    """Does `steps` steps; returns the digest of all so far."""
    control.step(steps, timeout=STEP_SECONDS)
    return control.report().state_digest


def _serve(order: ProbeOrder, viewers: int) -> str:
    world = open_named_world(order.world)
    with _served(order) as control, ExitStack() as stack:
        control.pause()  # answered once the world is loaded
        for number in range(viewers):
            stack.enter_context(Mirror(world, control.address, name=f"viewer {number}"))
        return _steps(control, order.steps)


def _reset(order: ProbeOrder) -> list[str]:
    with _served(order) as control:
        first = _steps(control, order.steps)
        for _ in ServerManagement(control).load(""):
            pass
        return [first, _steps(control, order.steps)]


def _restore(order: ProbeOrder) -> list[str]:
    half = order.steps // 2
    with _served(order) as control:
        moments = TimeControl(control)
        _steps(control, half)
        moments.snapshot("half")
        first = _steps(control, order.steps - half)
        moments.restore("half")
        return [first, _steps(control, order.steps - half)]


def _continue(order: ProbeOrder) -> list[str]:
    half = order.steps // 2
    with ScratchFolder("record") as folder:
        path = folder / "run.mcap"
        with _served(order, path) as control:
            _steps(control, half)
            TimeControl(control).stop_record()
            first = _steps(control, order.steps - half)
        with _served(order, continued=Continuation(path)) as control:
            return [first, _steps(control, order.steps - half)]


def _record(order: ProbeOrder) -> list[str]:
    with ScratchFolder("record") as folder:
        path = folder / "run.mcap"
        with _served(order, path) as control:
            digest = _steps(control, order.steps)
            TimeControl(control).stop_record()
        return [digest, resimulated_digest(path)]
