"""The page of a short run in the shipped town, with messages and a collision.

python -m tests.web.recorded_run FILE.html [--seconds 3]
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from autosim import Simulation, load_world
from autosim.applications.records.html_page import export_html
from autosim.config.descriptions import WorldDescription
from autosim.records.events import Collision, NoticeLogged, OutputPrinted
from autosim.records.record_file import Record
from tests.records.forged import write_record
from tests.worlds import ROOT


def write_page(file: Path, *, seconds: float = 3.0) -> Path:
    """Writes the page of a run of so many simulated seconds, and its record beside it."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    second = round(1.0 / world.physics.step_seconds)
    events = (
        OutputPrinted(second // 2, "<b>driving</b><script>alert(1)</script>", "impreza: driver.py"),
        Collision(second, "impreza", "impreza has hit a tree"),
        NoticeLogged(2 * second, "warning", "server", "the program of impreza is slow"),
    )
    path = write_record(
        file.with_suffix(".mcap"), world, _states(world, round(seconds * second)), events
    )
    with Record(path) as record:
        export_html(record, file)
    return file


def _states(world: WorldDescription, steps: int) -> Iterator[bytes]:
    with Simulation(world) as simulation:
        simulation.start()
        for _ in range(steps):
            simulation.run(1)
            yield bytes(simulation.state.buffer)


def main() -> None:
    """Writes the page that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    given = parser.parse_args()
    write_page(given.file, seconds=given.seconds)


if __name__ == "__main__":
    main()
