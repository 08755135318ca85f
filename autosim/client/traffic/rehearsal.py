"""Compiles what poses traffic, before the first picture waits for it.

`python -m autosim.client.traffic.rehearsal` does it ahead of the first demo; set-up does that.
"""

from pathlib import Path

import numpy as np

from autosim.client.models.models import ModelLibrary
from autosim.client.traffic.lamp_glows import lamp_rows
from autosim.client.traffic.looks import people_of, vehicles_of
from autosim.client.traffic.posing import Posed, pose, see
from autosim.client.traffic.rigs import people_rigs, vehicle_rigs
from autosim.traffic.node import PERSON, VEHICLE

_SOURCE = Path(__file__).resolve().parents[3]
"""Folder of the models."""


def rehearse() -> None:
    """Poses one vehicle and one person, to compile the kernels."""
    library = ModelLibrary((_SOURCE,))
    eye, planes = np.zeros(3), np.zeros((0, 3))
    vehicles, people = np.zeros((1, VEHICLE)), np.zeros((1, PERSON))
    for rigs, things in (
        (vehicle_rigs(library), vehicles_of(vehicles, 0.0)),
        (people_rigs(library), people_of(people)),
    ):
        seen = see(rigs, things, eye, planes, np.inf)
        pose(rigs, things, seen, Posed.room_for(seen))
    lamp_rows(vehicles_of(vehicles, 0.0), vehicles, time=0.0, eye=eye, planes=planes)


if __name__ == "__main__":
    rehearse()
