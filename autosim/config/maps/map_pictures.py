"""The pictures that a map set-up names: looks them up, and warns of missing ones."""

from pathlib import Path

from autosim.config.files.lookup import PathError, Roots, existing_folders, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults

_OWN_TEXTURE = "AutoSim's own is drawn"


def picture_roots(setup: Path, roots: Roots) -> Roots:
    """The folders for the pictures of a set-up file: its own, then `roots`."""
    return existing_folders([setup.parent, *roots])


def warn_of_missing_pictures(block: Block, faults: Faults, roots: Roots) -> None:
    """Warns of each picture of a `Setup` block that is not below `roots`."""
    terrain = block.section("TerrainSetup")
    textures = terrain.section("TerrainTextures")
    named = [(each, "file") for each in terrain.section("RoadTextures").children]
    named += [(each, "file") for each in textures.all("Texture")]
    named += [(each, "path") for each in textures.all("SkyBox")]
    for each, attribute in named:
        try:
            find_file(str(each.get(attribute) or ""), roots)
        except PathError as error:
            faults.warning(each.line, f"<{each.tag}>: {error}; {_OWN_TEXTURE}")
