"""The last step of the pipeline: puts the compiled world together."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from autosim.config.reading.map_kinds import map_name
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.paths import Paths
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.ground_friction import Frictions
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.attribution import attribution_of
from autosim.world.pipeline.steps.steps_in_plan import PlanarWorld
from autosim.world.pipeline.steps.steps_of_buildings import Buildings
from autosim.world.pipeline.steps.steps_of_details import Findings, FurnishedScenery
from autosim.world.pipeline.steps.steps_of_lanes import Floors
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.validation.accounting import Account
from autosim.world.validation.invariants import Finding


@dataclass(frozen=True, slots=True)
class WorldSolids:
    """The ground, and the solids on it."""

    floors: Floors
    """The meshes on which vehicles can stand."""
    structures: Mesh
    """Bridges and tunnels."""
    buildings: Buildings
    """The buildings."""
    furnished: FurnishedScenery
    """The scenery."""


@dataclass(frozen=True, slots=True)
class StreetData:
    """Lanes, paint, friction and paths of the streets."""

    roads: RoadNetwork
    """The lanes, with the rules of traffic."""
    markings: Mesh
    """The paint."""
    friction: Frictions
    """Friction of each triangle of the ground."""
    path_lines: Paths
    """Middle lines of paths, and squares."""


def join_findings(ground: Findings, building: Finding, lanes: Findings) -> Findings:
    """All invariants: of the ground, of buildings, of lanes."""
    return (*ground, building, *lanes)


def assemble(
    inputs: WorldInputs,
    layout: PlanarWorld,
    account: Account,
    solids: WorldSolids,
    streets: StreetData,
    findings: Findings,
) -> CompiledWorld:
    """The compiled world, without the warnings of its map."""
    floors, buildings, furnished = solids.floors, solids.buildings, solids.furnished
    left_out = Counter(layout.left_out)
    for each in (buildings.left_out, furnished.left_out):
        left_out.update(each)
    scenery = furnished.scenery
    return CompiledWorld(
        name=map_name(inputs.osm),
        digest=inputs.digest(),
        origin=layout.projection.origin,
        bounds=layout.box,
        driving_side=layout.side,
        ground=floors.ground.mesh,
        structures=solids.structures,
        buildings=buildings.solids,
        houses=buildings.houses,
        roads=streets.roads,
        invariants=tuple((each.name, each.value) for each in findings),
        worst_places=worst_places(findings, layout.projection),
        worst_causes=tuple((each.name, each.cause) for each in findings if each.cause),
        left_out=tuple(sorted((k, n) for k, n in left_out.items() if n)),
        attribution=attribution_of(inputs.osm),
        used=account.used,
        ignored=account.ignored,
        markings=streets.markings,
        rails=scenery.rails,
        obstacles=scenery.obstacles,
        props=scenery.props,
        building_tints=buildings.tints,
        ground_friction=streets.friction,
        paths=streets.path_lines,
        house_boxes=buildings.house_boxes,
    )


def worst_places(
    findings: Findings, projection: MapProjection
) -> tuple[tuple[str, float, float], ...]:
    """The worst place [deg] of each invariant that has one."""
    found = [(each.name, each.place) for each in findings if each.place is not None]
    if not found:
        return ()
    places = projection.to_geographic(np.array([p[:2] for _, p in found]).reshape(-1, 2))
    return tuple(
        (name, latitude, longitude)
        for (name, _), (latitude, longitude) in zip(found, places.tolist(), strict=True)
    )
