"""The first steps of the pipeline, in plan: from the map to its streets and lanes.

Nothing has a height yet, and nothing here needs SciPy.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics
from autosim.world.buildings.usual_buildings import is_trade, with_usual_storeys
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.extent import Box
from autosim.world.geometry.map_projection import MapProjection, near_meridian, wrapped_longitude
from autosim.world.lanes.lane_drafts import LanePlan, TurningHead
from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.osm.areas import Area, find_areas, is_building
from autosim.world.osm.driving_side import find_driving_side
from autosim.world.osm.highways import highway_classes
from autosim.world.osm.osm_data import OsmData, OsmWay
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.streets.junction_rules import JunctionRules, find_junction_rules
from autosim.world.streets.pavings import is_path, is_square
from autosim.world.streets.repeated_streets import without_repeated
from autosim.world.streets.street_finding import Street, find_streets
from autosim.world.streets.window import (
    LARGEST_SIDE,
    cut_streets,
    ground_box,
    map_extent,
    road_window,
)


@dataclass(frozen=True, slots=True)
class BusyWorld:
    """When a world has work enough for several processes."""

    lanes: int = 400
    """Number of lanes above which a world of one block is made in four: about 0.7 s of work, of
    which two processes save 0.2 s. With fewer lanes forks and seams cost what they save."""


@dataclass(frozen=True, slots=True)
class TurningHeadRoom:
    """Space that a turning head needs."""

    clear: float = 1.0
    """Least distance [m] from other streets and from buildings."""

    widest_half: float = 20.0
    """Half the width [m] of the widest street: streets with farther axes are not looked at."""


_NO_POINTS = np.zeros((0, 2))

BUSY, HEAD_ROOM = BusyWorld(), TurningHeadRoom()


@dataclass(frozen=True, slots=True)
class MapFrame:
    """Frame of a world.

    `points` (n, 2) are the positions of the map's nodes in W [m]; streets are cut at `window`, and
    `box` is that of the ground; `warnings` are on the map.
    """

    projection: MapProjection
    """From latitude and longitude to W."""
    points: Floats
    side: DrivingSide
    """Side of the road that traffic keeps to."""
    window: Box
    box: Box
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class ClippedStreets:
    """The streets of a world, cut at its window; `left_out` counts the cuts.

    `warnings` are on the map.
    """

    streets: list[Street]
    left_out: Counter[str] = field(default_factory=Counter)
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanarWorld:
    """A world in plan: what is known of it before anything has a height.

    `data` is the map, and `points` (n, 2) are the places of its nodes in W [m]; `box` is that of
    the ground, and `blocks` divide it; `is_busy`: whether several processes are worth their start.

    Attributes:
        projection: from latitude and longitude to W.
        side: side of the road that traffic keeps to.
        streets: streets, numbered by their place.
        building_areas: outlines of buildings.
        rules: turn restrictions, and the turns of arriving lanes.
        left_out: number of things left out, by reason.
    """

    data: OsmData
    projection: MapProjection
    points: Floats
    side: DrivingSide
    box: Box
    blocks: BlockGrid
    is_busy: bool
    streets: list[Street]
    building_areas: list[Area]
    rules: JunctionRules
    plan: LanePlan
    left_out: Counter[str]


def read_map(inputs: WorldInputs) -> OsmData:
    """The content of the map file.

    Raises:
        ConfigError: it cannot be read.
    """
    data = read_osm(inputs.osm)
    if any(each.level == "error" for each in data.findings):
        raise ConfigError(data.findings)
    return data


def place_map(inputs: WorldInputs, osm_map: OsmData) -> MapFrame:
    """Origin, projection, side of traffic and window.

    Raises:
        ConfigError: there is neither a street nor a path in the map.
    """
    data, found = osm_map, Diagnostics()
    rows = _road_rows(data, inputs.setup) or _path_rows(data)
    if not len(rows):
        raise ConfigError([_error(inputs, "there is no street in this map, and no path")])
    origin = inputs.setup.origin if inputs.setup is not None else None
    if origin is None and inputs.window is not None and inputs.height_map is None:
        origin = inputs.window.centre
    if origin is None:
        origin = _middle(data.places[rows])
    projection = MapProjection(origin)
    points = projection.to_local(data.places)
    middle = origin if inputs.window is None else inputs.window.centre
    side = _driving_side(inputs, data, middle, found)
    window = road_window(
        data,
        points[rows],
        projection=projection,
        setup=inputs.setup,
        window=inputs.window,
    )
    if inputs.window is None and (inputs.setup is None or inputs.setup.size is None):
        low, high = map_extent(data, points[rows], projection)
        _warn_if_larger(inputs, (high - low).tolist(), found)
    return MapFrame(projection, points, side, window, ground_box(window), found.all)


def _error(inputs: WorldInputs, message: str) -> Diagnostic:
    return Diagnostic(inputs.osm, 0, "error", message)


def _warn_if_larger(inputs: WorldInputs, sides: Sequence[float], found: Diagnostics) -> None:
    """Warns of a map of which only a part is built; `sides` are its own [m]."""
    width, height = sides
    if max(width, height) > LARGEST_SIDE + 1.0:
        message = (
            f"the map is {width / 1000.0:.1f} km × {height / 1000.0:.1f} km; of it "
            f"{LARGEST_SIDE / 1000.0:g} km about the origin are built. "
            "--window LAT,LON,METRES takes another or a larger part, and so does the Size of "
            "TerrainDimensions in the map set-up"
        )
        found.warning(inputs.osm, 0, message)


def _road_rows(data: OsmData, setup: MapSetup | None) -> list[int]:
    classes = highway_classes(setup)
    return [
        row
        for way in data.ways
        if way.tags.get("highway") in classes
        for row in data.rows(way.refs).tolist()
    ]


def _middle(places: Floats) -> tuple[float, float]:
    """The median latitude and longitude [deg] of places (n, 2), rounded to a centimetre.

    Ways that run far beyond a map do not move it, as they would move the middle of its extent.
    """
    near = near_meridian(places, float(places[0, 1]))
    latitude, longitude = np.median(near, axis=0).tolist()
    return (round(latitude, 7), round(wrapped_longitude(longitude), 7))


def _path_rows(data: OsmData) -> list[int]:
    """The rows of the nodes of footways, cycleways, squares and the like."""
    return [row for way in _paths(data) for row in data.rows(way.refs).tolist()]


def _paths(data: OsmData) -> list[OsmWay]:
    """The ways that are paths or squares."""
    found = [way for way in data.ways if is_path(way.tags) or is_square(way.tags)]
    return [way for way in found if len(way.refs) > 1]


def _driving_side(
    inputs: WorldInputs, data: OsmData, middle: tuple[float, float], found: Diagnostics
) -> DrivingSide:
    if inputs.driving_side is not None:
        return inputs.driving_side
    side, message = find_driving_side(data, middle, highway_classes(inputs.setup))
    if message:
        found.warning(inputs.osm, 0, message)
    return side


def find_streets_in_window(
    inputs: WorldInputs, osm_map: OsmData, frame: MapFrame
) -> ClippedStreets:
    """The streets in the window.

    Raises:
        ConfigError: there is none, and no path either.
    """
    left_out = Counter[str]()
    streets = find_streets(osm_map, frame.points, setup=inputs.setup)
    streets = without_repeated(streets, left_out)
    streets = cut_streets(streets, frame.window, left_out)
    if not streets and not _has_path(osm_map, frame):
        raise ConfigError([_error(inputs, _no_street_message(inputs, osm_map, frame))])
    warning = () if streets else (_only_paths(inputs),)
    return ClippedStreets(streets, left_out, warning)


def _has_path(data: OsmData, frame: MapFrame) -> bool:
    """Whether a path lies in the window."""
    lines = [shapely.LineString(frame.points[data.rows(way.refs)]) for way in _paths(data)]
    return bool(shapely.intersects(shapely.box(*frame.window), lines).any())


def _only_paths(inputs: WorldInputs) -> Diagnostic:
    message = (
        "there is no street here, only paths: robots can be placed on the ground and people walk, "
        "but the world has no lanes, so no vehicles of the traffic and no routes"
    )
    return Diagnostic(inputs.osm, 0, "warning", message)


def _no_street_message(inputs: WorldInputs, data: OsmData, frame: MapFrame) -> str:
    """Message that the window is empty, with a street: often latitude and longitude are swapped."""
    x_min, y_min, x_max, y_max = frame.window
    middle = np.array([[(x_min + x_max) / 2.0, (y_min + y_max) / 2.0]])
    latitude, longitude = frame.projection.to_geographic(middle)[0].tolist()
    places = data.places[_road_rows(data, inputs.setup) or _path_rows(data)]
    # Degrees will do: a window may lie where the projection of the map knows no metres.
    away = (near_meridian(places, longitude) - (latitude, longitude)) * (
        1.0,
        portable.cos(np.radians(latitude)),
    )
    near_latitude, near_longitude = places[np.argmin((away**2).sum(axis=1))].tolist()
    return (
        f"there is no street in the window, whose middle is {latitude:.5f},{longitude:.5f}; "
        f"the nearest one of this map is at {near_latitude:.5f},{near_longitude:.5f}"
    )


def plan_all_lanes(osm_map: OsmData, frame: MapFrame, axes: ClippedStreets) -> PlanarWorld:
    """The lanes of all streets; turning heads keep clear of buildings. Blocks follow from both."""
    streets = axes.streets
    building_areas = with_usual_storeys(
        find_areas(osm_map, frame.points, is_building),
        streets=streets,
        trade=[area.shape for area in find_areas(osm_map, frame.points, is_trade)],
        place=frame.projection.origin,
    )
    rules = find_junction_rules(osm_map, streets)
    has_room = _room_finder(streets, building_areas)
    plan = plan_lanes(streets, side=frame.side, has_room=has_room, rules=rules)
    is_busy = len(plan.drafts) > BUSY.lanes
    return PlanarWorld(
        data=osm_map,
        projection=frame.projection,
        points=frame.points,
        side=frame.side,
        box=frame.box,
        blocks=BlockGrid.of(
            frame.box,
            is_busy=is_busy,
            avoided=np.vstack([_NO_POINTS, *(street.points[[0, -1]] for street in streets)]),
        ),
        is_busy=is_busy,
        streets=streets,
        building_areas=building_areas,
        rules=rules,
        plan=plan,
        left_out=axes.left_out + plan.left_out,
    )


def _room_finder(
    all_streets: Sequence[Street], building_areas: Sequence[Area]
) -> Callable[[int, TurningHead], bool]:
    """Tells whether a turning head is clear of buildings, of other streets and of its own arms."""
    lines = [shapely.LineString(s.points) for s in all_streets]
    half_widths = np.array([s.profile.width / 2.0 for s in all_streets])
    streets = shapely.STRtree(lines)
    buildings = shapely.STRtree([area.shape for area in building_areas])

    def has_room(index: int, head: TurningHead) -> bool:
        centre = shapely.Point(head.centre)
        clear = head.radius + HEAD_ROOM.clear
        if len(buildings.query(centre, predicate="dwithin", distance=clear)):
            return False
        about = head.radius + HEAD_ROOM.widest_half
        near = streets.query(centre, predicate="dwithin", distance=about)
        near = near[near != index]
        others = np.array([*(lines[k] for k in near), _arms_beside(lines[index], centre, clear)])
        halves = half_widths[[*near, index]]
        gaps = shapely.distance(others, centre)
        return not bool((gaps <= head.radius + halves + HEAD_ROOM.clear).any())

    return has_room


def _arms_beside(line: shapely.LineString, centre: shapely.Point, reach: float) -> BaseGeometry:
    """The parts of a street that lead back past the turning head at its end.

    Args:
        line: the street's axis.
        centre: of the head.
        reach: distance [m] of the head's edge from its centre.
    """
    s, length = line.line_locate_point(centre), line.length
    # Twice the reach along the street is the part that leads into the head.
    before = substring(line, 0.0, max(s - 2.0 * reach, 0.0))
    behind = substring(line, min(s + 2.0 * reach, length), length)
    return shapely.MultiLineString(
        [part for part in (before, behind) if part.geom_type == "LineString" and part.length > 0.0]
    )
