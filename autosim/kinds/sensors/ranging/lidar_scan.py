"""The geometry of a lidar: where its rays point, and which of them it measures in a step.

The columns of a scan follow each other counter-clockwise as seen from above, the first one along
the device's direction; the channels go from the lowest to the highest. All vectors are in B.
"""

from collections.abc import Sequence
from math import floor

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor, most_columns

Indices = Integers


def elevations(lidar: LidarSensor) -> Floats:
    """The angles (channels,) [rad] of the rays above the horizontal of the lidar.

    A single channel lies in the middle.
    """
    low, high = lidar.min_elevation, lidar.max_elevation
    if lidar.channels == 1:
        return np.array([(low + high) / 2.0])
    return np.linspace(low, high, lidar.channels)


def azimuths(lidar: LidarSensor) -> Floats:
    """The angles (columns,) [rad] from the direction of the lidar, to the left.

    They are in [0, 2 pi) if it rotates, else within half of its field of view on each side.
    """
    if not lidar.is_spinning:
        shares = (np.arange(lidar.columns) + 0.5) / lidar.columns
        return lidar.field_of_view * (shares - 0.5)
    return 2.0 * np.pi * np.arange(lidar.columns) / lidar.columns


def ray_directions(lidar: LidarSensor) -> Floats:
    """Unit vectors (channels, columns, 3) in B of all rays."""
    up = np.array(lidar.up) / portable.length(lidar.up)
    forward = np.array(lidar.direction) - portable.dot(np.array(lidar.direction), up) * up
    forward /= portable.length(forward)
    left = np.cross(up, forward)
    around, above = azimuths(lidar)[:, None], elevations(lidar)[:, None, None]
    level = portable.cos(around) * forward + portable.sin(around) * left
    return np.asarray(portable.cos(above) * level + portable.sin(above) * up)


class Scan:
    """A lidar's last revolution as points.

    Args:
        lidar: which measures them.

    `rays` (columns, channels, 3) are unit vectors in B.
    """

    def __init__(self, lidar: LidarSensor) -> None:
        self.rays: Floats = np.ascontiguousarray(ray_directions(lidar).transpose(1, 0, 2))
        self._position = np.array(lidar.position)
        self._columns = np.arange(lidar.columns)

    def points(self, ranges: Floats, newest_column: int) -> Floats:
        """The points that the rays have hit.

        Args:
            ranges: (channels, columns) m, 0 where there was no return.
            newest_column: the last column measured.

        Returns:
            (n, 3) m in B, in the order of measurement. Each is in B at the time when the point
            was measured.
        """
        order = np.roll(self._columns, -newest_column - 1)
        in_order = ranges.T[order]
        points = self._position + in_order[..., None] * self.rays[order]
        return np.asarray(points[in_order > 0.0])


class Sweep:
    """Rotation of lidars: the columns that they measure in each step.

    Args:
        lidars: all of them.
        step_seconds: length of a step [s].

    `columns_in_a_step` (n,) is how many each of them passes, as a real number; `most` (n,) how
    many it measures in a step at most. One that turns more than once in a step keeps its last
    revolution.
    """

    def __init__(self, lidars: Sequence[LidarSensor], step_seconds: float) -> None:
        self._columns = np.array([each.columns for each in lidars], dtype=np.int64)
        rates = np.array([each.update_rate for each in lidars])
        self.columns_in_a_step: Floats = self._columns * rates * step_seconds
        self.most = np.array([most_columns(each, step_seconds) for each in lidars], dtype=np.int64)

    def between(self, first: int, last: int) -> Indices:
        """Number of columns (n,) measured after step `first` up to step `last`: up to all."""
        passed: Indices = self._passed(last) - self._passed(first)
        return np.minimum(passed, self._columns)

    def _passed(self, step: int) -> Indices:
        # Rounded: where a step has a whole number of columns, an error in the last bit moves none.
        return np.floor(step * self.columns_in_a_step + 0.5).astype(np.int64)


@jitable
def swept_columns(step: int, columns: int, columns_in_a_step: float, most: int) -> tuple[int, int]:
    """The column that a lidar measures last in `step`, and how many up to it, 0 or more.

    Args:
        step: its number.
        columns: of the lidar.
        columns_in_a_step: see `Sweep`.
        most: see `Sweep`.
    """
    passed = floor(step * columns_in_a_step + 0.5)
    before = floor((step - 1) * columns_in_a_step + 0.5)
    return (passed - 1) % columns, min(passed - before, most)
