"""The record of a lidar, and what follows from it alone."""

from dataclasses import dataclass
from math import ceil, pi

from autosim.config.descriptions import Device, Vector3


@dataclass(frozen=True, slots=True)
class LidarSensor(Device):
    """A lidar of `channels` × `columns` ranges [m]; noise in metres.

    It turns `update_rate` [Hz] times a second about `up`, counter-clockwise from above; its first
    column points along `direction` (unit vectors in B; only the share of `direction` at a right
    angle to `up` counts). The channels are spread evenly from `min_elevation` to
    `max_elevation` [rad]. What is nearer than `min_range` or farther than `range` [m] gives
    no return, and a share `dropout` of all rays gives none by chance.

    With a `field_of_view` [rad] of less than a turn nothing rotates: the columns lie within it,
    half of them on each side of `direction`, and are measured from the right to the left. If it
    `has_intensity`, it tells how strong each return is. In `rain` [mm/h] and in fog with a
    `visibility` [m] (0: clear) light is lost, and with it returns; None: those of the world.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    """Origin of the rays [m], in B relative to the part's centre."""
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    channels: int = 16
    min_elevation: float = -pi / 12
    max_elevation: float = pi / 12
    columns: int = 360
    update_rate: float = 10.0
    min_range: float = 0.5
    range: float = 100.0
    dropout: float = 0.0
    field_of_view: float = 2.0 * pi
    has_intensity: bool = False
    rain: float | None = None
    visibility: float | None = None

    @property
    def is_spinning(self) -> bool:
        """Whether it turns, and sees all around."""
        return self.field_of_view >= 2.0 * pi


def most_columns(lidar: LidarSensor, step_seconds: float) -> int:
    """The most columns that a lidar measures in a step of that length [s]."""
    return min(lidar.columns, max(1, ceil(lidar.columns * lidar.update_rate * step_seconds - 1e-9)))


def ray_channels(lidar: LidarSensor, step_seconds: float) -> tuple[str, ...]:
    """A name for each ray that a lidar casts in a step at most; its noise follows from it."""
    count = lidar.channels * most_columns(lidar, step_seconds)
    return tuple(f".ray{number}" for number in range(count))
