"""The seam between a sweep and who does its runs."""

from collections.abc import Callable, Sequence
from typing import Protocol

from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome

OutcomeCallback = Callable[[Outcome], None]
"""Called for each run that is done."""


class Executor(Protocol):
    """Does runs, or has them done."""

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Executes the unfinished runs with these ids.

        Returns:
            A message if the runs continue elsewhere; "" if they are done.

        Raises:
            StoppedSweepError: it cannot continue.
            UserError: it cannot begin; the message names what is missing.
        """
        ...
