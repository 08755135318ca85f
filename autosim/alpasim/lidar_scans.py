"""Revolutions of lidars in a scene, with objects as boxes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.frame_poses import FramePose, between
from autosim.arrays import Floats, Floats32
from autosim.kinds.sensors.ranging.lidar_bank import BODY_REFLECTIVITY, REFLECTIVITY


@dataclass(frozen=True, slots=True)
class LidarModel:
    """The beams of a lidar.

    `elevations` (n,) [rad] of its channels; `azimuths` (m,) [rad] of its columns in the order in
    which they are measured, counter-clockwise from ahead; `nearest` and `reach` [m].
    """

    elevations: Floats
    azimuths: Floats
    nearest: float
    reach: float


PANDAR128 = LidarModel(
    np.radians(
        np.concatenate(
            [np.linspace(-25.0, -6.5, 32), np.linspace(-6.0, 2.0, 64), np.linspace(2.5, 15.0, 32)]
        )
    ),
    np.radians(np.arange(180.0, -180.0, -0.2)),
    0.3,
    200.0,
)
"""Hesai's Pandar128: 360 degrees, in columns of 0.2 degrees, with dense channels at the horizon."""

AT128 = LidarModel(
    np.radians(np.linspace(-12.5, 12.9, 128)), np.radians(np.arange(60.0, -60.0, -0.1)), 1.0, 200.0
)
"""Hesai's AT128: 120 degrees ahead, in columns of 0.1 degrees."""


@dataclass(frozen=True, slots=True)
class LidarReturns:
    """The returns of a scan.

    `points` (n, 3) [m] in the lidar at the end of the scan; `intensities` (n,), 0 to 1.
    """

    points: Floats32
    intensities: Floats32


@dataclass(frozen=True, slots=True)
class MovingBox:
    """A box of `size` (3,) [m] whose centre moves from `first` to `last` in a scan."""

    size: tuple[float, float, float]
    first: FramePose
    last: FramePose


def scan(
    scene: AlpasimScene,
    model: LidarModel,
    poses: tuple[FramePose, FramePose],
    boxes: Mapping[str, MovingBox],
) -> LidarReturns:
    """The returns of one scan, in which the lidar moves evenly.

    Args:
        scene: the world.
        model: of the lidar.
        poses: of the lidar at the begin and at the end.
        boxes: the objects, by their identifiers.
    """
    columns = len(model.azimuths)
    shares = np.arange(columns) / columns
    at = [between(*poses, float(share)) for share in shares]
    axes = np.array([each.axes for each in at])
    azimuth, elevation = np.meshgrid(model.azimuths, model.elevations, indexing="ij")
    beams = np.stack(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ],
        axis=-1,
    )
    count = len(model.elevations)
    origins = np.repeat(np.array([each.position for each in at]), count, axis=0)
    ways = np.einsum("cij,cnj->cni", axes, beams).reshape(-1, 3)
    met, normals, triangles = scene.solids.cast(origins, origins + model.reach * ways)
    distances = np.where(triangles >= 0, met * model.reach, np.inf)
    shine = np.zeros(len(distances))
    is_met = triangles >= 0
    shine[is_met] = REFLECTIVITY[scene.solids.surfaces[triangles[is_met]]]
    facing = np.abs((normals * ways).sum(axis=1))
    for box in boxes.values():
        _meet_box(box, np.repeat(shares, count), origins, ways, (distances, shine, facing))
    is_seen = (distances >= model.nearest) & (distances <= model.reach)
    points = origins[is_seen] + ways[is_seen] * distances[is_seen, None]
    last = poses[1]
    return LidarReturns(
        ((points - last.position) @ last.axes).astype(np.float32),
        np.clip(shine[is_seen] * facing[is_seen], 0.0, 1.0).astype(np.float32),
    )


def _meet_box(
    box: MovingBox,
    shares: Floats,
    origins: Floats,
    ways: Floats,
    found: tuple[Floats, Floats, Floats],
) -> None:
    """Writes the hits of rays on a box that are before their hits so far.

    Args:
        box: an object.
        shares: (n,) of the scan at which each ray is sent.
        origins: (n, 3) [m].
        ways: (n, 3) unit vectors.
        found: (n,) distances [m], reflectivities, and cosines of the angle to the surface.
    """
    distances, shine, facing = found
    half = np.array(box.size) / 2.0
    # The turn of a vehicle within a scan is small: the axes are those of its middle.
    axes = between(box.first, box.last, 0.5).axes
    centres = box.first.position + shares[:, None] * (box.last.position - box.first.position)
    towards = centres - origins
    reach = float(np.linalg.norm(half))
    along = (towards * ways).sum(axis=1)
    aside = (towards**2).sum(axis=1) - along**2
    rows = np.flatnonzero((aside <= reach**2) & (along > -reach) & (along - reach < distances))
    if not len(rows):
        return
    start, way = -towards[rows] @ axes, ways[rows] @ axes
    with np.errstate(divide="ignore", invalid="ignore"):
        first, last = (-half - start) / way, (half - start) / way
    enter, leave = np.fmin(first, last), np.fmax(first, last)
    side = np.nanargmax(np.where(np.isnan(enter), -np.inf, enter), axis=1)
    near = np.take_along_axis(enter, side[:, None], axis=1)[:, 0]
    is_hit = (near <= np.nanmin(leave, axis=1)) & (near > 0.0) & (near < distances[rows])
    hit = rows[is_hit]
    distances[hit], shine[hit] = near[is_hit], BODY_REFLECTIVITY
    facing[hit] = np.abs(way[is_hit, side[is_hit]])
