"""The last steps of the pipeline: lanes in their place, paint, scenery, and the invariants."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.ground_index import GroundIndex, levels_of
from autosim.world.geometry.meshes import Mesh
from autosim.world.ground.ground_friction import Frictions, ground_friction
from autosim.world.markings.painting import paint_markings
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.workers import in_processes
from autosim.world.scenery.furnishing import Scenery, furnish
from autosim.world.scenery.site import Site
from autosim.world.traffic.conflicts import Conflicts, find_conflicts
from autosim.world.traffic.traffic_rules import with_conflicts, with_controls
from autosim.world.validation import invariants
from autosim.world.validation.diagnosis import StreetsAbout, cause_on_ground
from autosim.world.validation.invariants import Finding, floating_buildings
from autosim.world.validation.level_invariants import level_invariants


def finish_lanes(draft: Draft) -> None:
    """Gives lanes their heights, and the network the rules of traffic."""
    draft.roads, draft.approaches = with_controls(
        draft.lanes.raised(_heights_of_lanes(draft, _index_floors(draft))),
        draft.layout.data,
        draft.layout.points,
        streets=draft.streets,
        plan=draft.plan,
        rules=draft.layout.rules,
    )


def _index_floors(draft: Draft) -> list[GroundIndex]:
    """Makes the index of all levels; gives that of the floor of each level.

    One large index serves all that is asked from here on, in all processes.
    """
    levels = levels_of(draft.ground.mesh, draft.structures)
    draft.ground = replace(draft.ground, mesh=_first_of(levels, draft.ground.mesh))
    draft.floors = GroundIndex.build(levels)
    return [
        _ground_index(draft),
        *(GroundIndex.build(deck.floor) for deck in draft.decks),
    ]


def _first_of(levels: Mesh, ground: Mesh) -> Mesh:
    """The ground as the first part of all levels: the same numbers, but kept only once."""
    rows = slice(0, len(ground.triangles))
    vertices = levels.vertices[: len(ground.vertices)]
    return Mesh(vertices, levels.triangles[rows], levels.surfaces[rows])


def _heights_of_lanes(draft: Draft, floors: Sequence[GroundIndex]) -> Floats:
    firsts = range(0, len(draft.lanes.levels), _POINTS_AT_ONCE)
    parts = in_processes(
        lambda lot: draft.lanes.heights(
            slice(firsts[lot], firsts[lot] + _POINTS_AT_ONCE), floors, draft.heights.heights
        ),
        len(firsts),
        processes=draft.crew,
        finished=lambda done: draft.advance(done / len(firsts) / 2.0),
    )
    return np.concatenate([np.zeros(0), *parts])


Measures = tuple[Finding, ...]

_POINTS_AT_ONCE = 50_000


def add_details(draft: Draft) -> None:
    """Markings, scenery, conflicts in junctions, and the invariants."""
    # Those that take longest come first.
    tasks: tuple[Callable[[Draft], object], ...] = (
        _scenery,
        _along_lanes,
        _markings,
        _conflicts,
        _over_ground,
        _floating,
    )
    done = in_processes(
        lambda number: tasks[number](draft),
        len(tasks),
        processes=draft.crew,
        finished=lambda count: draft.advance(count / len(tasks)),
    )
    draft.scenery, left_out = cast(tuple[Scenery, Counter[str]], done[0])
    draft.left_out.update(left_out)
    draft.markings = cast(Mesh, done[2])
    draft.roads = with_conflicts(draft.roads, cast(Conflicts, done[3]))
    measures, draft.ground_friction = cast(tuple[Measures, Frictions], done[4])
    measures = _with_causes(measures, draft)
    draft.findings = (*measures, cast(Finding, done[5]), *cast(Measures, done[1]))


def _with_causes(measures: Measures, draft: Draft) -> Measures:
    """What is found of the ground, with the ways about the places that break it."""
    if all(each.place is None for each in measures):
        return measures
    about = StreetsAbout(draft.streets, draft.heights.profiles)
    return tuple(
        each if each.place is None else replace(each, cause=cause_on_ground(each.place, about))
        for each in measures
    )


def _along_lanes(draft: Draft) -> Measures:
    return level_invariants(draft.roads, draft.heights, draft.floors)


def _conflicts(draft: Draft) -> Conflicts:
    return find_conflicts(draft.roads, draft.approaches, draft.layout.side)


def _markings(draft: Draft) -> Mesh:
    return paint_markings(
        draft.layout.data,
        draft.layout.points,
        streets=draft.streets,
        network=draft.roads,
        road=draft.floors,
        origin=draft.layout.projection.origin,
    )


def _scenery(draft: Draft) -> tuple[Scenery, Counter[str]]:
    """What stands about, and what was left out of it."""
    left_out = Counter[str]()
    site = Site(
        data=draft.layout.data,
        points=draft.layout.points,
        box=draft.layout.box,
        ground=_ground_index(draft),
        network=draft.roads,
        buildings=draft.polygons,
    )
    scenery = furnish(
        site, blocks=draft.layout.blocks, no_build_area=draft.no_build_area, left_out=left_out
    )
    return scenery, left_out


def _over_ground(draft: Draft) -> tuple[Measures, Frictions]:
    """What is found on the ground alone."""
    measures = invariants.measure(_ground_index(draft), draft.layout.box, holes=draft.ground.holes)
    return measures, ground_friction(draft.ground.mesh, draft.roads)


def _floating(draft: Draft) -> Finding:
    shapes = draft.polygons[: len(draft.building_spans)]
    return floating_buildings(shapes, draft.building_spans, draft.is_raised)


def _ground_index(draft: Draft) -> GroundIndex:
    return draft.floors.part(0, len(draft.ground.mesh.triangles))
