"""The seam between a sweep and who does its runs."""

from collections.abc import Callable, Sequence
from typing import Protocol

from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome

OutcomeCallback = Callable[[Outcome], None]
"""Is told of each run that is done."""


class Executor(Protocol):
    """Does runs, or has them done."""

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Does the runs with these ids, which are not done yet.

        Returns:
            What to say where the runs go on elsewhere; "" where they are done.

        Raises:
            StoppedSweepError: it cannot go on.
            UserError: it cannot begin; the message says what is missing.
        """
        ...
