"""A project for bridges."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one world, which holds a light car with a camera."""
    from tests.applications.ros2.bridge_rig import CAR, WORLD

    (tmp_path / "robots").mkdir()
    (tmp_path / "worlds").mkdir()
    (tmp_path / "robots" / "ros_car.xml").write_text(CAR)
    (tmp_path / "worlds" / "ros.xml").write_text(WORLD)
    return tmp_path
