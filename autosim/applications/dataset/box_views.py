"""Boxes as a camera sees them: in its frame, in its picture, cut off and hidden.

The camera's frame is that of OpenCV and KITTI: x to the right, y downwards, z along the view axis.
"""

from dataclasses import dataclass

import numpy as np

from autosim.applications.dataset.box_sources import Boxes
from autosim.arrays import Booleans, Floats, Integers
from autosim.client.cameras.camera_rigs import NEAR, CameraPose
from autosim.client.rendering.measured import Measured

REACH = 150.0
"""Distance [m] up to which boxes are reported: a car there is some 8 pixels high."""

_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1])

_AHEAD = 0.1
"""Depth [m] before a box's surface by which something that hides it is nearer: more than the error
of depths, less than the gap between cars."""

_PARTS = (0.05, 0.5)
"""Hidden shares up to which an object is fully visible and partly occluded (KITTI's levels)."""


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A camera without distortion, whose view axis goes through the middle of the picture.

    Attributes:
        width: of the picture [pixels].
        height: the same.
        focal: focal length [pixels] along both axes.
    """

    width: int
    height: int
    focal: float

    @property
    def matrix(self) -> Floats:
        """Camera matrix (3, 3); pixels count from the middle of the first one, as in OpenCV."""
        return np.array(
            [
                [self.focal, 0.0, self.width / 2.0 - 0.5],
                [0.0, self.focal, self.height / 2.0 - 0.5],
                [0.0, 0.0, 1.0],
            ]
        )


@dataclass(frozen=True, slots=True)
class SeenBox:
    """One box as a camera sees it.

    Attributes:
        row: its place in `Boxes`.
        centre: (3,) [m] in the camera's frame.
        rotation: (3, 3) from the box's axes to the camera's frame.
        outline: left, top, right, bottom [pixels] of the projected box, within the picture.
        visible: the same around its visible pixels; None where there are none.
        pixels: number of visible pixels.
        truncation: share of the outline beyond the edges of the picture.
        occlusion: share of the box within the picture that nearer things hide.
    """

    row: int
    centre: Floats
    rotation: Floats
    outline: tuple[float, float, float, float]
    visible: tuple[int, int, int, int] | None
    pixels: int
    truncation: float
    occlusion: float

    @property
    def level(self) -> int:
        """KITTI's level of occlusion: 0 fully visible, 1 partly, 2 largely hidden."""
        return int(np.searchsorted(_PARTS, self.occlusion))


def camera_axes(pose: CameraPose) -> Floats:
    """The matrix (3, 3) from W to the camera's frame."""
    right, forward, up = pose.rotation.T
    return np.array([right, -up, forward])


def see_boxes(
    boxes: Boxes, pose: CameraPose, camera: Pinhole, measured: Measured, *, without: int
) -> list[SeenBox]:
    """The boxes up to `REACH` that are in the picture, also those that something hides.

    Args:
        boxes: in the world.
        pose: of the camera.
        camera: its lens.
        measured: of the same view.
        without: the number of the vehicle that carries the camera.
    """
    axes = camera_axes(pose)
    centres = (boxes.centres - pose.position) @ axes.T
    reach = np.sqrt((boxes.sizes**2).sum(axis=1)) / 2.0
    is_near = (centres[:, 2] < REACH) & (centres[:, 2] + reach > NEAR)
    side = camera.width / (2.0 * camera.focal)
    is_near &= np.abs(centres[:, 0]) < side * (centres[:, 2] + reach) + 2.0 * reach
    rows = np.flatnonzero(is_near & (boxes.numbers != without)).tolist()
    found = []
    for row in rows:
        seen = _see(row, boxes, centres[row], axes @ boxes.rotations[row], camera, measured)
        if seen is not None:
            found.append(seen)
    return found


def _see(
    row: int,
    boxes: Boxes,
    centre: Floats,
    rotation: Floats,
    camera: Pinhole,
    measured: Measured,
) -> SeenBox | None:
    corners = centre + (_CORNERS * boxes.sizes[row]) @ rotation.T
    whole = _outline(corners, camera)
    if whole is None:
        return None
    edges = np.array([camera.width, camera.height, camera.width, camera.height], dtype=np.float64)
    cut = np.clip(whole, 0.0, edges)
    area = float((whole[2] - whole[0]) * (whole[3] - whole[1]))
    within = float((cut[2] - cut[0]) * (cut[3] - cut[1]))
    if within < 1.0:
        return None
    left, top = np.floor(cut[:2]).astype(int).tolist()
    right, bottom = np.ceil(cut[2:]).astype(int).tolist()
    place = slice(top, bottom), slice(left, right)
    ways = _ways(left, top, right, bottom, camera)
    entry = _entry_depths(ways, centre, rotation, boxes.sizes[row])
    is_own = measured.instances[place] == boxes.numbers[row]
    is_met = np.isfinite(entry)
    is_hidden = is_met & ~is_own & (measured.depths[place] < entry - _AHEAD)
    pixels = int(is_own.sum())
    hidden = float(is_hidden.sum()) / max(int(is_met.sum()), 1)
    return SeenBox(
        row,
        centre,
        rotation,
        (float(cut[0]), float(cut[1]), float(cut[2]), float(cut[3])),
        _extent(is_own, left, top) if pixels else None,
        pixels,
        truncation=1.0 - within / area,
        occlusion=hidden if pixels else 1.0,
    )


def _outline(corners: Floats, camera: Pinhole) -> Floats | None:
    """Left, top, right, bottom [pixels] of a box's corners (8, 3); None behind the camera."""
    depths = corners[:, 2]
    points = [corners[depths >= NEAR]]
    a, b = corners[_EDGES[:, 0]], corners[_EDGES[:, 1]]
    is_cut = (a[:, 2] < NEAR) != (b[:, 2] < NEAR)
    if is_cut.any():
        a, b = a[is_cut], b[is_cut]
        share = (NEAR - a[:, 2]) / (b[:, 2] - a[:, 2])
        points.append(a + share[:, None] * (b - a))
    ahead = np.concatenate(points)
    if not len(ahead):
        return None
    u = camera.width / 2.0 + camera.focal * ahead[:, 0] / ahead[:, 2]
    v = camera.height / 2.0 + camera.focal * ahead[:, 1] / ahead[:, 2]
    return np.array([u.min(), v.min(), u.max(), v.max()])


def _ways(left: int, top: int, right: int, bottom: int, camera: Pinhole) -> Floats:
    """The directions (h, w, 3) of the middles of pixels, each 1 long along the view axis."""
    u = (np.arange(left, right) + 0.5 - camera.width / 2.0) / camera.focal
    v = (np.arange(top, bottom) + 0.5 - camera.height / 2.0) / camera.focal
    ways = np.ones((len(v), len(u), 3))
    ways[..., 0], ways[..., 1] = u, v[:, None]
    return ways


def _entry_depths(ways: Floats, centre: Floats, rotation: Floats, size: Floats) -> Floats:
    """Depths (h, w) [m] at which rays from the camera enter a box; inf where they miss it."""
    start, along = -centre @ rotation, ways @ rotation
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (-size / 2.0 - start) / along
        second = (size / 2.0 - start) / along
    enter = np.fmin(first, second).max(axis=-1)
    leave = np.fmax(first, second).min(axis=-1)
    return np.where((leave >= enter) & (leave > 0.0), np.maximum(enter, 0.0), np.inf)


def _extent(mask: Booleans, left: int, top: int) -> tuple[int, int, int, int]:
    rows: Integers = np.flatnonzero(mask.any(axis=1))
    columns: Integers = np.flatnonzero(mask.any(axis=0))
    return (
        int(left + columns[0]),
        int(top + rows[0]),
        int(left + columns[-1] + 1),
        int(top + rows[-1] + 1),
    )
