"""Parameter types for positions and areas: numbers separated by commas."""

from math import isfinite

import click

_SMALLEST_SIDE, _LARGEST_SIDE = 150.0, 100_000.0
"""Smallest and largest side [m] of a window: one street with its junctions, and the largest `Size`
of a map set-up."""


_NOT_ON_EARTH = "latitude {:g} and longitude {:g} are not a position on Earth"


class WindowType(click.ParamType[tuple[float, float, float]]):
    """A square: its centre [deg] and its side [m]."""

    name = "LAT,LON,METRES"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float]:
        """Latitude, longitude and side."""
        try:
            latitude, longitude, size = map(float, value.split(","))
        except ValueError:
            self.fail(f"expected three numbers LAT,LON,METRES, not '{value}'", param, ctx)
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0):
            self.fail(_NOT_ON_EARTH.format(latitude, longitude), param, ctx)
        if not _SMALLEST_SIDE <= size <= _LARGEST_SIDE:
            sides = f"{_SMALLEST_SIDE:.0f} to {_LARGEST_SIDE:.0f} metres"
            self.fail(f"the side must be {sides}, not {size:g}", param, ctx)
        return latitude, longitude, size


class StandpointType(click.ParamType[tuple[float, float, float]]):
    """A position [deg] and a height above ground [m]."""

    name = "LAT,LON[,HEIGHT]"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float]:
        """Latitude, longitude and height; the default height is eye level."""
        try:
            latitude, longitude, *rest = map(float, value.split(","))
            (height,) = rest or [1.7]
            if not isfinite(height):
                raise ValueError
        except ValueError:
            self.fail(f"expected LAT,LON or LAT,LON,HEIGHT, not '{value}'", param, ctx)
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0):
            self.fail(_NOT_ON_EARTH.format(latitude, longitude), param, ctx)
        return latitude, longitude, height


class BoxType(click.ParamType[tuple[float, float, float, float]]):
    """A box: west, south, east, north [deg]."""

    name = "W,S,E,N"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float, float]:
        """West, south, east and north."""
        try:
            west, south, east, north = map(float, value.split(","))
        except ValueError:
            self.fail(f"expected four numbers W,S,E,N [deg], not '{value}'", param, ctx)
        return west, south, east, north
