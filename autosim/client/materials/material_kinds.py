"""Materials as values, which any renderer and exporter can read."""

from dataclasses import dataclass
from enum import Enum, auto

from autosim.client.materials.texture_images import TextureImage


class ShaderKind(Enum):
    """Optical class of a node's surfaces."""

    MATT = auto()
    PLAIN = auto()
    """Matt in one colour, and beyond all shadows: what is drawn from afar."""
    GLOSSY = auto()
    ROAD = auto()
    """Matt while it is dry; wheels keep most snow away."""
    PATH = auto()
    """The same for feet, which do less."""
    WALL = auto()
    """Glossy, with windows that are lit by night."""
    VAST = auto()
    """Matt, in triangles so large that haze differs within them."""
    TUNNEL = auto()
    """Matt, always dry, and lit by lamps where there is little daylight."""
    MEADOW = auto()
    """Matt, with broad patches over the small ones of its texture."""
    BARE = auto()
    """Matt, and no snow lies on it: what moves."""


WETTED = (ShaderKind.ROAD, ShaderKind.PATH)
"""Surfaces that rain makes wet, so that they mirror the sky."""


@dataclass(frozen=True, slots=True)
class Material:
    """`picture` None is plain; `depth_offset` lifts paint off the ground that it lies on."""

    picture: TextureImage | None = None
    shader_kind: ShaderKind = ShaderKind.MATT
    """Kind of shader that draws it."""
    depth_offset: int = 0
