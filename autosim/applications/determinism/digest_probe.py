"""Runs a world in a separate process and prints the digest of its states.

`python -m autosim.applications.determinism.digest_probe ORDER`, with the order in JSON.
"""

import json
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np

from autosim.applications.common.open_worlds import open_named_world
from autosim.engine.step.run_monitor import RunMonitor
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.process_setup import prepare_process

USER_ERROR = 2
"""Exit code where the user can mend what keeps the world from running: it was printed."""

_LONGEST_DELAY_SECONDS = 0.004
"""Longest pause [s] between two steps of a delayed run: about as long as a step."""


@dataclass(frozen=True, slots=True)
class ProbeOrder:
    """Order of a probe: `runs` runs of `steps` steps; `is_delayed`: with pauses between them."""

    world: str
    """Path of the world file."""
    steps: int
    seed: int
    """Seed of the random numbers."""
    runs: int = 1
    is_delayed: bool = False

    def to_json(self) -> str:
        """As an argument of the process."""
        return json.dumps(asdict(self))


def run_once(order: ProbeOrder) -> str:
    """The digest of one run."""
    world = open_named_world(order.world)
    pauses = np.random.default_rng(order.steps)
    with Simulation(world, seed=order.seed, report=lambda notice: None) as simulation:
        record = RunMonitor(simulation)
        simulation.on_publish.append(record.add_state)
        for _ in range(order.steps):
            simulation.step()
            if order.is_delayed:
                time.sleep(pauses.uniform(0.0, _LONGEST_DELAY_SECONDS))
        return record.figures().state_digest


def main(order: ProbeOrder) -> None:
    """Prints a digest for each run."""
    for _ in range(order.runs):
        print(run_once(order), flush=True)


if __name__ == "__main__":
    prepare_process()
    try:
        main(ProbeOrder(**json.loads(sys.argv[1])))
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(USER_ERROR)
