"""The first steps of the pipeline: a world in plan, from the map to its lanes."""

from collections.abc import Callable

import numpy as np
import shapely

from autosim import portable
from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.world.geometry.blocks import BlockGrid
from autosim.world.geometry.projection import Projection
from autosim.world.lanes.lane_drafts import TurningHead
from autosim.world.lanes.lanes import plan_lanes
from autosim.world.osm.areas import find_areas, is_building
from autosim.world.osm.driving_side import guess_driving_side
from autosim.world.osm.highways import highway_classes
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.inputs import Inputs
from autosim.world.pipeline.layout import Layout
from autosim.world.streets.junction_rules import find_junction_rules
from autosim.world.streets.streets import find_streets
from autosim.world.streets.window import (
    LARGEST_SIDE,
    cut_streets,
    ground_box,
    map_extent,
    road_window,
)


def lay_out(inputs: Inputs, read: Callable[[], OsmData] | None = None) -> Layout:
    """A world in plan.

    Args:
        inputs: what it is made from.
        read: gives the map's content, if it has been read already.
    """
    layout = Layout(inputs)
    _take_map(layout, read_osm(inputs.osm) if read is None else read())
    for step in (_place_map, _find_streets, _lay_lanes):
        if not layout.diagnostics.errors:
            step(layout)
    return layout


def _take_map(layout: Layout, data: OsmData) -> None:
    """The map and the faults of its file."""
    layout.data = data
    for finding in layout.data.findings:
        note = layout.diagnostics.error if finding.level == "error" else layout.diagnostics.warning
        note(finding.file, finding.line, finding.message)


def _place_map(layout: Layout) -> None:
    """Origin, projection, side of traffic and window."""
    data, inputs = layout.data, layout.inputs
    rows = _road_rows(data, inputs.setup)
    if not len(rows):
        layout.diagnostics.error(inputs.osm, 0, "there is no street in this map")
        return
    origin = inputs.setup.origin if inputs.setup is not None else None
    if origin is None and inputs.window is not None and inputs.height_map is None:
        origin = inputs.window.centre
    if origin is None:
        latitude, longitude = np.median(data.places[rows], axis=0).tolist()
        origin = (round(latitude, 7), round(longitude, 7))
    layout.projection = Projection(origin)
    layout.points = layout.projection.to_local(data.places)
    layout.side = _driving_side(layout, origin)
    layout.window = road_window(
        data,
        layout.points[rows],
        projection=layout.projection,
        setup=inputs.setup,
        window=inputs.window,
    )
    if inputs.window is None and (inputs.setup is None or inputs.setup.size is None):
        _tell_if_larger(layout, rows)
    layout.box = ground_box(layout.window)


def _tell_if_larger(layout: Layout, rows: list[int]) -> None:
    low, high = map_extent(layout.data, layout.points[rows], layout.projection)
    width, height = (high - low).tolist()
    if max(width, height) > LARGEST_SIDE + 1.0:
        message = (
            f"the map is {width / 1000.0:.1f} km × {height / 1000.0:.1f} km; of it "
            f"{LARGEST_SIDE / 1000.0:g} km about the origin are built. "
            "--window LAT,LON,METRES takes another or a larger part, and so does the Size of "
            "TerrainDimensions in the map set-up"
        )
        layout.diagnostics.warning(layout.inputs.osm, 0, message)


def _road_rows(data: OsmData, setup: MapSetup | None) -> list[int]:
    classes = highway_classes(setup)
    return [
        row
        for way in data.ways
        if way.tags.get("highway") in classes
        for row in data.rows(way.refs).tolist()
    ]


def _driving_side(layout: Layout, origin: tuple[float, float]) -> DrivingSide:
    if layout.inputs.driving_side is not None:
        return layout.inputs.driving_side
    side, reason = guess_driving_side(*origin)
    message = f"the driving side is not stated; {side} is taken from the place ({reason})"
    layout.diagnostics.warning(layout.inputs.osm, 0, message)
    return side


def _find_streets(layout: Layout) -> None:
    """The streets in the window."""
    streets = find_streets(layout.data, layout.points, setup=layout.inputs.setup)
    layout.streets = cut_streets(streets, layout.window, layout.left_out)
    if not layout.streets:
        layout.diagnostics.error(layout.inputs.osm, 0, _no_street_message(layout))


def _no_street_message(layout: Layout) -> str:
    """That the window is empty, and where a street is: often latitude and longitude are swapped."""
    x_min, y_min, x_max, y_max = layout.window
    middle = np.array([[(x_min + x_max) / 2.0, (y_min + y_max) / 2.0]])
    latitude, longitude = layout.projection.to_geographic(middle)[0].tolist()
    places = layout.data.places[_road_rows(layout.data, layout.inputs.setup)]
    # Degrees will do: a window may lie where the projection of the map knows no metres.
    away = (places - (latitude, longitude)) * (1.0, portable.cos(np.radians(latitude)))
    near_latitude, near_longitude = places[np.argmin((away**2).sum(axis=1))].tolist()
    return (
        f"there is no street in the window, whose middle is {latitude:.5f},{longitude:.5f}; "
        f"the nearest one of this map is at {near_latitude:.5f},{near_longitude:.5f}"
    )


def _lay_lanes(layout: Layout) -> None:
    """The lanes of all streets; turning heads keep clear of buildings. Blocks follow from both."""
    layout.building_areas = find_areas(layout.data, layout.points, is_building)
    layout.rules = find_junction_rules(layout.data, layout.streets)
    layout.plan = plan_lanes(
        layout.streets, side=layout.side, has_room=_room_finder(layout), rules=layout.rules
    )
    layout.blocks = BlockGrid.of(layout.box, is_busy=layout.is_busy)


def _room_finder(layout: Layout) -> Callable[[int, TurningHead], bool]:
    """Tells whether a turning head is clear of other streets and of buildings."""
    lines = [shapely.LineString(s.points) for s in layout.streets]
    half_widths = np.array([s.profile.width / 2.0 for s in layout.streets])
    streets = shapely.STRtree(lines)
    buildings = shapely.STRtree([area.shape for area in layout.building_areas])

    def has_room(index: int, head: TurningHead) -> bool:
        centre = shapely.Point(head.centre)
        if len(buildings.query(centre, predicate="dwithin", distance=head.radius + 1.0)):
            return False
        near = streets.query(centre, predicate="dwithin", distance=head.radius + 20.0)
        near = near[near != index]
        gaps = shapely.distance(np.array(lines, dtype=object)[near], centre)
        return bool((gaps > head.radius + half_widths[near] + 1.0).all())

    return has_room
