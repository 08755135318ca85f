"""One frame: its pictures, its record, and the files of both.

A frame is complete once its record is there, which is written last; the files of a layout are made
from the records alone, so that an interrupted run continues where it stopped.
"""

import io
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
from PIL import Image

from autosim.applications.common.files import write_whole
from autosim.applications.dataset.box_sources import Boxes
from autosim.applications.dataset.box_views import Pinhole, SeenBox, camera_axes
from autosim.applications.dataset.scene_conditions import SceneConditions
from autosim.arrays import Booleans, Bytes, Integers32
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.rendering.measured import Measured
from autosim.config.semantic_classes import CLASSES
from autosim.errors import UserError

CENTIMETRES = 65535
"""Depth pictures hold centimetres in 16 bits; this is for what is farther than 655.34 m."""

CATEGORIES = ("person", "car", "truck", "bus", "motorcycle", "bicycle")
"""Names of the semantic classes that have boxes and masks."""

_NUMBERS = {each.number: each.name for each in CLASSES if each.name in CATEGORIES}


class Segment(TypedDict):
    """The visible pixels of one instance: `counts` is COCO's run-length code, by columns."""

    number: int
    category: str
    box: list[int]
    pixels: int
    counts: list[int]


class SeenObject(TypedDict):
    """One box of a frame; see `box_views.SeenBox`, and the documentation of data sets."""

    number: int
    track: int
    category: str
    size: list[float]
    centre: list[float]
    rotation: list[list[float]]
    speed: float
    camera_centre: list[float]
    camera_rotation: list[list[float]]
    outline: list[float]
    visible: list[int] | None
    pixels: int
    truncation: float
    occlusion: float
    level: int


class FrameRecord(TypedDict):
    """All facts of a frame but its pixels."""

    frame: int
    scene: int
    time: float
    sky: dict[str, float | int | None]
    position: list[float]
    axes: list[list[float]]
    matrix: list[list[float]]
    objects: list[SeenObject]
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Frame:
    """The place of a frame in a data set: its number, that of its scene, its time [s] there."""

    number: int
    scene: int
    time: float

    @property
    def stem(self) -> str:
        """The name of its files, without suffix."""
        return f"{self.number:06d}"


def make_record(
    frame: Frame,
    conditions: SceneConditions,
    *,
    boxes: Boxes,
    seen: list[SeenBox],
    tracks: dict[int, int],
    pose: CameraPose,
    camera: Pinhole,
    segments: list[Segment],
) -> FrameRecord:
    """The record of a frame; `tracks` has the track of each number."""
    return {
        "frame": frame.number,
        "scene": frame.scene,
        "time": round(frame.time, 6),
        "sky": asdict(conditions.sky),
        "position": _rounded(pose.position),
        "axes": [_rounded(axis) for axis in camera_axes(pose)],
        "matrix": [_rounded(row) for row in camera.matrix],
        "objects": [
            _object(boxes, each, tracks[int(boxes.numbers[each.row])])
            for each in seen
            if int(boxes.classes[each.row]) in _NUMBERS
        ],
        "segments": segments,
    }


def _object(boxes: Boxes, seen: SeenBox, track: int) -> SeenObject:
    row = seen.row
    return {
        "number": int(boxes.numbers[row]),
        "track": track,
        "category": _NUMBERS[int(boxes.classes[row])],
        "size": _rounded(boxes.sizes[row]),
        "centre": _rounded(boxes.centres[row]),
        "rotation": [_rounded(line) for line in boxes.rotations[row]],
        "speed": round(float(boxes.speeds[row]), 4),
        "camera_centre": _rounded(seen.centre),
        "camera_rotation": [_rounded(line) for line in seen.rotation],
        "outline": [round(each, 2) for each in seen.outline],
        "visible": None if seen.visible is None else list(seen.visible),
        "pixels": seen.pixels,
        "truncation": round(seen.truncation, 4),
        "occlusion": round(seen.occlusion, 4),
        "level": seen.level,
    }


def _rounded(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[float]:
    return [round(float(each), 6) for each in values.tolist()]


def segments_of(measured: Measured, *, without: int) -> list[Segment]:
    """The visible instances of `CATEGORIES` of a view; `without` the camera's vehicle."""
    is_wanted = np.isin(measured.classes, list(_NUMBERS)) & (measured.instances != without)
    found: list[Segment] = []
    for number in np.unique(measured.instances[is_wanted]).tolist():
        mask = is_wanted & (measured.instances == number)
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        left, top = int(columns[0]), int(rows[0])
        found.append(
            {
                "number": int(number),
                "category": _NUMBERS[int(measured.classes[mask][0])],
                "box": [left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top],
                "pixels": int(mask.sum()),
                "counts": run_lengths(mask),
            }
        )
    return found


def run_lengths(mask: Booleans) -> list[int]:
    """COCO's run-length code of a mask: runs of 0 and 1 in turns, column by column."""
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(np.concatenate([[0], changes, [len(flat)]])).tolist()
    return [0, *runs] if flat[0] else [int(each) for each in runs]


PICTURES = {
    "coco": Path("images"),
    "kitti": Path("training", "image_2"),
    "nuscenes": Path("samples", "CAM_FRONT"),
}
"""The folder of the pictures in each layout."""


def write_frame(
    folder: Path,
    frame: Frame,
    *,
    pictures: Path,
    picture: Bytes,
    measured: Measured,
    record: FrameRecord,
) -> None:
    """Writes pictures, labels and depths of a frame, and its record last.

    Args:
        folder: of the data set.
        frame: its number.
        pictures: the folder of the pictures in colour, within that of the data set.
        picture: in colour (h, w, 4).
        measured: of the same view.
        record: all other facts.

    Raises:
        UserError: a file cannot be written; the frame then counts as not there.
    """
    name = f"{frame.stem}.png"
    metres = np.where(np.isfinite(measured.depths), measured.depths, np.float32(1e6))
    depths = np.minimum(metres * 100.0 + 0.5, CENTIMETRES).astype(np.uint16)
    for kind, pixels in (
        (Path("semantic"), measured.classes.astype(np.uint8)),
        (Path("instance"), instance_colours(measured.instances)),
        (Path("depth"), depths),
        (pictures, np.ascontiguousarray(picture[..., :3])),
    ):
        stream = io.BytesIO()
        Image.fromarray(pixels).save(stream, "PNG", compress_level=3)
        write_whole(folder / kind / name, stream.getvalue())
    write_whole(record_file(folder, frame.number), as_json(record))


def instance_colours(instances: Integers32) -> Bytes:
    """Instance numbers as colours (h, w, 3): red + 256 green + 65536 blue, as COCO panoptic's."""
    return np.stack([instances & 255, (instances >> 8) & 255, instances >> 16], -1).astype(np.uint8)


def record_file(folder: Path, number: int) -> Path:
    """The file of a frame's record."""
    return folder / "frames" / f"{number:06d}.json"


def read_record(folder: Path, number: int) -> FrameRecord:
    """The record of a complete frame.

    Raises:
        UserError: it cannot be read.
    """
    file = record_file(folder, number)
    try:
        record: FrameRecord = json.loads(file.read_bytes())
    except (OSError, ValueError) as fault:
        raise UserError(f"{file} cannot be read ({fault}): delete it to draw it again") from fault
    return record


def as_json(value: object) -> bytes:
    """A value as JSON on one line."""
    return (json.dumps(value, separators=(",", ":")) + "\n").encode()
