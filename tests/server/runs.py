"""Runs of a simulation with a user program, and their digest."""

import hashlib
from pathlib import Path

from autosim.engine.step.simulation import Simulation


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "userprograms" / "program.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


def digest_of_run(simulation: Simulation, steps: int) -> str:
    digest = hashlib.sha256()
    simulation.on_publish.append(lambda: digest.update(simulation.state.buffer))
    with simulation:
        for _ in range(steps):
            simulation.step()
    return digest.hexdigest()
