"""Reads places on the command line: numbers in one word, separated by commas."""

from math import isfinite

import click

_SMALLEST_SIDE, _LARGEST_SIDE = 150.0, 100_000.0
"""Least and greatest side [m] of a window: a street with its junctions, and the greatest `Size` of
a map set-up."""


class WindowType(click.ParamType[tuple[float, float, float]]):
    """A square: the middle [deg] and the side [m]."""

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
            self.fail(f"latitude {latitude:g} and longitude {longitude:g} are no place", param, ctx)
        if not _SMALLEST_SIDE <= size <= _LARGEST_SIDE:
            sides = f"{_SMALLEST_SIDE:.0f} to {_LARGEST_SIDE:.0f} metres"
            self.fail(f"the side is {sides}, not {size:g}", param, ctx)
        return latitude, longitude, size


class StandpointType(click.ParamType[tuple[float, float, float]]):
    """A place [deg] and a height above it [m]."""

    name = "LAT,LON[,HEIGHT]"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float]:
        """Latitude, longitude and height; eye height where none is given."""
        try:
            latitude, longitude, *rest = map(float, value.split(","))
            (height,) = rest or [1.7]
            if not isfinite(height):
                raise ValueError
        except ValueError:
            self.fail(f"expected LAT,LON or LAT,LON,HEIGHT, not '{value}'", param, ctx)
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0):
            self.fail(f"latitude {latitude:g} and longitude {longitude:g} are no place", param, ctx)
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
