"""Compiles what poses traffic, before the first picture waits for it.

`python -m autosim.client.traffic.posing_warm_up` does it ahead of the first demo; set-up does that.
"""

from pathlib import Path

import numpy as np

from autosim.client.models.model_library import ModelLibrary
from autosim.client.traffic.appearance import posed_people, posed_vehicles
from autosim.client.traffic.lamp_glows import lamp_rows
from autosim.client.traffic.people_rigs import people_rigs
from autosim.client.traffic.posing import Posed, select_visible, write_pose_mesh
from autosim.client.traffic.rigs import vehicle_rigs
from autosim.traffic.traffic_node import PERSON, VEHICLE

_SOURCE = Path(__file__).resolve().parents[3]
"""Folder of the models."""


def warm_up_posing() -> None:
    """Poses one vehicle and one person, to compile the kernels."""
    library = ModelLibrary((_SOURCE,))
    eye, planes = np.zeros(3), np.zeros((0, 3))
    vehicles, people = np.zeros((1, VEHICLE)), np.zeros((1, PERSON))
    for rigs, things in (
        (vehicle_rigs(library), posed_vehicles(vehicles, 0.0)),
        (people_rigs(library), posed_people(people)),
    ):
        seen = select_visible(rigs, things, eye, planes, np.inf)
        write_pose_mesh(rigs, things, seen, Posed.room_for(seen))
    lamp_rows(posed_vehicles(vehicles, 0.0), vehicles, time=0.0, eye=eye, planes=planes)


if __name__ == "__main__":
    warm_up_posing()
