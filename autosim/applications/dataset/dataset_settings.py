"""The settings of a data set, and where its files are."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from autosim.applications.common.files import write_whole
from autosim.errors import UserError

Layout = Literal["coco", "kitti", "nuscenes"]
LAYOUTS: tuple[str, ...] = get_args(Layout)

SCENE_FRAMES = 20
"""Frames in a row from one drive under one sky: 10 s at the default period, half a nuScenes scene
in time and as many key frames."""

_FILE = "dataset.json"
"""Name of the file with the settings: a later run with others is refused."""


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """Everything that decides on the bytes of a frame, in addition to the world.

    Attributes:
        layout: of the files.
        seed: of drives, traffic, weather, materials and noise.
        width: of pictures [pixels].
        height: the same.
        fov: vertical field of view [rad] of the camera of a vehicle of traffic.
        period: simulated time between frames [s].
        is_varied: whether weather, light, materials and sensor vary from scene to scene.
        camera: qualified name of a robot's camera; "": on vehicles of traffic.
        vehicles: of traffic, at least.
        people: the same.
    """

    layout: Layout
    seed: int = 0
    width: int = 1242
    height: int = 375
    fov: float = 0.509
    period: float = 0.5
    is_varied: bool = True
    camera: str = ""
    vehicles: int = 150
    people: int = 80


def picture_size(text: str) -> tuple[int, int]:
    """Width and height [pixels] of a text like 1242x375.

    Raises:
        UserError: it is not one, or a side is not within 16 and 16384 pixels.
    """
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if found is None or not all(16 <= int(each) <= 16384 for each in found.groups()):
        raise UserError(f"--size {text}: expected WIDTHxHEIGHT, each 16 to 16384, as 1242x375")
    return int(found[1]), int(found[2])


def claim_folder(folder: Path, settings: DatasetSettings, world: str) -> None:
    """Creates the folder of a data set, or continues the one that is there.

    What an interrupted run left half written is removed.

    Args:
        folder: of the data set.
        settings: of the frames.
        world: digest of its map and robots.

    Raises:
        UserError: it holds another data set or other files, or cannot be written.
    """
    file, wanted = folder / _FILE, {"world": world, **asdict(settings)}
    if file.exists():
        _check_same(file, wanted)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} holds other files: choose an empty or a new folder")
    write_whole(file, (json.dumps(wanted, indent=2, sort_keys=True) + "\n").encode())
    for rest in folder.rglob(".*.part"):
        rest.unlink(missing_ok=True)


def _check_same(file: Path, wanted: dict[str, object]) -> None:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError) as fault:
        raise UserError(f"{file} cannot be read ({fault}): choose another folder") from fault
    if not isinstance(found, dict):
        raise UserError(f"{file} does not describe a data set: choose another folder")
    for name, value in wanted.items():
        if found.get(name) != value:
            raise UserError(
                f"{file.parent} holds a data set with another {name} "
                f"({found.get(name)!r}, not {value!r}): choose another folder"
            )
