"""The commands of `autosim`, each imported when it is used."""

import importlib
from collections import UserDict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from autosim.loading.checker import LaunchChecker

_CORE = "autosim.cli"

MODULES = {
    "demo": f"{_CORE}.demo",
    "server": f"{_CORE}.server",
    "relay": f"{_CORE}.web",
    "web": f"{_CORE}.web",
    "ros2": f"{_CORE}.ros2",
    "foxglove": f"{_CORE}.ros2",
    "osi": f"{_CORE}.osi",
    "alpasim": f"{_CORE}.alpasim",
    "fmu": f"{_CORE}.fmu",
    "client": f"{_CORE}.remote.client",
    "ctl": f"{_CORE}.remote.ctl",
    "run": f"{_CORE}.run",
    "drive": f"{_CORE}.remote.drive",
    "scenario": f"{_CORE}.runs.scenario",
    "new": f"{_CORE}.new",
    "device": f"{_CORE}.device",
    "vehicle": f"{_CORE}.vehicle",
    "world": f"{_CORE}.maps.world",
    "check": f"{_CORE}.maps.check",
    "replay": f"{_CORE}.runs.records",
    "branch": f"{_CORE}.runs.branch",
    "recover": f"{_CORE}.runs.records",
    "export": f"{_CORE}.runs.records",
    "determinism": f"{_CORE}.runs.determinism",
    "sweep": f"{_CORE}.runs.sweep",
    "benchmark": f"{_CORE}.runs.benchmark",
    "dataset": f"{_CORE}.dataset",
    "train": f"{_CORE}.runs.train",
    "plot": f"{_CORE}.runs.plot",
    "validate": f"{_CORE}.runs.validate",
    "osm-manipulator": f"{_CORE}.maps.osm_manipulator",
    "testbench": "autosim_testbench.cli.testbench",
}
"""The module of each command; the command is its attribute of the same name, with `_` for `-`.

This module is the only place at which the package names one of the packages beside it.
"""

_LAUNCH_CHECK = "autosim_testbench.applications.bench_check"


class CommandTable(UserDict[str, click.Command | str]):
    """The commands by name: a value is the name of a module until it is first read."""

    def __getitem__(self, name: str) -> click.Command:
        """Returns the command, importing its module at the first use."""
        found = self.data[name]
        if isinstance(found, str):
            command: click.Command = getattr(importlib.import_module(found), name.replace("-", "_"))
            self.data[name] = found = command
        return found


def load_launch_checker() -> "LaunchChecker":
    """Returns the check of launch files of the test bench."""
    checker: LaunchChecker = importlib.import_module(_LAUNCH_CHECK).check_launch
    return checker
