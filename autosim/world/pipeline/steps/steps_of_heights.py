"""The steps of the pipeline that find heights: terrain, profiles, levels, height functions."""

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import ConfigError
from autosim.world.geometry.height_function import HeightFunction, flat, raised
from autosim.world.levels import elevation
from autosim.world.levels.borders import find_borders
from autosim.world.levels.elevation import Heights, LevelledStreets
from autosim.world.levels.lane_shifts import shifted_lanes
from autosim.world.levels.lane_spans import lane_spans
from autosim.world.osm.osm_sniff import UnusableFileError
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.surfaces.carriageway_shapes import StreetMap


def read_terrain(inputs: WorldInputs, layout: PlanarWorld) -> HeightFunction:
    """The bare ground; a plane where there is no height map.

    Raises:
        ConfigError: the height map is of no use.
    """
    source = inputs.height_map
    if source is None:
        return flat
    # Only here: what reads pictures takes long to import.
    from autosim.world.terrain.terrain_heights import load_terrain

    setup = inputs.setup or MapSetup(name="")
    try:
        return load_terrain(source, setup=setup, projection=layout.projection, box=layout.box)
    except UnusableFileError as fault:
        raise ConfigError([fault.finding]) from fault


def find_levels(
    inputs: WorldInputs, layout: PlanarWorld, terrain: HeightFunction
) -> LevelledStreets:
    """Profiles of all streets, and the levels on which they lie."""
    return elevation.find_levels(
        layout.data,
        layout.points,
        layout.streets,
        terrain=raised(terrain, inputs.height_above_terrain),
        plan=layout.plan,
    )


def divide_lanes(layout: PlanarWorld, levelled: LevelledStreets) -> StreetMap:
    """The streets with their lanes, shifted where other streets leave no room, by level."""
    streets, levels = levelled.streets, levelled.levels
    side_clearances = levelled.adjacent.side_clearances
    plan = shifted_lanes(layout.plan, streets, side_clearances)
    spans = lane_spans(plan, levels)
    borders = find_borders(streets, levels, side_clearances)
    return StreetMap(streets, plan, levels, spans, borders, levelled.adjacent.cliffs)


def find_heights(
    layout: PlanarWorld, terrain: HeightFunction, levelled: LevelledStreets
) -> Heights:
    """A height function for each level."""
    return elevation.find_heights(levelled, terrain=terrain, plan=layout.plan)
