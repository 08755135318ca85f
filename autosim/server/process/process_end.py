"""The end of a simulation process: how long it may take, and its description."""

import asyncio
import signal
from collections.abc import Awaitable

from autosim.helper_processes.process_activity import WorkWatch

STOP_SECONDS = 3.0
"""Longest time [s] for the process to end on each request before it is killed."""

_STOP_ROUNDS = 5
"""Number of times `STOP_SECONDS` that it gets while it has work to do: the machine may be busy."""


async def in_time(answer: Awaitable[object], pid: int) -> None:
    """Waits for the answer of process `pid`, as long as it may take.

    Raises:
        TimeoutError: it takes longer.
    """
    task, watch = asyncio.ensure_future(answer), WorkWatch(pid)
    for _ in range(_STOP_ROUNDS):
        if (await asyncio.wait({task}, timeout=STOP_SECONDS))[0]:
            task.result()
            return
        if not watch.has_worked():
            break
    task.cancel()
    raise TimeoutError


def describe_end(code: int | None) -> str:
    """A sentence about an end that was not requested; `code` is None where it is unknown."""
    if code is None:
        return "the simulation process closed its connection and does not end"
    if code < 0:
        return f"the simulation process was ended by {signal.Signals(-code).name}"
    return f"the simulation process ended by itself with exit code {code}"
