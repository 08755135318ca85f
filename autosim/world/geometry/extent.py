"""The part of a map that becomes a world, and boxes in plan."""

from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""x_min, y_min, x_max, y_max [m] in W."""


@dataclass(frozen=True, slots=True)
class Window:
    """A square that is cut out of a map: its centre [deg] and the side of its ground [m]."""

    latitude: float
    """Latitude of the centre [deg]."""
    longitude: float
    """Longitude of the centre [deg]."""
    size: float
    """Side [m]."""

    @property
    def centre(self) -> tuple[float, float]:
        """Latitude and longitude [deg]."""
        return (self.latitude, self.longitude)
