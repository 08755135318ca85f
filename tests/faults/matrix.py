"""The cells of the fault matrix, each fault in each moment, in an order that a seed decides."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults.history import violations
from tests.faults.injections import FAULTS, Fault
from tests.faults.trial import Moment, Trial


@dataclass(frozen=True, slots=True)
class Cell:
    """A trial to be made: `seed` decides its times and values."""

    fault: Fault
    moment: Moment
    seed: int

    def __str__(self) -> str:
        return f"{self.fault}, {self.moment.value}, seed {self.seed}"

    def run(self, folder: Path) -> list[str]:
        """Makes the trial in an empty folder; returns the promises that it found broken."""
        return violations(Trial(self.fault, self.moment, self.seed, folder).run())


def sample(seed: int) -> list[Cell]:
    """Each fault once and, in turn, each moment: what there is time for in every run."""
    moments = itertools.cycle(random.Random(seed).sample(list(Moment), len(Moment)))
    return [Cell(fault, moment, seed) for fault, moment in zip(FAULTS, moments, strict=False)]


def rounds(seed: int) -> Iterator[Cell]:
    """The whole matrix in another order each round, without end."""
    for number in itertools.count(seed):
        cells = [Cell(fault, moment, number) for fault in FAULTS for moment in Moment]
        random.Random(number).shuffle(cells)
        yield from cells
