"""States of a run in files, which a page can show without a server.

    python -m tests.web.canned_states FOLDER [--seconds 15] [--vehicles 24] [--people 16]

writes `tree.bin` (the message `Tree`), `states.bin` (words that ever differ from zero, state after
state) and `states.json` (their places, the number of states, the time between two of them).
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim import Simulation, load_world
from autosim.config.world_settings import TrafficDescription
from autosim.userprogram.codec.tree_codec import tree_to_bytes

RATE = 20.0
"""States per simulated second [Hz]: as a viewer gets them."""


def write_states(
    folder: Path,
    *,
    world: str = "worlds/circle_town.xml",
    seconds: float = 15.0,
    skipped: float = 6.0,
    vehicles: int = 24,
    people: int = 16,
) -> None:
    """Writes the states of a run of `seconds`, after `skipped` ones, into `folder`."""
    description = load_world(world)
    traffic = TrafficDescription(vehicles=vehicles, people=people)
    with Simulation(replace(description, traffic=traffic)) as simulation:
        step_seconds = simulation.world.physics.step_seconds
        every = round(1.0 / RATE / step_seconds)
        simulation.start()
        simulation.run(round(skipped / step_seconds))
        states = []
        for _ in range(round(seconds * RATE)):
            simulation.run(every)
            states.append(np.frombuffer(bytes(simulation.state.buffer), dtype="<u8").copy())
        tree = tree_to_bytes(simulation.tree)
    rows = np.array(states)
    words = np.flatnonzero((rows != 0).any(axis=0))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tree.bin").write_bytes(tree)
    (folder / "states.bin").write_bytes(np.ascontiguousarray(rows[:, words]).tobytes())
    facts = {
        "words": words.tolist(),
        "states": len(rows),
        "seconds": every * step_seconds,
        "step_seconds": step_seconds,
    }
    (folder / "states.json").write_text(json.dumps(facts))


def main() -> None:
    """Writes what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--vehicles", type=int, default=24)
    parser.add_argument("--people", type=int, default=16)
    given = parser.parse_args()
    write_states(given.folder, seconds=given.seconds, vehicles=given.vehicles, people=given.people)


if __name__ == "__main__":
    main()
