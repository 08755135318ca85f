"""Draws a world: a plan as a picture or as SVG, and a view from above."""

import io
from pathlib import Path

from PIL import Image

from autosim.applications.files import write_whole
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.world.compiled import CompiledWorld
from autosim.world.plan import draw_plan
from autosim.world.plan_svg import plan_svg

PLAN_SUFFIXES = (".png", ".svg")
_VIEW_SIZE = (1280, 720)


def require_suffix(path: Path, suffixes: tuple[str, ...]) -> None:
    """Makes sure that a picture's name has one of some endings.

    Raises:
        UserError: it has another one.
    """
    if path.suffix.lower() not in suffixes:
        raise UserError(f"{path}: expected a name that ends in {' or '.join(suffixes)}")


def write_plan(world: CompiledWorld, out: Path, *, size: int) -> str:
    """Writes the plan of a world with its lanes; returns what was written.

    Raises:
        UserError: `out` is no `.png` or `.svg`, or cannot be written.
    """
    require_suffix(out, PLAN_SUFFIXES)
    if out.suffix.lower() == ".svg":
        content = plan_svg(world, size=size)
    else:
        content = _png(draw_plan(world, size=size, has_lanes=True))
    write_whole(out, content)
    return f"wrote {out}, a plan ({world.attribution})"


def write_birds_eye(
    description: WorldDescription, world: CompiledWorld, out: Path, *, renderer: str | None
) -> str:
    """Writes a view of a world from above; returns what was written.

    Raises:
        UserError: `out` is no `.png` or cannot be written, or nothing here can draw.
    """
    require_suffix(out, (".png",))
    try:
        from autosim.client.birds_eye import draw_birds_eye
    except ImportError as fault:
        reason = "the 3D view needs Panda3D, which is not installed (pip install 'autosim[client]')"
        raise UserError(reason) from fault
    width, height = _VIEW_SIZE
    pixels = draw_birds_eye(description, world, width=width, height=height, renderer=renderer)
    write_whole(out, _png(Image.fromarray(pixels).convert("RGB")))
    return f"wrote {out}, a view from above ({world.attribution})"


def _png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()
