"""The sketches and the emulated board, for tests that run them."""

from pathlib import Path

import pytest

from autosim.errors import UserError
from autosim_testbench.hardware import firmware


def build_or_skip(folder: Path) -> Path:
    """Builds into `folder`; the test is skipped where a compiler or simavr is missing."""
    try:
        obstacle = firmware.build(folder).obstacle
    except UserError as error:
        obstacle = str(error)
    if obstacle:
        pytest.skip(obstacle)
    return folder
