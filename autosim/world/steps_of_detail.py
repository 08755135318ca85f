"""The last steps of the pipeline: lanes in their place, paint, scenery, and the invariants."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from autosim.world import invariants
from autosim.world.compiled import Mesh
from autosim.world.draft import Draft
from autosim.world.ground_friction import Frictions, ground_friction
from autosim.world.ground_index import GroundIndex, levels_of
from autosim.world.invariants import Finding
from autosim.world.lane_heights import centre_lines
from autosim.world.level_invariants import level_invariants
from autosim.world.markings.painting import paint_markings
from autosim.world.roads import LaneRecord, RoadNetwork
from autosim.world.scenery.furnishing import Scenery, furnish
from autosim.world.scenery.site import Site
from autosim.world.traffic_rules import with_traffic
from autosim.world.workers import in_processes


def finish_lanes(draft: Draft) -> None:
    """Gives lanes their heights and makes the network."""
    floors = [draft.ground.mesh, *(deck.floor for deck in draft.decks)]
    lines = centre_lines(draft.town.spans, floors, draft.heights.heights)
    draft.roads = RoadNetwork.from_lanes(
        LaneRecord(
            road=lane.street,
            centre_line=line,
            width=lane.width,
            speed_limit=lane.profile.speed_limit,
            highway=lane.profile.highway,
            is_connector=lane.is_connector,
            successors=tuple(lane.successors),
            friction=lane.profile.friction,
        )
        for lane, line in zip(draft.plan.drafts, lines, strict=True)
    )
    draft.roads = with_traffic(
        draft.roads,
        draft.data,
        draft.points,
        streets=draft.streets,
        plan=draft.plan,
        rules=draft.rules,
        side=draft.side,
    )


Measures = tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _OnGround:
    """What is found on the ground alone."""

    scenery: Scenery
    measures: Measures
    left_out: Counter[str]
    friction: Frictions


def add_details(draft: Draft) -> None:
    """Markings, scenery and the invariants."""
    tasks: tuple[Callable[[Draft], object], ...] = (_along_lanes, _markings, _over_ground)
    done = in_processes(
        lambda number: tasks[number](draft),
        len(tasks),
        processes=draft.processes if draft.blocks.count > 1 else 1,
        finished=lambda count: draft.advance(count / len(tasks)),
    )
    along, ground = cast(Measures, done[0]), cast(_OnGround, done[2])
    draft.markings, draft.scenery = cast(Mesh, done[1]), ground.scenery
    draft.ground_friction = ground.friction
    draft.left_out.update(ground.left_out)
    draft.findings = (*ground.measures, *along)


def _floors_of_lanes(draft: Draft) -> GroundIndex:
    """All levels about the lanes."""
    levels = levels_of(draft.ground.mesh, draft.structures)
    return GroundIndex.build(levels, about=draft.roads.points)


def _along_lanes(draft: Draft) -> Measures:
    return level_invariants(draft.roads, draft.heights, _floors_of_lanes(draft))


def _markings(draft: Draft) -> Mesh:
    return paint_markings(
        draft.data,
        draft.points,
        streets=draft.streets,
        network=draft.roads,
        road=_floors_of_lanes(draft),
        origin=draft.projection.origin,
    )


def _over_ground(draft: Draft) -> _OnGround:
    index, left_out = GroundIndex.build(draft.ground.mesh), Counter[str]()
    site = Site(
        data=draft.data,
        points=draft.points,
        box=draft.box,
        ground=index,
        network=draft.roads,
        buildings=draft.polygons,
    )
    scenery = furnish(site, blocks=draft.blocks, kept_free=draft.kept_free, left_out=left_out)
    measures = invariants.measure(index, draft.box, holes=draft.ground.holes)
    friction = ground_friction(draft.ground.mesh, draft.roads)
    return _OnGround(scenery, measures, left_out, friction)
