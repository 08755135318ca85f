"""Builds a map set-up from the blocks of its file."""

from math import isclose
from pathlib import Path

from autosim.config.descriptions import HighwayDimension, MapSetup, ModelReference
from autosim.config.files.lookup import Roots
from autosim.config.maps.map_pictures import picture_roots, warn_of_missing_pictures
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.sources import Source, read_block
from autosim.config.schemas.map_setup import MAP_SETUP

_TEXTURES = ("Road", "LeftPavement", "RightPavement", "LeftCurb", "RightCurb", "Intersection")


def check_map_setup(block: Block, faults: Faults) -> None:
    """Finds values of a `Setup` block that contradict each other."""
    dimensions = block.section("TerrainSetup").section("TerrainDimensions")
    tile = dimensions.value("TileSize")
    spacing = dimensions.value("HeightDataPerArea")
    if not tile or not spacing:
        return
    ratio = float(tile) / float(spacing)
    if round(ratio) < 1 or not isclose(ratio, round(ratio), rel_tol=1e-9):
        line = dimensions.line_of("TileSize")
        message = f"TileSize {tile:g} must be a multiple of HeightDataPerArea {spacing:g}"
        faults.error(line, message)


def build_map_setup(block: Block, source: Path) -> MapSetup:
    """The set-up that a `Setup` block without errors describes."""
    terrain = block.section("TerrainSetup")
    roads = terrain.section("RoadDimensions")
    textures = terrain.section("TerrainTextures")
    dimensions = terrain.section("TerrainDimensions")
    return MapSetup(
        name=block.name,
        source=source,
        origin=_pair(terrain.section("OsmSetup"), "NodeOffset", ("lat", "lon")),
        height_above_terrain=roads.real("HeightAboveTerrain"),
        kerb_height=roads.real("CurbHeight"),
        road_levels_of_detail=(
            roads.whole("LevelsOfDetail") if roads.first("LevelsOfDetail") else None
        ),
        highways=_highways(terrain.section("HighwayDimensions")),
        road_textures=_road_textures(terrain.section("RoadTextures")),
        terrain_texture=textures.text("Texture", "file") or None,
        texture_repeat=textures.real("TextureRepeat"),
        sky_box=_sky_box(textures),
        size=_pair(dimensions, "Size", ("width", "height")),
        tile_size=dimensions.real("TileSize"),
        maximum_lod=dimensions.whole("MaximumLOD"),
        terrain_levels_of_detail=dimensions.whole("LevelsOfDetail"),
        layers_of_each_lod=dimensions.whole("LayersOfEachLOD"),
        height_data_per_area=dimensions.real("HeightDataPerArea"),
        camera_steps_per_tile=dimensions.real("CameraStepsPerTile"),
        height_division_coefficient=dimensions.real("HeightDivisionCoefficient"),
    )


def _pair(block: Block, tag: str, names: tuple[str, str]) -> tuple[float, float] | None:
    if block.first(tag) is None:
        return None
    return (block.real(tag, names[0]), block.real(tag, names[1]))


def _highways(section: Block) -> tuple[tuple[str, HighwayDimension], ...]:
    return tuple(
        (
            each.tag,
            HighwayDimension(
                width=each.own_real("width"),
                left_pavement_width=each.own_real("leftPavementWidth"),
                right_pavement_width=each.own_real("rightPavementWidth"),
            ),
        )
        for each in section.children
    )


def _road_textures(section: Block) -> tuple[tuple[str, str], ...]:
    return tuple((tag, section.text(tag, "file")) for tag in _TEXTURES if section.first(tag))


def _sky_box(section: Block) -> ModelReference | None:
    if section.first("SkyBox") is None:
        return None
    return ModelReference(section.text("SkyBox", "path"), section.text("SkyBox", "type"))


def read_map_setup(source: Source, roots: Roots | None = None) -> MapSetup | None:
    """The set-up that a file describes; None, with diagnostics, if it has errors.

    A warning names each picture that is neither below `roots` nor in the folder of the file.
    """
    block = read_block(source, MAP_SETUP)
    if block is None:
        return None
    check_map_setup(block, source.faults)
    if roots is not None:
        warn_of_missing_pictures(block, source.faults, picture_roots(source.path, roots))
    return None if source.faults.has_errors else build_map_setup(block, source.path)
