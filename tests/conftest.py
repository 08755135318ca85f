"""What all tests share."""

import os
import signal
import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(path: str) -> Path:
    """A file of the material beside the checkout; the test is skipped where it is not there."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{path} is not beside the checkout")
    return found


def pytest_configure() -> None:
    """Lets Ctrl-C be heard by what tests start, also where a script runs them in the background.

    There shells have programs ignore it, and what they start inherits that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the process of the tests at once, with all that there is to say said.

    It has held Qt, Panda3D, gRPC and PyBullet together, whose ends in one interpreter get into
    each other's way. Programs that people start are tested in processes of their own.
    """
    status = getattr(config, "final_status", None)
    if status is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(status))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps the exit status for `pytest_unconfigure`."""
    session.config.final_status = exitstatus
