"""Draws docs/belief.svg: how wrong the car of worlds/ins.xml is about its motion in a drive.

python scripts/draw_belief.py
"""

import json
import tempfile
from pathlib import Path

from autosim.applications.common.tree_values import select
from autosim.applications.recording.belief_plot import draw_record
from autosim.applications.recording.belief_record import read_record
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world

SECONDS = 60.0
"""Simulated time [s] that is shown: enough for the roundabout and back."""

EVERY = 12
"""Number of steps from one sample to the next: twenty in a second."""


def main() -> None:
    """Drives, records and draws."""
    root = Path(__file__).resolve().parents[1]
    lines = []
    with Simulation(load_world(root / "worlds" / "ins.xml")) as simulation:
        chosen = [select(simulation.tree, name) for name in ("car.state", "car.state_truth")]
        while simulation.state.time < SECONDS:
            simulation.step()
            state = simulation.state
            if state.step % EVERY == 0:
                values = {each.name: each.read(state) for each in chosen}
                lines.append(json.dumps({"step": state.step, "time": state.time, "values": values}))
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.jsonl"
        run.write_text("\n".join(lines), encoding="utf-8")
        picture = draw_record(read_record(run))
    (root / "docs" / "belief.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
