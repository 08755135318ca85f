"""Draws the preview map: streets, land use and buildings, and new houses in strong colours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import shapely
from PIL import Image, ImageDraw, ImageFont
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.tools.osm_manipulator.house_placement import PlacedHouse
from autosim.tools.osm_manipulator.manipulator import Furnished
from autosim.world.export.plan_image import COLOURS, Colour
from autosim.world.geometry.meshes import Surface

LAND_COLOURS: Mapping[str, Colour] = MappingProxyType(
    {
        "residential": (236, 222, 214),
        "retail": (244, 210, 208),
        "commercial": (240, 216, 228),
        "industrial": (226, 218, 232),
        "forest": (158, 192, 138),
        "wood": (158, 192, 138),
        "park": (190, 220, 170),
        "farmland": (238, 232, 200),
        "meadow": (208, 224, 168),
        "grass": (208, 228, 180),
        "parking": (226, 226, 232),
    }
)
_OTHER_LAND: Colour = (224, 224, 206)
"""Colour of land uses without their own, a pale one."""

_OTHER_THINGS: Colour = (206, 198, 188)
"""Colour of paths, railways, walls and other obstacles, darker than land."""

NEW_HOUSE: Colour = (206, 52, 40)
"""Colour of new houses, a red that nothing else has."""

NEW_TREE: Colour = (20, 110, 44)
"""Colour of new trees, darker than any land."""

_INK: Colour = (50, 50, 50)
"""Colour of texts and of the fronts of houses."""

_OVERSAMPLING = 2
"""Number of drawn pixels for each pixel of the picture, along either side: it smooths edges."""

TREE_WIDTH, TREE_DOT = 2.0, 1.8
"""Width [m] below which an object of a house list is a tree, and the radius [m] of its dot."""

FRONT_SHARE = 0.2
"""Share of a house's depth that is drawn dark as its front."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A map from above, north up: an RGB picture whose top left is at `corner` (x, y) [m] in W.

    `scale` is in pixels for a metre.
    """

    picture: Image.Image
    scale: float
    corner: tuple[float, float]


def draw_preview(furnished: Furnished, *, size: int = 1600) -> Image.Image:
    """Draws a furnished map from above, north up, with a scale and a legend.

    Args:
        furnished: the map and its new houses.
        size: length of the longer side of the map, in pixels.

    Returns:
        An RGB picture. New houses are red with a dark front, new trees green.
    """
    canvas = _ground(furnished, size)
    canvas.fill(furnished.survey.houses, COLOURS[Surface.ROOF])
    for house in furnished.houses:
        _draw_house(canvas, house)
    plan = canvas.plan()
    return _with_legend(plan.picture, furnished, plan.scale)


def draw_plan(furnished: Furnished, *, size: int = 1600) -> Plan:
    """Draws the part of the map that users cannot change: all but new houses and those of nodes."""
    return _ground(furnished, size).plan()


def _ground(furnished: Furnished, size: int) -> "_Canvas":
    survey = furnished.survey
    canvas = _Canvas(survey.window.bounds, size * _OVERSAMPLING)
    for shape, value in reversed(list(zip(survey.land.shapes, survey.land.values, strict=True))):
        canvas.fill([shape], LAND_COLOURS.get(value, _OTHER_LAND))
    canvas.fill(survey.others, _OTHER_THINGS)
    canvas.fill(survey.water, COLOURS[Surface.WATER])
    canvas.fill(survey.street_surfaces, COLOURS[Surface.CARRIAGEWAY], outlined=True)
    canvas.fill(survey.buildings, COLOURS[Surface.ROOF])
    return canvas


class _Canvas:
    """A picture on which shapes in W [m] are filled."""

    def __init__(self, bounds: tuple[float, float, float, float], longest: int) -> None:
        x_min, y_min, x_max, y_max = bounds
        self.scale = longest / max(x_max - x_min, y_max - y_min)
        self._corner = np.array([x_min, y_max])
        pixels = (
            max(round((x_max - x_min) * self.scale), 4 * _OVERSAMPLING),
            max(round((y_max - y_min) * self.scale), 4 * _OVERSAMPLING),
        )
        self._window = shapely.box(*bounds)
        self.picture = Image.new("RGB", pixels, COLOURS[Surface.GROUND])
        self._pen = ImageDraw.Draw(self.picture)

    def plan(self) -> Plan:
        """The drawn map at the requested size."""
        size = (self.picture.width // _OVERSAMPLING, self.picture.height // _OVERSAMPLING)
        picture = self.picture.resize(size, Image.Resampling.LANCZOS)
        x, y = self._corner.tolist()
        return Plan(picture, self.scale / _OVERSAMPLING, (x, y))

    def fill(self, shapes: Iterable[BaseGeometry], colour: Colour, outlined: bool = False) -> None:
        """Fills polygons; `outlined` closes the hairlines between neighbours."""
        for part in shapely.get_parts(list(shapes)):
            if part.geom_type == "Polygon" and not part.is_empty:
                self._fill_polygon(part, colour, outlined)

    def _fill_polygon(self, polygon: shapely.Polygon, colour: Colour, outlined: bool) -> None:
        if not polygon.interiors:
            self.fill_ring(np.asarray(polygon.exterior.coords), colour, outlined)
            return
        # A hole must show the shapes below, which needs a mask.
        mask = Image.new("1", self.picture.size)
        pen = ImageDraw.Draw(mask)
        pen.polygon(self._pixels(np.asarray(polygon.exterior.coords)), fill=1)
        for ring in polygon.interiors:
            pen.polygon(self._pixels(np.asarray(ring.coords)), fill=0)
        self.picture.paste(colour, mask=mask)

    def fill_ring(self, points: Floats, colour: Colour, outlined: bool = False) -> None:
        """Fills a ring of points (n, 2)."""
        self._pen.polygon(self._pixels(points), fill=colour, outline=colour if outlined else None)

    def dot(self, centre: Sequence[float], radius: float, colour: Colour) -> None:
        """A dot with a radius [m]."""
        (x, y), r = self._pixels(np.array([centre])), radius * self.scale
        self._pen.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def _pixels(self, points: Floats) -> list[float]:
        pixels: list[float] = (
            ((points[:, :2] - self._corner) * np.array([self.scale, -self.scale])).ravel().tolist()
        )
        return pixels


def _draw_house(canvas: _Canvas, house: PlacedHouse) -> None:
    if house.house.size[0] < TREE_WIDTH:
        canvas.dot(house.centre, TREE_DOT, NEW_TREE)
        return
    corners = house.corners
    canvas.fill_ring(corners, NEW_HOUSE)
    back = corners[[0, 3]] * FRONT_SHARE + corners[[1, 2]] * (1.0 - FRONT_SHARE)
    canvas.fill_ring(np.vstack([back[0], corners[1], corners[2], back[1]]), _INK)


def _with_legend(picture: Image.Image, furnished: Furnished, scale: float) -> Image.Image:
    """Adds a strip with a scale bar, the number of houses, colours and the attribution."""
    font = ImageFont.load_default(size=max(12, picture.width // 90))
    line = round(1.7 * font.getbbox("Ág")[3])
    level = Image.new("RGB", (picture.width, picture.height + 2 * line + 8), (255, 255, 255))
    level.paste(picture, (0, 0))
    pen = ImageDraw.Draw(level)
    x, y = 10.0, picture.height + 6.0
    for colour, text in _entries(furnished):
        pen.rectangle((x, y, x + line * 0.7, y + line * 0.7), fill=colour)
        pen.text((x + line, y), text, fill=_INK, font=font)
        x += line * 1.8 + pen.textlength(text, font=font)
    y += line
    length = _round_length(0.2 * picture.width / scale)
    pen.line((10, y + line / 2, 10 + length * scale, y + line / 2), fill=_INK, width=3)
    text = f"{length:g} m    {furnished.survey.attribution}"
    pen.text((20 + length * scale, y), text, fill=_INK, font=font)
    return level


def _entries(furnished: Furnished) -> list[tuple[Colour, str]]:
    trees = sum(house.house.size[0] < TREE_WIDTH for house in furnished.houses)
    return [
        (NEW_HOUSE, f"{len(furnished.houses) - trees} new houses, dark front"),
        (NEW_TREE, f"{trees} new trees"),
        (COLOURS[Surface.ROOF], "buildings"),
        (LAND_COLOURS["residential"], "residential"),
        (LAND_COLOURS["forest"], "forest"),
    ]


def _round_length(length: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is no longer."""
    power = 10.0 ** np.floor(np.log10(max(length, 1.0)))
    return float(max(step * power for step in (1, 2, 5) if step * power <= max(length, 1.0)))
