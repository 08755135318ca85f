"""Runs on this machine, several at a time."""

import asyncio
import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from autosim.applications.sweeps.executors.executor import OutcomeCallback
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.supervision import supervise

_LOOK_SECONDS = 1.0
"""Time [s] between two looks at runs that another sweep does."""


@dataclass(frozen=True, slots=True)
class LocalPool:
    """Does `jobs` runs at a time, each in processes of its own."""

    jobs: int

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Does the runs; see `Executor`."""
        try:
            asyncio.run(self.work_off(folder, runs, told))
        except asyncio.CancelledError as error:  # by SIGTERM
            raise KeyboardInterrupt from error
        return ""

    async def work_off(
        self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback
    ) -> None:
        """Does the runs, inside an event loop."""
        task = asyncio.current_task()
        assert task is not None
        with suppress(NotImplementedError, RuntimeError):  # not in the main thread
            # A batch system says SIGTERM before it kills; Ctrl-C does the same by itself.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        waiting, elsewhere = deque(runs), deque[str]()

        async def work() -> None:
            while waiting or elsewhere:
                if waiting:
                    run = waiting.popleft()
                else:
                    await asyncio.sleep(_LOOK_SECONDS)
                    if not elsewhere:
                        continue
                    run = elsewhere.popleft()
                outcome = await supervise(folder.run(run))
                if outcome is None:
                    elsewhere.append(run)
                else:
                    told(outcome)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.jobs, len(runs))):
                    group.create_task(work())
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
