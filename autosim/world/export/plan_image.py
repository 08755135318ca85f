"""Draws a compiled world as a street map, for `path.png` and for checks by eye."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from autosim.arrays import Booleans, Floats
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind, Props
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.lane_rules import Control

Colour = tuple[int, int, int]

COLOURS: Mapping[Surface, Colour] = {
    Surface.GROUND: (232, 228, 214),
    Surface.CARRIAGEWAY: (120, 124, 130),
    Surface.PAVEMENT: (202, 198, 190),
    Surface.KERB: (168, 166, 162),
    Surface.PARK: (176, 208, 152),
    Surface.WATER: (140, 184, 216),
    Surface.WALL: (150, 110, 92),
    Surface.ROOF: (196, 152, 128),
    Surface.CONCRETE: (150, 148, 142),
    Surface.PAINT: (246, 246, 240),
    Surface.PAINT_YELLOW: (236, 196, 80),
    Surface.BALLAST: (172, 162, 152),
    Surface.PAVING: (216, 212, 204),
    Surface.SETT: (206, 200, 192),
    Surface.ASPHALT: (190, 190, 190),
    Surface.GRAVEL: (222, 210, 186),
    Surface.RAIL: (96, 90, 88),
    Surface.MASONRY: (140, 128, 116),
    Surface.TIMBER: (150, 126, 98),
    Surface.HEDGE: (110, 146, 86),
    Surface.STEM: (96, 76, 58),
    Surface.DOOR: (96, 70, 52),
    Surface.SHOP_WINDOW: (74, 90, 102),
    Surface.AWNING: (196, 92, 78),
    Surface.STEEL: (96, 100, 102),
    Surface.SIGN: (60, 104, 176),
}

GROUND_ORDER = (
    Surface.PARK,
    Surface.WATER,
    Surface.GRAVEL,
    Surface.PAVING,
    Surface.SETT,
    Surface.ASPHALT,
    Surface.PAVEMENT,
    Surface.KERB,
    Surface.CARRIAGEWAY,
)
"""The surfaces of the ground that are drawn on the plain colour of the rest, in this order."""
_TREE: Colour = (126, 164, 100)
"""Colour of the crowns of trees, a green darker than that of parks."""

_CROWN_SHARE = 0.3
"""Radius of a tree's crown as a share of its height: as the models of trees have it."""

LANE: Colour = (236, 236, 228)
"""Colour of the centre lines of lanes, light on the grey of carriageways."""

CONNECTOR: Colour = (240, 190, 90)
"""Colour of the centre lines of connectors, to tell them from lanes."""

CONTROL_COLOURS: Mapping[Control, Colour] = {
    Control.SIGNALS: (40, 170, 90),
    Control.STOP: (210, 40, 40),
    Control.ALL_WAY_STOP: (210, 40, 40),
    Control.GIVE_WAY: (240, 140, 30),
    Control.EQUAL: (70, 120, 220),
}
_TRACK: Colour = (214, 40, 40)
"""Colour of a driven path, a red that nothing else on the map has."""

_OVERSAMPLING = 2
"""Number of drawn pixels for each pixel of the picture, along either side: it smooths edges."""

_UNDER_GROUND = 0.1
"""Depth [m] below the ground from which on a part of a tunnel is not drawn."""


@dataclass(frozen=True, slots=True)
class _Pens:
    """Widths of lines: chosen by looking at pictures of towns."""

    lane: float = 0.3
    """Width [m] of the centre line of a lane."""

    bar: float = 0.8
    """Width [m] of the bar where vehicles wait."""

    bar_share: float = 0.4
    """Half the length of such a bar as a share of its lane's width."""

    track: float = 1.2
    """Width [m] of a driven path."""

    least_track: int = 3
    """Width [pixels] of a driven path at least, so that it shows on the map of a large town."""

    start: float = 2.0
    """Radius of the dot at the start of a driven path, as a multiple of the path's width."""


_PENS = _Pens()

Box = tuple[float, float, float, float]


def draw_world_plan(
    world: CompiledWorld,
    *,
    size: int = 1200,
    track: npt.ArrayLike | None = None,
    area: Box | None = None,
    has_lanes: bool = False,
) -> Image.Image:
    """Draws a world from above, north up.

    Args:
        world: the world.
        size: length of the longer side of the picture, in pixels.
        track: (n, 2) or (n, 3) points of a driven path in W [m], drawn in red with a dot where it
            begins.
        area: (x_min, y_min, x_max, y_max) [m] to draw; None for the whole world.
        has_lanes: whether to draw the centre lines of lanes, with connectors in another colour, and
            bars where vehicles wait: green at signals, red where they stop, orange where they give
            way, blue where the vehicle from the right goes first.

    Returns:
        An RGB picture.
    """
    view = _View(area or world.bounds, size * _OVERSAMPLING)
    picture = Image.new("RGB", view.pixels, COLOURS[Surface.GROUND])
    pen = ImageDraw.Draw(picture)
    for surface in GROUND_ORDER:
        _fill(pen, view, world.ground, surface)
    for mesh in (world.rails, world.markings, world.obstacles):
        for surface in np.unique(mesh.surfaces).tolist():
            _fill(pen, view, mesh, Surface(surface))
    for solids in (world.buildings, world.house_boxes):
        _fill(pen, view, solids, Surface.WALL)
        _fill(pen, view, solids, Surface.ROOF)
    _draw_trees(pen, view, world.props)
    _fill_structures(pen, view, world)
    if has_lanes:
        _draw_lanes(pen, view, world)
        _draw_controls(pen, view, world)
    if track is not None:
        _draw_track(pen, view, np.asarray(track, dtype=np.float64)[:, :2])
    return picture.resize((picture.width // _OVERSAMPLING, picture.height // _OVERSAMPLING))


def track_area(track: npt.ArrayLike, margin: float = 80.0) -> Box:
    """The box around a driven path with a margin [m], as the `area` of `draw_world_plan`."""
    points = np.asarray(track, dtype=np.float64)[:, :2]
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


class _View:
    """Transforms W to pixels."""

    def __init__(self, area: Box, longest: int) -> None:
        x_min, y_min, x_max, y_max = area
        self.scale = longest / max(x_max - x_min, y_max - y_min)
        self._corner = np.array([x_min, y_max])
        self.pixels = (
            max(round((x_max - x_min) * self.scale), _OVERSAMPLING),
            max(round((y_max - y_min) * self.scale), _OVERSAMPLING),
        )

    def to_pixels(self, points: Floats) -> Floats:
        """Pixels (..., 2) of points (..., 2) in W."""
        pixels: Floats = (points - self._corner) * np.array([self.scale, -self.scale])
        return pixels


def _fill(pen: ImageDraw.ImageDraw, view: _View, mesh: Mesh, surface: Surface) -> None:
    corners = view.to_pixels(mesh.vertices[:, :2])[mesh.triangles[mesh.surfaces == surface]]
    is_seen = _is_seen(corners, view)
    for corner in corners[is_seen].reshape(-1, 6).tolist():
        pen.polygon(corner, fill=COLOURS[surface], outline=COLOURS[surface])


def _fill_structures(pen: ImageDraw.ImageDraw, view: _View, world: CompiledWorld) -> None:
    """Draws the parts of bridges and tunnels above the ground, the highest on top."""
    mesh = world.structures
    if not len(mesh.triangles):
        return
    middles = mesh.vertices[mesh.triangles].mean(axis=1)
    ground = GroundIndex.build(world.ground).heights_at(middles[:, :2])
    shown = np.flatnonzero(~(middles[:, 2] < ground - _UNDER_GROUND))
    order = shown[np.argsort(middles[shown, 2], kind="stable")]
    corners = view.to_pixels(mesh.vertices[mesh.triangles[order], :2])
    for corner, surface in zip(
        corners.reshape(-1, 6).tolist(), mesh.surfaces[order].tolist(), strict=True
    ):
        colour = COLOURS[Surface(surface)]
        pen.polygon(corner, fill=colour, outline=colour)


def _is_seen(corners: Floats, view: _View) -> Booleans:
    low, high = corners.min(axis=1), corners.max(axis=1)
    seen: Booleans = ((high >= 0.0) & (low <= np.array(view.pixels))).all(axis=1)
    return seen


def _draw_lanes(pen: ImageDraw.ImageDraw, view: _View, world: CompiledWorld) -> None:
    width = max(1, round(_PENS.lane * view.scale))
    for lane in world.roads.lanes:
        line = view.to_pixels(lane.centre_line[:, :2]).ravel().tolist()
        pen.line(line, fill=CONNECTOR if lane.is_connector else LANE, width=width)


def _draw_controls(pen: ImageDraw.ImageDraw, view: _View, world: CompiledWorld) -> None:
    """Draws bars where vehicles wait, in the colours of the controls."""
    width = max(1, round(_PENS.bar * view.scale))
    for lane in world.roads.lanes:
        if lane.stop_line is not None:
            half = _PENS.bar_share * lane.width
            ends = [lane.position(lane.stop_line, t)[:2] for t in (-half, half)]
            bar = view.to_pixels(np.array(ends)).ravel().tolist()
            pen.line(bar, fill=CONTROL_COLOURS[lane.control], width=width)


def _draw_trees(pen: ImageDraw.ImageDraw, view: _View, props: Props) -> None:
    is_tree = np.isin(props.kinds, (PropKind.BROADLEAF, PropKind.CONIFER))
    places = view.to_pixels(props.positions[is_tree, :2])
    radii = _CROWN_SHARE * props.heights[is_tree] * view.scale
    for (x, y), radius in zip(places.tolist(), radii.tolist(), strict=True):
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_TREE)


def _draw_track(pen: ImageDraw.ImageDraw, view: _View, track: Floats) -> None:
    if not len(track):
        return
    pixels = view.to_pixels(track)
    width = max(_PENS.least_track * _OVERSAMPLING, round(_PENS.track * view.scale))
    pen.line(pixels.ravel().tolist(), fill=_TRACK, width=width, joint="curve")
    (x, y), radius = pixels[0].tolist(), _PENS.start * width
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_TRACK)
