"""The first steps of the pipeline: what concerns the whole map, up to the heights of streets."""

from collections.abc import Callable

import numpy as np
import shapely

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.world.areas import find_areas, is_building
from autosim.world.blocks import BlockGrid
from autosim.world.draft import Draft
from autosim.world.driving_side import guess_driving_side
from autosim.world.heights import HeightFunction, flat
from autosim.world.highways import highway_classes
from autosim.world.junction_rules import find_junction_rules
from autosim.world.lane_drafts import TurningHead
from autosim.world.lane_room import lanes_in_room
from autosim.world.lanes import plan_lanes
from autosim.world.osm_data import OsmData
from autosim.world.osm_sniff import UnusableFileError
from autosim.world.projection import Projection
from autosim.world.relief import find_heights as heights_of
from autosim.world.streets import find_streets as streets_of
from autosim.world.window import LARGEST_SIDE, cut_streets, ground_box, map_extent, road_window


def read_map(draft: Draft) -> None:
    """The map and the faults of its file."""
    draft.data = draft.read()
    for finding in draft.data.findings:
        note = draft.diagnostics.error if finding.level == "error" else draft.diagnostics.warning
        note(finding.file, finding.line, finding.message)


def place_map(draft: Draft) -> None:
    """Origin, projection, side of traffic and window."""
    data, inputs = draft.data, draft.inputs
    rows = _road_rows(data, inputs.setup)
    if not len(rows):
        draft.diagnostics.error(inputs.osm, 0, "there is no street in this map")
        return
    origin = inputs.setup.origin if inputs.setup is not None else None
    if origin is None and inputs.window is not None and inputs.height_map is None:
        origin = inputs.window.centre
    if origin is None:
        latitude, longitude = np.median(data.places[rows], axis=0).tolist()
        origin = (round(latitude, 7), round(longitude, 7))
    draft.projection = Projection(origin)
    draft.points = draft.projection.to_local(data.places)
    draft.side = _driving_side(draft, origin)
    draft.window = road_window(
        data,
        draft.points[rows],
        projection=draft.projection,
        setup=inputs.setup,
        window=inputs.window,
    )
    if inputs.window is None and (inputs.setup is None or inputs.setup.size is None):
        _tell_if_larger(draft, rows)
    draft.box = ground_box(draft.window)


def _tell_if_larger(draft: Draft, rows: list[int]) -> None:
    low, high = map_extent(draft.data, draft.points[rows], draft.projection)
    width, height = (high - low).tolist()
    if max(width, height) > LARGEST_SIDE + 1.0:
        message = (
            f"the map is {width / 1000.0:.1f} km × {height / 1000.0:.1f} km; of it "
            f"{LARGEST_SIDE / 1000.0:g} km about the origin are built. "
            "--window LAT,LON,METRES takes another or a larger part, and so does the Size of "
            "TerrainDimensions in the map set-up"
        )
        draft.diagnostics.warning(draft.inputs.osm, 0, message)


def _road_rows(data: OsmData, setup: MapSetup | None) -> list[int]:
    classes = highway_classes(setup)
    return [
        row
        for way in data.ways
        if way.tags.get("highway") in classes
        for row in data.rows(way.refs).tolist()
    ]


def _driving_side(draft: Draft, origin: tuple[float, float]) -> DrivingSide:
    if draft.inputs.driving_side is not None:
        return draft.inputs.driving_side
    side, reason = guess_driving_side(*origin)
    message = f"the driving side is not stated; {side} is taken from the place ({reason})"
    draft.diagnostics.warning(draft.inputs.osm, 0, message)
    return side


def find_streets(draft: Draft) -> None:
    """The streets in the window."""
    streets = streets_of(draft.data, draft.points, setup=draft.inputs.setup)
    draft.streets = cut_streets(streets, draft.window, draft.left_out)
    if not draft.streets:
        draft.diagnostics.error(draft.inputs.osm, 0, _no_street_message(draft))


def _no_street_message(draft: Draft) -> str:
    """That the window is empty, and where a street is: often latitude and longitude are swapped."""
    x_min, y_min, x_max, y_max = draft.window
    middle = np.array([[(x_min + x_max) / 2.0, (y_min + y_max) / 2.0]])
    latitude, longitude = draft.projection.to_geographic(middle)[0].tolist()
    places = draft.data.places[_road_rows(draft.data, draft.inputs.setup)]
    # Degrees will do: a window may lie where the projection of the map knows no metres.
    away = (places - (latitude, longitude)) * (1.0, np.cos(np.radians(latitude)))
    near_latitude, near_longitude = places[np.argmin((away**2).sum(axis=1))].tolist()
    return (
        f"there is no street in the window, whose middle is {latitude:.5f},{longitude:.5f}; "
        f"the nearest one of this map is at {near_latitude:.5f},{near_longitude:.5f}"
    )


def lay_lanes(draft: Draft) -> None:
    """The lanes of all streets; turning heads keep clear of buildings. Blocks follow from both."""
    draft.building_areas = find_areas(draft.data, draft.points, is_building)
    draft.rules = find_junction_rules(draft.data, draft.streets)
    draft.plan = plan_lanes(
        draft.streets, side=draft.side, has_room=_room_finder(draft), rules=draft.rules
    )
    draft.blocks = BlockGrid.of(draft.box, is_busy=draft.is_busy)


def _room_finder(draft: Draft) -> Callable[[int, TurningHead], bool]:
    """Tells whether a turning head is clear of other streets and of buildings."""
    lines = [shapely.LineString(s.points) for s in draft.streets]
    half_widths = np.array([s.profile.width / 2.0 for s in draft.streets])
    streets = shapely.STRtree(lines)
    buildings = shapely.STRtree([area.shape for area in draft.building_areas])

    def has_room(index: int, head: TurningHead) -> bool:
        centre = shapely.Point(head.centre)
        if len(buildings.query(centre, predicate="dwithin", distance=head.radius + 1.0)):
            return False
        near = streets.query(centre, predicate="dwithin", distance=head.radius + 20.0)
        near = near[near != index]
        gaps = shapely.distance(np.array(lines, dtype=object)[near], centre)
        return bool((gaps > head.radius + half_widths[near] + 1.0).all())

    return has_room


def find_heights(draft: Draft) -> None:
    """Profiles, levels and heights of all streets; lanes keep to the room that these leave."""
    terrain = _terrain(draft)
    if terrain is not None:
        draft.heights = heights_of(
            draft.data,
            draft.points,
            draft.streets,
            terrain=terrain,
            plan=draft.plan,
        )
        draft.streets = draft.heights.streets
        draft.plan = lanes_in_room(draft.plan, draft.streets, draft.heights.flanks.rooms)


def _terrain(draft: Draft) -> HeightFunction | None:
    """The bare ground; None, with a diagnostic, where its data are of no use."""
    source = draft.inputs.height_map
    if source is None:
        return flat
    # Only here: what reads pictures takes long to import.
    from autosim.world.terrain import load_terrain

    setup = draft.inputs.setup or MapSetup(name="")
    try:
        return load_terrain(source, setup=setup, projection=draft.projection, box=draft.box)
    except UnusableFileError as fault:
        draft.diagnostics.error(fault.finding.file, fault.finding.line, fault.finding.message)
        return None
