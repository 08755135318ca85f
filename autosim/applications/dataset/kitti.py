"""KITTI's layout for the detection of objects: image_2, label_2, calib, velodyne.

Format: the readme of the object development kit (Geiger, Lenz and Urtasun, 2012). The camera's
frame is the rectified one; the points of `velodyne` are what a lidar of 64 beams at the place of
the camera meets within the picture, taken from its depths, with intensity 0.
"""

from collections.abc import Iterable
from math import atan2, cos, sin
from pathlib import Path

import numpy as np

from autosim.applications.common.files import write_whole
from autosim.applications.dataset.frame_records import FrameRecord, SeenObject
from autosim.arrays import Floats32

_NAMES = {
    "person": "Pedestrian",
    "car": "Car",
    "truck": "Truck",
    "bus": "Misc",
    "motorcycle": "Misc",
    "bicycle": "Cyclist",
}
"""KITTI's types; it has none for buses and motorcycles."""

_LEAST_PIXELS = 8
"""Number of visible pixels from which an object is labelled."""

_BEAMS, _UP, _DOWN, _STEP = 64, 2.0, -24.8, 0.08
"""Number of beams, the angles [deg] of the highest and lowest one, and the angle between two points
of one: those of the Velodyne HDL-64E that KITTI used."""

_REACH = 120.0
"""Largest range [m] of that lidar."""


def write_kitti(folder: Path, records: Iterable[FrameRecord]) -> None:
    """Writes labels and calibration of all frames; pictures and points are there already."""
    names = []
    for record in records:
        stem, training = f"{record['frame']:06d}", folder / "training"
        lines = [_label(each) for each in record["objects"] if each["pixels"] >= _LEAST_PIXELS]
        write_whole(training / "label_2" / f"{stem}.txt", "".join(lines).encode())
        write_whole(training / "calib" / f"{stem}.txt", _calibration(record).encode())
        names.append(f"{stem}\n")
    write_whole(folder / "ImageSets" / "train.txt", "".join(names).encode())


def _label(seen: SeenObject) -> str:
    length, width, height = seen["size"]
    rotation = np.array(seen["camera_rotation"])
    below = np.array(seen["camera_centre"]) - rotation[:, 2] * height / 2.0
    x, y, z = below.tolist()
    turn = atan2(-rotation[2, 0], rotation[0, 0])
    alpha = turn - atan2(x, z)
    alpha = atan2(sin(alpha), cos(alpha))
    box = " ".join(f"{each:.2f}" for each in seen["outline"])
    return (
        f"{_NAMES[seen['category']]} {seen['truncation']:.2f} {seen['level']} {alpha:.2f} {box} "
        f"{height:.2f} {width:.2f} {length:.2f} {x:.2f} {y:.2f} {z:.2f} {turn:.2f}\n"
    )


def _calibration(record: FrameRecord) -> str:
    projection = np.column_stack([np.array(record["matrix"]), np.zeros(3)])
    to_camera = np.array([[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    to_lidar = np.column_stack([np.eye(3), np.zeros(3)])
    rows = [(f"P{number}", projection) for number in range(4)]
    rows += [("R0_rect", np.eye(3)), ("Tr_velo_to_cam", to_camera), ("Tr_imu_to_velo", to_lidar)]
    return "".join(
        f"{name}: " + " ".join(f"{each:.12e}" for each in matrix.ravel()) + "\n"
        for name, matrix in rows
    )


def lidar_points(depths: Floats32, focal: float) -> Floats32:
    """The points (n, 4) of the lidar: x forward, y left, z up [m], and intensity 0.

    Args:
        depths: (height, width) [m] of a picture.
        focal: focal length [pixels].
    """
    height, width = depths.shape
    elevations = np.radians(np.linspace(_UP, _DOWN, _BEAMS))[:, None]
    widest = np.degrees(np.arctan(width / (2.0 * focal)))
    azimuths = np.radians(np.arange(widest, -widest, -_STEP))[None, :]
    u = np.floor(width / 2.0 - focal * np.tan(azimuths) + 0.0 * elevations).astype(np.int64)
    v = np.floor(height / 2.0 - focal * np.tan(elevations) / np.cos(azimuths)).astype(np.int64)
    is_in = (u >= 0) & (u < width) & (v >= 0) & (v < height)
    u, v = u[is_in], v[is_in]
    x = depths[v, u].astype(np.float64)
    # The middle of the pixel, where the depth was measured.
    y = -(u + 0.5 - width / 2.0) / focal * x
    z = -(v + 0.5 - height / 2.0) / focal * x
    points = np.column_stack([x, y, z, np.zeros_like(x)])
    with np.errstate(invalid="ignore"):
        is_met = np.isfinite(x) & (np.sqrt((points**2).sum(axis=1)) < _REACH)
    return np.asarray(points[is_met], dtype=np.float32)


def write_lidar(folder: Path, stem: str, depths: Floats32, focal: float) -> None:
    """Writes the points of a frame."""
    content = lidar_points(depths, focal).tobytes()
    write_whole(folder / "training" / "velodyne" / f"{stem}.bin", content)
