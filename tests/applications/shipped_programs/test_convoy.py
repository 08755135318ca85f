"""The convoy goes on where its route ends."""

import shutil
from pathlib import Path

import numpy as np

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from tests.worlds import ROOT

SECONDS = 31.0


def test_a_convoy_drives_farther_than_its_first_route(tmp_path: Path) -> None:
    programs = tmp_path / "userprograms"
    shutil.copytree(ROOT / "userprograms", programs)
    driver = programs / "driver.py"
    driver.write_text(driver.read_text().replace("HORIZON = 2000.0", "HORIZON = 20.0"))
    world = shutil.copy(ROOT / "worlds" / "convoy.xml", tmp_path)
    with Simulation(load_world(world)) as simulation:
        simulation.start()
        place = simulation.tree.find("first.chassis")
        assert place is not None
        first = place.field_offset("velocity") // 8
        speeds = []
        while simulation.state.time < SECONDS:
            simulation.step()
            speeds.append(np.hypot(*simulation.state.floats[first : first + 2]))
    assert sum(speeds) * simulation.step_seconds > 170.0  # m; its first route is 165 m long
    assert speeds[-1] > 3.0
