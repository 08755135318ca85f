"""Draws a world: a plan as a picture or as SVG, and a view from above."""

from dataclasses import dataclass
from math import radians
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.applications.common.files import require_suffix, write_picture, write_whole
from autosim.applications.common.terminal import tell
from autosim.arrays import Floats
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.plan_image import draw_world_plan
from autosim.world.export.plan_svg import plan_svg
from autosim.world.geometry.map_projection import MapProjection

PLAN_SUFFIXES = (".png", ".svg")
_VIEW_SIZE = (1280, 720)
"""Default width and height [pixels] of a view."""

_FAR = 20_000.0
"""Distance [m] from the map beyond which a standpoint is refused: nothing could be seen from
there."""


def write_plan(world: CompiledWorld, out: Path, *, size: int) -> str:
    """Writes the plan of a world with its lanes; returns what was written.

    Raises:
        UserError: `out` is not a `.png` or `.svg`, or cannot be written.
    """
    require_suffix(out, PLAN_SUFFIXES)
    if out.suffix.lower() == ".svg":
        write_whole(out, plan_svg(world, size=size))
    else:
        write_picture(out, draw_world_plan(world, size=size, has_lanes=True))
    return f"wrote {out}, a plan ({world.attribution})"


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A place in a world to look from.

    `latitude`, `longitude` [deg]; `height` [m] above the ground; `heading` [deg] clockwise from
    north; `pitch` [deg], up positive.
    """

    latitude: float
    longitude: float
    height: float
    heading: float = 0.0
    pitch: float = 0.0


def write_view(
    description: WorldDescription,
    world: CompiledWorld,
    out: Path,
    *,
    renderer: str | None,
    standpoint: Standpoint | None = None,
) -> str:
    """Writes a view of a world, from above or from a place in it; returns what was written.

    Raises:
        UserError: `out` is not a `.png` or cannot be written, no renderer works, or the place is
            far from the world.
    """
    require_suffix(out, (".png",))
    try:
        from autosim.client.scene.birds_eye import StandingEye, draw_birds_eye
    except ModuleNotFoundError as fault:
        reason = "the 3D view needs Panda3D, which is not installed (pip install 'autosim[client]')"
        raise UserError(reason) from fault
    width, height = _VIEW_SIZE
    eye = None
    if standpoint is not None:
        place = np.array([[standpoint.latitude, standpoint.longitude]])
        x, y = MapProjection(world.origin).to_local(place)[0].tolist()
        _require_near(world, (x, y), place[0])
        eye = StandingEye(
            (x, y),
            standpoint.height,
            azimuth=radians(90.0 - standpoint.heading),
            pitch=radians(standpoint.pitch),
        )
    pixels = draw_birds_eye(
        description, world, width=width, height=height, renderer=renderer, eye=eye, report=tell
    )
    write_picture(out, Image.fromarray(pixels).convert("RGB"))
    kind = "a view from above" if eye is None else "a view"
    return f"wrote {out}, {kind} ({world.attribution})"


def _require_near(world: CompiledWorld, point: tuple[float, float], place: Floats) -> None:
    """Refuses a standpoint (x, y) [m] from which nothing of a world can be seen."""
    west, south, east, north = world.bounds
    x, y = point
    is_near = west - _FAR <= x <= east + _FAR and south - _FAR <= y <= north + _FAR
    if not is_near:
        raise UserError(
            f"{place[0]:g},{place[1]:g} is far from '{world.name}', which lies about "
            f"{world.origin[0]:.5f},{world.origin[1]:.5f}"
        )
