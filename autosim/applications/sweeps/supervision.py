"""One run under supervision: a process, its time, its second chance, its lock."""

import asyncio
import os
import signal
import sys
import uuid
from contextlib import suppress
from pathlib import Path

from autosim.applications.sweeps.folder import RunFolder
from autosim.applications.sweeps.order import RunOrder, search_path
from autosim.applications.sweeps.outcomes import Outcome, Status
from autosim.applications.sweeps.run_process import CHANGED, NO_ROOM
from autosim.errors import UserError
from autosim.userprogram.process.process_cleanup import kill_marked
from autosim.version import __version__

RUN_PROCESS = "autosim.applications.sweeps.run_process"
"""The module of a run's process."""

MOST_ATTEMPTS = 2
"""Number of processes that a run gets at most: one that was killed once may have had bad luck."""

_MARK = "AUTOSIM_SWEEP_MARK"
_LOG_END = 2000
"""Number of characters of a log's end that are searched for the last line."""


class StoppedSweepError(UserError):
    """The sweep cannot continue, though its runs may be sound."""


async def supervise(folder: RunFolder) -> Outcome | None:
    """Does a run unless it is done; None where another process is at it.

    Raises:
        StoppedSweepError: the disk is full, or the files are no longer those of the plan.
        UserError: the run's folder cannot be read.
    """
    order = folder.order()
    with folder.claim() as lock:
        if lock is None:
            return None
        known = folder.outcome()
        if known is not None and not is_open(known, order):
            return known
        folder.forget()
        for attempt in range(1, MOST_ATTEMPTS + 1):
            outcome = await _attempt(folder, order, lock)
            if outcome is not None:
                return outcome
            if attempt == MOST_ATTEMPTS:
                failure = f"its process ended {MOST_ATTEMPTS} times: {_last_line(folder.log)}"
                return _give_up(folder, order, "error", failure)
    raise AssertionError("a run has one attempt at least")


def is_open(outcome: Outcome, order: RunOrder) -> bool:
    """Whether a run is to be done again: it took too long, and has more time by now."""
    return outcome.status == "timeout" and order.limit > outcome.limit


async def _attempt(folder: RunFolder, order: RunOrder, lock: int) -> Outcome | None:
    """Starts the process once; None where it has ended without a summary."""
    mark = f"{_MARK}={uuid.uuid4().hex}"
    with folder.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", RUN_PROCESS, "."),
            cwd=folder.path,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock,),
            start_new_session=True,
            env=_environment(order, folder, mark),
        )
    try:
        async with asyncio.timeout(order.limit):
            code = await process.wait()
    except TimeoutError:
        await _end(process, mark)
        failure = f"it took longer than {order.limit:g} s"
        return _give_up(folder, order, "timeout", failure)
    finally:
        if process.returncode is None:  # interrupted
            await asyncio.shield(_end(process, mark))
    if code == NO_ROOM:
        raise StoppedSweepError(f"{folder.path}: the disk is full; make room and start it again")
    if code == CHANGED:
        raise StoppedSweepError(_last_line(folder.log))
    if code != 0:
        await asyncio.to_thread(kill_marked, mark)
    return folder.outcome() if code == 0 else None


def _environment(order: RunOrder, folder: RunFolder, mark: str) -> dict[str, str]:
    name, _, value = mark.partition("=")
    own = {
        name: value,
        "AUTOSIM_SWEEP_PARENT": str(os.getpid()),
        "AUTOSIM_PATH": os.pathsep.join(search_path(order, folder.files.absolute())),
        "PYTHONPATH": os.pathsep.join(str(Path(each).absolute()) for each in sys.path if each),
    }
    return {**os.environ, **own}


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """Ends a run's process and all that it has started."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.wait()
    await asyncio.to_thread(kill_marked, mark)


def _give_up(folder: RunFolder, order: RunOrder, status: Status, failure: str) -> Outcome:
    if order.record == "none":
        folder.record.unlink(missing_ok=True)
    outcome = Outcome(
        id=order.id,
        status=status,
        parameters=order.parameters,
        seed=order.seed,
        failure=failure,
        limit=order.limit,
        version=__version__,
    )
    folder.finish(outcome)
    return outcome


def _last_line(log: Path) -> str:
    try:
        text = log.read_text(errors="replace")[-_LOG_END:]
    except OSError:
        text = ""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    return lines[-1] if lines else f"it said nothing in {log}"
