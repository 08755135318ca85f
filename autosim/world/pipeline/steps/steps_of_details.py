"""The last steps of the pipeline: paint, scenery, conflicts, and the checks of the whole."""

from collections import Counter
from dataclasses import dataclass, replace

from autosim.world.compiled.paths import Paths
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.ground_friction import Frictions, ground_friction
from autosim.world.levels.elevation import Heights
from autosim.world.markings.painting import paint_markings
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.steps.steps_of_buildings import Buildings
from autosim.world.pipeline.steps.steps_of_ground import GroundOutline
from autosim.world.pipeline.steps.steps_of_lanes import ControlledLanes, Floors
from autosim.world.scenery.furnishing import Scenery, furnish
from autosim.world.scenery.gardens import garden_houses
from autosim.world.scenery.site import Site
from autosim.world.surfaces.parking_strips import ParkingStrips
from autosim.world.traffic.conflicts import Conflicts
from autosim.world.traffic.conflicts import find_conflicts as conflicts_of
from autosim.world.traffic.path_lines import find_path_lines
from autosim.world.validation import invariants
from autosim.world.validation.diagnosis import StreetsAbout, cause_on_ground
from autosim.world.validation.invariants import Finding, floating_buildings
from autosim.world.validation.lane_ends import lost_ends
from autosim.world.validation.level_invariants import level_invariants

Findings = tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FurnishedScenery:
    """The placed scenery, and counts of the parts left out."""

    scenery: Scenery
    left_out: Counter[str]
    """Number of parts left out, by reason."""


def furnish_scenery(
    layout: PlanarWorld,
    parking: ParkingStrips,
    outline: GroundOutline,
    floors: Floors,
    controlled: ControlledLanes,
    buildings: Buildings,
) -> FurnishedScenery:
    """Trees, lamps, benches, walls, fences, doors, shop fronts and rails."""
    left_out = Counter[str]()
    site = Site(
        data=layout.data,
        points=layout.points,
        box=layout.box,
        ground=floors.of_ground,
        network=controlled.network,
        buildings=buildings.polygons,
        bays=parking.bays,
    )
    scenery = furnish(
        site,
        blocks=layout.blocks,
        no_build_area=outline.no_build_area,
        on_ground=[
            shape
            for shape, is_raised in zip(buildings.polygons, buildings.is_raised, strict=False)
            if not is_raised
        ],
        tops=buildings.spans[~buildings.is_raised, 1],
        houses=garden_houses(layout.building_areas),
        left_out=left_out,
    )
    return FurnishedScenery(scenery, left_out)


def check_lanes(
    layout: PlanarWorld, controlled: ControlledLanes, heights: Heights, floors: Floors
) -> Findings:
    """The invariants along lanes."""
    ends = lost_ends(layout.plan, layout.streets, layout.rules)
    return level_invariants(controlled.network, heights, floors.all_levels, ends)


def paint_roads(
    layout: PlanarWorld,
    parking: ParkingStrips,
    heights: Heights,
    controlled: ControlledLanes,
    floors: Floors,
) -> Mesh:
    """The markings of roads."""
    return paint_markings(
        layout.data,
        layout.points,
        streets=heights.streets,
        network=controlled.network,
        road=floors.all_levels,
        origin=layout.projection.origin,
        bays=parking.bays,
    )


def find_conflicts(layout: PlanarWorld, controlled: ControlledLanes) -> Conflicts:
    """Crossings of lanes in junctions, and their priorities."""
    return conflicts_of(
        controlled.network, controlled.approaches, layout.side, rings=controlled.rings
    )


def check_ground(layout: PlanarWorld, floors: Floors, heights: Heights) -> Findings:
    """The invariants of the ground, with the causes at their worst places."""
    found = invariants.measure(floors.of_ground, layout.box, holes=floors.ground.holes)
    if all(each.place is None for each in found):
        return found
    about = StreetsAbout(heights.streets, heights.profiles)
    return tuple(
        each if each.place is None else replace(each, cause=cause_on_ground(each.place, about))
        for each in found
    )


def find_friction(floors: Floors, controlled: ControlledLanes) -> Frictions:
    """The friction of each triangle of the ground."""
    return ground_friction(floors.ground.mesh, controlled.network)


def find_paths(layout: PlanarWorld, floors: Floors) -> Paths:
    """The middle lines of paths, and squares."""
    return find_path_lines(layout.data, layout.points, layout.box, floors.of_ground)


def check_buildings(buildings: Buildings) -> Finding:
    """Whether buildings float."""
    shapes = buildings.polygons[: len(buildings.spans)]
    return floating_buildings(shapes, buildings.spans, buildings.is_raised)
