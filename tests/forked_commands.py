"""Forks the modules and commands of AutoSim that tests start.

A new interpreter imports AutoSim for a second each time. Tests of cold starts use `cold_starts`;
the first start in each process of tests is cold, too.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from autosim.helper_processes import fork_server

MODULES = (
    "scipy.sparse.csgraph",
    "scipy.spatial",
    "shapely",
    "autosim.engine.step.kernel_cache:load_kernels",
    "autosim.cli",
    "autosim.server.network.server_process",
    "autosim.server.process.simulation_process",
    "autosim.userprogram.process.runner",
    "autosim.records.writer_process",
    "autosim.loading.world_worker",
    "autosim.client.link.simulation_control",
    "autosim.applications.run.serve",
    "autosim.applications.remote.attached_program",
    "autosim.world.pipeline.cache",
)
"""Modules that the fork server imports: those that most commands need. With a colon, a function
that it calls."""


class _Starts:
    """Starts children: the first in a new interpreter, later ones from a fork server."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.are_cold = self.has_started = False

    def start(self, process: Any, *given: Any) -> None:
        """Takes the place of the method of `subprocess.Popen` that starts a child."""
        if self.are_cold or not fork_server.is_module_command(given[0]):
            fork_server.start_new(process, *given)
            return
        if self.has_started:
            fork_server.ensure_fork_server_started(MODULES, self.environment)
        self.has_started = True
        fork_server.start_from_fork_server(process, *given)


_starts = _Starts({})


def install(environment: Mapping[str, str]) -> None:
    """Forks all children that are modules of AutoSim.

    Args:
        environment: the user's, with which the fork server starts.
    """
    _starts.environment = environment
    _import_opencv()
    for kind in (subprocess.Popen, fork_server.ModuleProcess):
        kind._execute_child = lambda *given: _starts.start(*given)  # type: ignore


def _import_opencv() -> None:
    """Imports OpenCV, and takes back what it writes into the environment.

    It puts its own folder into LD_LIBRARY_PATH, and a child with another path of libraries than
    that of the fork server is a new interpreter. So all later starts were cold.
    """
    before = os.environ.get("LD_LIBRARY_PATH")
    with suppress(ImportError):
        import cv2  # noqa: F401
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before


@contextmanager
def cold_starts() -> Iterator[None]:
    """Inside, each child is a new interpreter."""
    before, _starts.are_cold = _starts.are_cold, True
    try:
        yield
    finally:
        _starts.are_cold = before
