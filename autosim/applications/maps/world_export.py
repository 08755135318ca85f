"""Writes a world in the formats of other programs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from autosim.applications.common.files import write_whole
from autosim.client.gltf.town_file import town_file
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import locate
from autosim.errors import UserError
from autosim.traffic.signals.exported_signals import opendrive_with_signals
from autosim.traffic.sumo.network_file import sumo_file
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.geojson import geojson
from autosim.world.export.lanelet2 import lanelet2

FORMATS: Mapping[str, Callable[[WorldDescription, CompiledWorld], bytes]] = MappingProxyType(
    {
        "glb": lambda world, compiled: town_file(compiled, locate(world.source)[1]),
        "geojson": lambda _, compiled: geojson(compiled),
        "osm": lambda _, compiled: lanelet2(compiled),
        "xodr": lambda _, compiled: opendrive_with_signals(compiled),
        "net.xml": lambda _, compiled: sumo_file(compiled),
    }
)
"""Formats of exports: glTF 2.0 of all static objects; for the lanes GeoJSON, Lanelet2, OpenDRIVE
1.7, and a network of SUMO."""


def format_of(out: Path, stated: str | None = None) -> str:
    """Format (of `FORMATS`) by the suffix of a file, else the stated one.

    Raises:
        UserError: the suffix is another one, or there is none and nothing is stated.
    """
    name = out.name.lower()
    kind = next((each for each in FORMATS if name.endswith(f".{each}")), out.suffix[1:].lower())
    kind = kind or stated or ""
    if kind not in FORMATS or stated not in (None, kind):
        known = [stated] if stated else list(FORMATS)
        endings = " or ".join(f".{each}" for each in known)
        raise UserError(f"{out}: expected a name that ends in {endings}")
    return kind


def export_world(world: WorldDescription, compiled: CompiledWorld, kind: str, out: Path) -> str:
    """Writes the world to `out` as one of `FORMATS`; returns what was written.

    Raises:
        UserError: the world has nothing to write, or the file cannot be written.
    """
    if kind != "glb" and not len(compiled.roads.lanes):
        raise UserError(f"world '{compiled.name}' has no lanes to write")
    content = FORMATS[kind](world, compiled)
    write_whole(out, content)
    source = f" ({compiled.attribution})" if compiled.attribution else ""
    return f"wrote {out}, {len(content) / 1e6:.2f} MB{source}"
