"""Values of materials by name, for glTF's metallic-roughness model.

Colours are those of vertices, so that a material leaves them as they are.
"""

from typing import Any

from autosim.client.materials.palette import COLOURS, DECAL_COLOURS, OBSTACLE_COLOURS, Colour
from autosim.world.geometry.meshes import Surface

Json = dict[str, Any]
"""An object of a JSON file."""

_ROUGHNESS = {
    "water": 0.08,
    "shop_window": 0.15,
    "glass": 0.12,
    "first": 0.35,
    "rear_light": 0.3,
    "left_indicator": 0.3,
    "right_indicator": 0.3,
    "head_light": 0.25,
    "steel": 0.45,
    "rail": 0.4,
    "sign": 0.5,
    "paint": 0.7,
    "paint_yellow": 0.7,
}
"""Roughness (share) of what is smoother than most, chosen by eye."""

_USUAL_ROUGHNESS = 0.92
"""Roughness (share) of plaster, asphalt, stone and grass, chosen by eye."""

_METALNESS = {"steel": 0.6, "rail": 0.7}
"""Metalness (share) of bare metal."""


def material_values(name: str, *, roughness: float | None = None) -> Json:
    """The material of that name as in a glTF file, without its name."""
    usual = _ROUGHNESS.get(name.removesuffix("_tunnel"), _USUAL_ROUGHNESS)
    return {
        "pbrMetallicRoughness": {
            "metallicFactor": _METALNESS.get(name, 0.0),
            "roughnessFactor": usual if roughness is None else round(roughness, 3),
        }
    }


def material_table() -> Json:
    """Of each surface its usual colour (sRGB, 0..255), roughness and metalness."""
    colours: dict[Surface, Colour] = COLOURS | DECAL_COLOURS | OBSTACLE_COLOURS
    table = {}
    for surface in Surface:
        name = surface.name.lower()
        values = material_values(name)["pbrMetallicRoughness"]
        table[name] = {
            "colour": list(colours.get(surface, (255, 255, 255, 255))[:3]),
            "roughness": values["roughnessFactor"],
            "metalness": values["metallicFactor"],
        }
    return table
