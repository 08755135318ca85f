"""A plug-in for tests: the one that `autosim device new` writes."""

from pathlib import Path

from autosim.applications.run.new_device import new_device
from autosim.config.descriptions import RobotDescription
from autosim.loading.loader import load_robot


def write_thruster(folder: Path, name: str = "bow_thruster") -> RobotDescription:
    """A robot with a `BowThruster` of at most 50 N, whose plug-in lies in `folder`."""
    new_device(name, folder)
    return load_robot(folder / "robots" / f"{name}.xml", roots=[folder])
