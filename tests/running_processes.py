"""Processes that a test looks after."""

from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that `pid` started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]
