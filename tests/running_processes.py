"""Processes that a test looks after."""

from contextlib import suppress
from pathlib import Path

from autosim.helper_processes.forked_module import FORK_SERVER_NAME


def children(pid: int) -> list[int]:
    """The processes that `pid` started, but for the one from which it forks others."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for task in tasks for child in task.read_text().split()]
    return [each for each in found if not is_fork_server(each)]


def is_fork_server(pid: int) -> bool:
    """Whether the process `pid` only sleeps until others are forked from it."""
    with suppress(OSError):  # it has ended
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n") == FORK_SERVER_NAME
    return False
