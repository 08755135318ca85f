"""Makes the models that come with AutoSim: `python -m autosim_assets.make_models [FOLDER]`.

The files are part of the repository. Change this program, not the files.
"""

import sys
from math import radians
from pathlib import Path

from autosim_assets.car_bodies import car
from autosim_assets.car_model import chassis, distant_chassis, distant_wheel, wheel
from autosim_assets.car_shapes import CARS
from autosim_assets.companion_models import (
    dog,
    dog_leg,
    leash,
    phone,
    pram,
    umbrella,
    wheelchair,
)
from autosim_assets.people_models import FIGURES, arm, bent_arm, body, shank, thigh
from autosim_assets.scenery_models import HOUSES, distant_house, distant_tree, house, tree
from autosim_assets.traffic_paints import SKIN, TROUSERS
from autosim_assets.two_wheelers import bicycle, motorcycle, scooter
from autosim_assets.vehicle_models import cycle_wheel, lorry, tipper
from autosim_assets.vehicle_models import wheel as wheel_of_traffic


def make_models(folder: Path) -> None:
    """Writes all models below `folder`, with the same bytes each time."""
    chassis().write(folder / "impreza/chassis", crease=radians(32))
    distant_chassis().write(folder / "impreza/chassis", crease=radians(32), level=1)
    for end in ("front", "rear"):
        for side in ("left", "right"):
            place = folder / f"impreza/wheels/{end}_{side}"
            wheel(is_left=side == "left").write(place, crease=radians(40))
            distant_wheel(is_left=side == "left").write(place, crease=radians(40), level=1)
    for number, shape in enumerate(HOUSES):
        place = folder / f"buildings/house{number}"
        house(shape).write(place, crease=radians(10))
        distant_house(shape).write(place, crease=radians(10), level=1)
    tree().write(folder / "nature/trees/tree0", crease=radians(70))
    distant_tree().write(folder / "nature/trees/tree0", crease=radians(70), level=1)
    make_traffic(folder / "traffic")


def make_traffic(folder: Path) -> None:
    """Writes the models of vehicles and people in traffic below `folder`."""
    for level in range(3):
        for name, shape in CARS.items():
            car(shape, level=level).write(folder / name, crease=radians(32), level=level)
        lorry(level).write(folder / "lorry", crease=radians(20), level=level)
        tipper(level).write(folder / "tipper", crease=radians(20), level=level)
        bicycle(level).write(folder / "bicycle", crease=radians(50), level=level)
        low = bicycle(level, FIGURES[6], is_low=True)
        low.write(folder / "city_bicycle", crease=radians(50), level=level)
        motorcycle(level).write(folder / "motorcycle", crease=radians(50), level=level)
        scooter(level).write(folder / "scooter", crease=radians(50), level=level)
        for number, figure in enumerate(FIGURES):
            body(figure, level).write(folder / f"person{number}", crease=radians(60), level=level)
    wheel_of_traffic().write(folder / "wheel", crease=radians(40))
    phone().write(folder / "phone", crease=radians(40))
    leash().write(folder / "leash", crease=radians(40))
    for level in range(2):
        cycle_wheel(level).write(folder / "cycle_wheel", crease=radians(40), level=level)
        pieces = {"arm": arm, "bent_arm": bent_arm, "umbrella": umbrella, "dog": dog}
        pieces |= {"dog_leg": dog_leg, "pram": pram, "wheelchair": wheelchair}
        for name, piece in pieces.items():
            piece(level).write(folder / name, crease=radians(60), level=level)
        for name, paint in (("leg", TROUSERS), ("bare_leg", SKIN)):
            thigh(level, paint).write(folder / name / "thigh", crease=radians(60), level=level)
            shank(level, paint).write(folder / name / "shank", crease=radians(60), level=level)


if __name__ == "__main__":
    make_models(Path(sys.argv[1] if len(sys.argv) > 1 else "models"))
