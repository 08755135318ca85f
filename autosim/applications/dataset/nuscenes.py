"""The tables of nuScenes (v1.0, Caesar et al. 2020), with one camera, CAM_FRONT.

The ego frame is at the camera, with its axes forward, left and up, so that the calibration has no
translation. `num_lidar_pts` counts visible pixels: there is no lidar, and the devkit's evaluation
leaves out what has none. Tokens are hashes, so that the same frames have the same ones.
"""

import hashlib
import io
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import numpy as np
from PIL import Image

from autosim.applications.common.files import write_whole
from autosim.applications.dataset.frame_records import FrameRecord, SeenObject, as_json
from autosim.arrays import Floats
from autosim.ros2.ros_frames import quaternion_of

VERSION = "v1.0-mini"
"""Name of the folder of the tables: one that the devkit knows."""

_CATEGORIES = {
    "person": "human.pedestrian.adult",
    "car": "vehicle.car",
    "truck": "vehicle.truck",
    "bus": "vehicle.bus.rigid",
    "motorcycle": "vehicle.motorcycle",
    "bicycle": "vehicle.bicycle",
}

_ATTRIBUTES = (
    *("vehicle.moving", "vehicle.stopped", "vehicle.parked"),
    *("cycle.with_rider", "pedestrian.moving", "pedestrian.standing"),
)

_LEVELS = ((0.4, "v0-40"), (0.6, "v40-60"), (0.8, "v60-80"), (1.01, "v80-100"))
"""Visible shares below which nuScenes' levels of visibility end, and their names."""

_SLOW = 0.2
"""Speed [m/s] below which something does not move."""

_PARKED_FROM = 2**16
"""Instance numbers from which on vehicles are parked: they belong to the map."""

_START = 1_600_000_000_000_000
"""Time stamp [µs] of the first scene, since 1970; scenes are an hour apart."""

_FORWARD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""From the camera's axes (right, down, forward) to those of the ego frame."""

Row: TypeAlias = dict[str, object]


def write_nuscenes(folder: Path, records: Iterable[FrameRecord], width: int, height: int) -> None:
    """Writes the thirteen tables of all frames, in their order, and an empty map picture."""
    tables: dict[str, list[Row]] = {
        "attribute": [_named("attribute", name) for name in _ATTRIBUTES],
        "category": [_named("category", name) for name in _CATEGORIES.values()],
        "visibility": [
            {"token": str(number), "level": level, "description": f"visible share {level[1:]} %"}
            for number, (_, level) in enumerate(_LEVELS, start=1)
        ],
        "sensor": [
            {"token": _token("sensor"), "channel": "CAM_FRONT", "modality": "camera"},
        ],
        "log": [
            {
                "token": _token("log"),
                "logfile": "",
                "vehicle": "",
                "date_captured": "2020-09-13",
                "location": "singapore-onenorth",
            }
        ],
        "map": [
            {
                "token": _token("map"),
                "log_tokens": [_token("log")],
                "category": "semantic_prior",
                "filename": "maps/map.png",
            }
        ],
        "scene": [],
        "calibrated_sensor": [],
        "ego_pose": [],
        "sample": [],
        "sample_data": [],
        "sample_annotation": [],
        "instance": [],
    }
    for scene, found in groupby(records, lambda record: record["scene"]):
        _add_scene(tables, scene, list(found))
    for each in tables["sample_data"]:
        each |= {"width": width, "height": height}
    for name, rows in tables.items():
        write_whole(folder / VERSION / f"{name}.json", as_json(rows))
    stream = io.BytesIO()
    Image.fromarray(np.zeros((16, 16), dtype=np.uint8)).save(stream, "PNG")
    write_whole(folder / "maps" / "map.png", stream.getvalue())


def _add_scene(tables: dict[str, list[Row]], scene: int, records: list[FrameRecord]) -> None:
    names = [f"{record['frame']:06d}" for record in records]
    tables["scene"].append(
        {
            "token": _token("scene", scene),
            "log_token": _token("log"),
            "nbr_samples": len(records),
            "first_sample_token": _token("sample", names[0]),
            "last_sample_token": _token("sample", names[-1]),
            "name": f"scene-{scene:04d}",
            "description": ", ".join(
                f"{name} {value}" for name, value in records[0]["sky"].items() if value is not None
            ),
        }
    )
    tables["calibrated_sensor"].append(
        {
            "token": _token("calibrated_sensor", scene),
            "sensor_token": _token("sensor"),
            "translation": [0.0, 0.0, 0.0],
            "rotation": _quaternion(_FORWARD),
            "camera_intrinsic": records[0]["matrix"],
        }
    )
    for place, record in enumerate(records):
        before = names[place - 1] if place else None
        after = names[place + 1] if place + 1 < len(names) else None
        _add_sample(tables, record, before, after)
    _add_annotations(tables, records)


def _add_sample(
    tables: dict[str, list[Row]], record: FrameRecord, before: str | None, after: str | None
) -> None:
    name, scene = f"{record['frame']:06d}", record["scene"]
    stamp = _START + scene * 3_600_000_000 + round(record["time"] * 1e6)
    to_world = np.array(record["axes"]).T
    pose = _token("ego_pose", name)
    tables["ego_pose"].append(
        {
            "token": pose,
            "timestamp": stamp,
            "rotation": _quaternion(to_world @ _FORWARD.T),
            "translation": record["position"],
        }
    )
    tables["sample"].append(
        {
            "token": _token("sample", name),
            "timestamp": stamp,
            "scene_token": _token("scene", scene),
            **_linked("sample", before, after),
        }
    )
    tables["sample_data"].append(
        {
            "token": _token("sample_data", name),
            "sample_token": _token("sample", name),
            "ego_pose_token": pose,
            "calibrated_sensor_token": _token("calibrated_sensor", scene),
            "timestamp": stamp,
            "fileformat": "png",
            "is_key_frame": True,
            "filename": f"samples/CAM_FRONT/{name}.png",
            **_linked("sample_data", before, after),
        }
    )


def _add_annotations(tables: dict[str, list[Row]], records: list[FrameRecord]) -> None:
    tracks: dict[int, list[tuple[str, SeenObject]]] = {}
    for record in records:
        for seen in record["objects"]:
            if seen["pixels"]:
                tracks.setdefault(seen["track"], []).append((f"{record['frame']:06d}", seen))
    scene = records[0]["scene"]
    for track, found in sorted(tracks.items()):
        names = [f"{scene}.{track}.{frame}" for frame, _ in found]
        instance = _token("instance", scene, track)
        category = _CATEGORIES[found[0][1]["category"]]
        tables["instance"].append(
            {
                "token": instance,
                "category_token": _token("category", category),
                "nbr_annotations": len(found),
                "first_annotation_token": _token("sample_annotation", names[0]),
                "last_annotation_token": _token("sample_annotation", names[-1]),
            }
        )
        for place, (frame, seen) in enumerate(found):
            before = names[place - 1] if place else None
            after = names[place + 1] if place + 1 < len(names) else None
            row = _annotation(seen, instance, frame)
            row["token"] = _token("sample_annotation", names[place])
            tables["sample_annotation"].append(row | _linked("sample_annotation", before, after))


def _annotation(seen: SeenObject, instance: str, frame: str) -> Row:
    length, width, height = seen["size"]
    visible = 1.0 - seen["occlusion"]
    level = next(n for n, (end, _) in enumerate(_LEVELS, start=1) if visible < end)
    return {
        "token": "",
        "sample_token": _token("sample", frame),
        "instance_token": instance,
        "visibility_token": str(level),
        "attribute_tokens": [_token("attribute", _attribute(seen))],
        "translation": seen["centre"],
        "size": [width, length, height],
        "rotation": _quaternion(np.array(seen["rotation"])),
        "num_lidar_pts": seen["pixels"],
        "num_radar_pts": 0,
    }


def _attribute(seen: SeenObject) -> str:
    is_moving = seen["speed"] > _SLOW
    if seen["category"] == "person":
        return "pedestrian.moving" if is_moving else "pedestrian.standing"
    if seen["category"] in ("motorcycle", "bicycle"):
        return "cycle.with_rider"
    if seen["number"] >= _PARKED_FROM:
        return "vehicle.parked"
    return "vehicle.moving" if is_moving else "vehicle.stopped"


def _linked(table: str, before: str | None, after: str | None) -> Row:
    return {
        "prev": "" if before is None else _token(table, before),
        "next": "" if after is None else _token(table, after),
    }


def _named(table: str, name: str) -> Row:
    return {"token": _token(table, name), "name": name, "description": name}


def _token(table: str, *names: int | str) -> str:
    text = "/".join([table, *(str(each) for each in names)])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _quaternion(rotation: Floats) -> list[float]:
    """A rotation matrix (3, 3) as w, x, y, z."""
    x, y, z, w = quaternion_of(rotation).tolist()
    return [round(each, 9) for each in (w, x, y, z)]
