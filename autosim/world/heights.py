"""How high the ground is: one function H(x, y) for every vertex of the world.

On streets H follows a smoothed profile of the terrain along them, beside them it goes over into
the terrain. Overlapping and parallel streets agree because all of them ask the same function.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import gaussian_filter1d, map_coordinates
from scipy.spatial import cKDTree

from autosim.world.curves import Floats, resample
from autosim.world.osm_sniff import UnusableFileError, error
from autosim.world.streets import Street

HeightFunction = Callable[[Floats], Floats]
"""Heights (n,) [m] of points (n, 2) in W."""

_MAX_PIXELS = 64_000_000
_SAMPLE_SPACING = 2.0
_ALONG_SIGMA = 15.0
_ACROSS_SIGMA = 4.0
_NEIGHBOURS = 16
_TRANSITION = 14.0


def flat(points: Floats) -> Floats:
    """The height function of a plane at 0."""
    return np.zeros(len(points))


def load_terrain(picture: Path, *, spacing: float, divisor: float) -> HeightFunction:
    """The terrain of a height map picture whose middle is W's origin and whose top is north.

    Args:
        picture: 8 or 16 bits of grey.
        spacing: metres between samples (`HeightDataPerArea`).
        divisor: what divides a sample into metres (`HeightDivisionCoefficient`).

    Raises:
        UnusableFileError: the picture cannot be read.
    """
    samples = _load_samples(picture) / divisor
    rows, columns = samples.shape

    def terrain(points: Floats) -> Floats:
        row = (rows - 1) / 2.0 - points[:, 1] / spacing
        column = (columns - 1) / 2.0 + points[:, 0] / spacing
        heights = map_coordinates(samples, np.vstack([row, column]), order=3, mode="nearest")
        return np.asarray(heights, dtype=np.float64)

    return terrain


def _load_samples(picture: Path) -> Floats:
    try:
        with Image.open(picture) as image:
            if image.width * image.height > _MAX_PIXELS:
                raise error(picture, f"a height map has at most {_MAX_PIXELS} samples")
            is_deep = image.mode.startswith(("I", "F"))
            return np.asarray(image if is_deep else image.convert("L"), dtype=np.float64)
    except UnusableFileError:
        raise
    except (OSError, ValueError, SyntaxError) as fault:
        raise error(picture, f"not a readable height map: {fault}") from fault


def along_streets(terrain: HeightFunction, streets: Sequence[Street]) -> HeightFunction:
    """H: smoothed along streets (Gaussian, 15 m), going over into the terrain beside them."""
    samples = [resample(street.points, _SAMPLE_SPACING) for street in streets]
    if not samples:
        return terrain
    profiles = [
        gaussian_filter1d(terrain(line), _ALONG_SIGMA / _SAMPLE_SPACING, mode="nearest")
        for line in samples
    ]
    half_widths = [
        np.full(len(k), s.profile.width / 2.0) for k, s in zip(samples, streets, strict=True)
    ]
    tree = cKDTree(np.vstack(samples))
    heights, reach = np.concatenate(profiles), np.concatenate(half_widths)
    count = min(_NEIGHBOURS, len(heights))

    def height(points: Floats) -> Floats:
        nearest = tree.query(points, k=list(range(1, count + 1)))
        distances, rows = (np.asarray(each) for each in nearest)
        return _blend(terrain(points), heights[rows], distances, reach[rows])

    return height


def _blend(ground: Floats, near: Floats, distances: Floats, reach: Floats) -> Floats:
    """Kernel mean of the nearest samples, going over into the ground outside the street."""
    nearest = distances[:, :1]
    weights = np.exp(-0.5 * ((distances - nearest) / _ACROSS_SIGMA) ** 2)
    street = (weights * near).sum(axis=1) / weights.sum(axis=1)
    outside = np.clip((nearest[:, 0] - reach[:, 0] - 2.0) / _TRANSITION, 0.0, 1.0)
    share = outside * outside * (3.0 - 2.0 * outside)
    return np.asarray((1.0 - share) * street + share * ground, dtype=np.float64)


def kerb_lift(
    triangles: npt.NDArray[np.int32],
    surfaces: npt.NDArray[np.uint8],
    *,
    count: int,
    raised: int,
    level: int,
) -> npt.NDArray[np.bool_]:
    """Which of `count` vertices stand at the height of the pavement.

    Those of a `raised` surface that do not touch the `level` one: so the kerb strip between them
    slopes, and where a pavement ends it ramps down, without an open edge.
    """
    up, down = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    up[triangles[surfaces == raised].ravel()] = True
    down[triangles[surfaces == level].ravel()] = True
    return up & ~down
