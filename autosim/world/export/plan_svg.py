"""Draws a compiled world as a street map in SVG, in metres, north up."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.plan_image import COLOURS, CONNECTOR, GROUND_ORDER, LANE, Colour
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.overlays import polygons_of

_LEAST_AREA = 1e-6
"""Area [m²] up to which a triangle is degenerate and cannot be united with others."""

_LANE_METRES = 0.3
"""Width [m] of the centre line of a lane, as in `draw_plan`."""

_GRID = 0.001
"""Grid [m] to which overlapping triangles are rounded while they are united."""


def plan_svg(world: CompiledWorld, *, size: int = 1200, has_lanes: bool = True) -> bytes:
    """Draws a world from above, north up.

    Args:
        world: the world.
        size: length of the longer side, in pixels, where a viewer does not scale the picture.
        has_lanes: whether to draw the lanes' centre lines, connectors in another colour.

    Returns:
        An SVG document whose user units are metres; y is -y of W.
    """
    x_min, y_min, x_max, y_max = world.bounds
    width, height = x_max - x_min, y_max - y_min
    scale = size / max(width, height)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="{x_min:.2f} {-y_max:.2f} {width:.2f} {height:.2f}" '
        f'width="{width * scale:.0f}" height="{height * scale:.0f}">',
        f"<title>{escape(world.name)}</title>",
        f"<desc>{escape(world.attribution)}</desc>",
        f'<rect x="{x_min:.2f}" y="{-y_max:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{_hex(COLOURS[Surface.GROUND])}"/>',
    ]
    parts += [_surface(world.ground, surface) for surface in GROUND_ORDER]
    parts += [_surface(mesh, Surface.ROOF) for mesh in (world.buildings, world.house_boxes)]
    if has_lanes:
        parts += [_lanes(world, is_connector) for is_connector in (True, False)]
    return "\n".join([*parts, "</svg>"]).encode()


def _surface(mesh: Mesh, surface: Surface) -> str:
    """One path of all triangles of a surface, united."""
    corners = mesh.vertices[mesh.triangles[mesh.surfaces == surface]][:, :, :2]
    triangles = shapely.polygons(corners)
    triangles = triangles[shapely.area(triangles) > _LEAST_AREA]
    shape = polygons_of(_united(triangles))
    rings = [ring for part in shapely.get_parts(shape) for ring in _rings(part)]
    path = "".join(f"M{_text(ring[:-1])}Z" for ring in rings)
    name = surface.name.lower()
    colour = _hex(COLOURS[surface])
    return f'<path id="{name}" fill="{colour}" fill-rule="evenodd" d="{path}"/>'


def _united(triangles: Sequence[BaseGeometry]) -> BaseGeometry:
    """The union of triangles, found fast where they do not overlap, as on the ground."""
    try:
        shape = overlays.coverage_union_all(triangles)
        if shapely.is_valid(shape):
            return shape
    except shapely.GEOSException:
        pass
    return overlays.union_all(triangles, grid_size=_GRID)


def _rings(polygon: BaseGeometry) -> list[Floats]:
    return [shapely.get_coordinates(ring) for ring in shapely.get_rings(polygon)]


def _lanes(world: CompiledWorld, is_connector: bool) -> str:
    roads = world.roads
    lines = [lane.centre_line[:, :2] for lane in roads.lanes if lane.is_connector == is_connector]
    path = "".join(f"M{_text(line)}" for line in lines)
    name, colour = ("connectors", CONNECTOR) if is_connector else ("lanes", LANE)
    return (
        f'<path id="{name}" fill="none" stroke="{_hex(colour)}" '
        f'stroke-width="{_LANE_METRES}" d="{path}"/>'
    )


def _text(points: Floats) -> str:
    flipped = np.round(points * np.array([1.0, -1.0]), 2)
    return " ".join(f"{x:g},{y:g}" for x, y in flipped.tolist())


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
