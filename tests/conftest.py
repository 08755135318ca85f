"""What all tests share."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from autosim.engine.step.kernel_cache import fill_kernel_cache
from tests import forked_commands, run_reports
from tests.paths import SHARED

ENVIRONMENT = dict(os.environ)
"""The user's, before tests have folders of their own."""

# Drawn examples are the same in every run, and however slow the machine is.
settings.register_profile("seeded", derandomize=True, deadline=None)
settings.load_profile("seeded")


def shared(path: str) -> Path:
    """A file of the material beside the checkout; the test is skipped where it is not there."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{path} is not beside the checkout")
    return found


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled worlds, converted models, settings and tokens of this process of tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Lets Ctrl-C be heard by what tests start, also where a script runs them in the background.

    There shells have programs ignore it, and what they start inherits that. Kernels that have
    changed are compiled here, once for all processes of tests.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_reports.register(config)
    if not hasattr(config, "workerinput"):
        fill_kernel_cache(with_traffic=True)
    forked_commands.install(ENVIRONMENT)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that workers do not wait for one at the end."""
    run_reports.give_time_to_long_tests(items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker that crashes makes the run fail, also where it did so between two tests."""
    if error:
        node.config.has_lost_a_worker = True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keeps the exit status for `pytest_unconfigure`."""
    if getattr(session.config, "has_lost_a_worker", False) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    session.config.final_status = session.exitstatus


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
