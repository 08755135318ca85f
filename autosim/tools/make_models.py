"""Makes the models that come with AutoSim: `python -m autosim.tools.make_models [FOLDER]`.

The files are part of the repository. Change this program, not the files.
"""

import sys
from math import radians
from pathlib import Path

from autosim.tools.car_model import chassis, distant_chassis, distant_wheel, wheel
from autosim.tools.scenery_models import HOUSES, distant_house, distant_tree, house, tree


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


if __name__ == "__main__":
    make_models(Path(sys.argv[1] if len(sys.argv) > 1 else "models"))
