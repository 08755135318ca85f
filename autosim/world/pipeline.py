"""From an OpenStreetMap file to a compiled world: a list of named steps over one growing result.

Each step reads what earlier steps left in the `Draft` and adds its own part. A step that needs
more (bridges, markings) is one more entry in `STEPS`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.config.descriptions import DrivingSide, MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.config.digests import path_digest
from autosim.world import invariants
from autosim.world.accounting import Account, account_for
from autosim.world.areas import Area, find_areas, is_building, is_green, is_water
from autosim.world.buildings import (
    Colours,
    Footprint,
    footprint_of,
    footprints_of,
    placed_houses,
    solid_mesh,
    without_wholes,
)
from autosim.world.carriageways import StreetMap
from autosim.world.compiled import Building, CompiledWorld, Mesh
from autosim.world.curves import Floats
from autosim.world.decks import Deck
from autosim.world.driving_side import guess_driving_side
from autosim.world.ground import (
    Ground,
    Surfaces,
    kept_free,
    make_decks,
    make_ground,
    make_structures,
    street_surfaces,
)
from autosim.world.ground_friction import Frictions, ground_friction
from autosim.world.ground_index import GroundIndex
from autosim.world.heights import HeightFunction, flat
from autosim.world.highways import highway_classes
from autosim.world.junction_rules import JunctionRules, find_junction_rules
from autosim.world.kerb_dips import find_kerb_dips
from autosim.world.lane_drafts import LanePlan, TurningHead
from autosim.world.lane_heights import centre_lines
from autosim.world.lane_spans import lane_spans
from autosim.world.lanes import plan_lanes
from autosim.world.level_invariants import level_invariants
from autosim.world.levels import GROUND
from autosim.world.markings.painting import paint_markings
from autosim.world.meshes import joined
from autosim.world.osm_data import OsmData
from autosim.world.osm_reader import read_osm
from autosim.world.osm_sniff import UnusableFileError
from autosim.world.projection import Projection
from autosim.world.relief import Heights, find_heights
from autosim.world.roads import LaneRecord, RoadNetwork
from autosim.world.scenery.furnishing import Scenery, furnish
from autosim.world.scenery.site import Site
from autosim.world.streets import Street, find_streets
from autosim.world.terrain import load_terrain
from autosim.world.tiles import in_tiles
from autosim.world.traffic_rules import with_traffic
from autosim.world.window import Box, Window, cut_streets, ground_box, road_window

PIPELINE_VERSION = 6
"""Goes into the digest of a world: raise it when the same inputs come to give another world."""

ATTRIBUTION = "© OpenStreetMap contributors, ODbL 1.0"

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that a compiled world depends on."""

    osm: Path
    setup: MapSetup | None = None
    height_map: Path | None = None
    driving_side: DrivingSide | None = None
    window: Window | None = None

    def digest(self) -> str:
        """SHA-256 of the inputs' contents and of the pipeline's version.

        Raises:
            OSError: a file cannot be read.
        """
        total = hashlib.sha256(f"{PIPELINE_VERSION} {self.driving_side} {self.osm.name}".encode())
        for path in (self.osm, self.height_map):
            total.update(b"-" if path is None else path_digest(path).encode())
        total.update(f"{_setup_text(self.setup)} {self.window}".encode())
        return total.hexdigest()


def _setup_text(setup: MapSetup | None) -> str:
    """The set-up's values without the place of its file."""
    if setup is None:
        return ""
    names = (name for name in MapSetup.__dataclass_fields__ if name != "source")
    return repr([(name, getattr(setup, name)) for name in names])


@dataclass(slots=True)
class Draft:
    """A world while it is being made: every field is set by the step that is named after it."""

    inputs: Inputs
    diagnostics: Diagnostics
    left_out: Counter[str] = field(default_factory=Counter)
    data: OsmData = field(init=False)
    projection: Projection = field(init=False)
    points: Floats = field(init=False)
    side: DrivingSide = field(init=False)
    window: Box = field(init=False)
    box: Box = field(init=False)
    streets: list[Street] = field(init=False)
    building_areas: list[Area] = field(init=False)
    rules: JunctionRules = field(init=False)
    plan: LanePlan = field(init=False)
    heights: Heights = field(init=False)
    town: StreetMap = field(init=False)
    surfaces: Surfaces = field(init=False)
    decks: list[Deck] = field(init=False)
    structures: Mesh = field(init=False)
    ground: Ground = field(init=False)
    houses: list[Building] = field(init=False)
    footprints: list[Footprint] = field(init=False)
    buildings: Mesh = field(init=False)
    building_tints: Colours = field(init=False)
    house_boxes: Mesh = field(init=False)
    markings: Mesh = field(init=False)
    scenery: Scenery = field(init=False)
    roads: RoadNetwork = field(init=False)
    ground_friction: Frictions = field(init=False)
    account: Account = field(init=False)
    invariants: tuple[tuple[str, float], ...] = ()


def build_world(
    osm: Path,
    *,
    setup: MapSetup | None = None,
    height_map: Path | None = None,
    driving_side: DrivingSide | None = None,
    window: Window | None = None,
    progress: Progress | None = None,
    diagnostics: Diagnostics | None = None,
) -> CompiledWorld:
    """Compiles a map into a world.

    Args:
        osm: `.osm`, `.osm.gz`, `.osm.bz2` or `.osm.pbf`.
        setup: widths, origin, size; None for built-in ones about the middle of the map.
        height_map: a grey picture of heights, `.hgt`, `.hgt.zip`, GeoTIFF, or a folder of such
            tiles; None for flat ground.
        driving_side: where traffic keeps; None to guess it from the place, with a warning.
        window: the part of the map to build; None for the set-up's, or all up to 2 km.
        progress: called with the name of each step and the share of work done (0..1) before it.
        diagnostics: receives the warnings too.

    Raises:
        ConfigError: the files cannot make a world; it holds every fault found.
    """
    inputs = Inputs(osm, setup, height_map, driving_side, window)
    draft = Draft(inputs, Diagnostics() if diagnostics is None else diagnostics)
    for number, (name, step) in enumerate(STEPS):
        if progress is not None:
            progress(name, number / len(STEPS))
        step(draft)
        draft.diagnostics.raise_if_errors()
    if progress is not None:
        progress("done", 1.0)
    return _compiled(draft)


def _read_map(draft: Draft) -> None:
    draft.data = read_osm(draft.inputs.osm)
    for finding in draft.data.findings:
        note = draft.diagnostics.error if finding.level == "error" else draft.diagnostics.warning
        note(finding.file, finding.line, finding.message)


def _place_map(draft: Draft) -> None:
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
    draft.box = ground_box(draft.window)


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


def _find_streets(draft: Draft) -> None:
    streets = find_streets(draft.data, draft.points, setup=draft.inputs.setup)
    draft.streets = cut_streets(streets, draft.window, draft.left_out)
    if not draft.streets:
        draft.diagnostics.error(draft.inputs.osm, 0, "there is no street in the window")


def _plan_lanes(draft: Draft) -> None:
    draft.building_areas = find_areas(draft.data, draft.points, is_building)
    draft.rules = find_junction_rules(draft.data, draft.streets)
    draft.plan = plan_lanes(
        draft.streets, side=draft.side, has_room=_room_finder(draft), rules=draft.rules
    )


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


def _find_heights(draft: Draft) -> None:
    terrain = _terrain(draft)
    if terrain is not None:
        draft.heights = find_heights(draft.data, draft.points, draft.streets, terrain)
        draft.streets = draft.heights.streets


def _terrain(draft: Draft) -> HeightFunction | None:
    """The bare ground; None, with a diagnostic, where its data are of no use."""
    source = draft.inputs.height_map
    if source is None:
        return flat
    setup = draft.inputs.setup or MapSetup(name="")
    try:
        return load_terrain(source, setup=setup, projection=draft.projection, box=draft.box)
    except UnusableFileError as fault:
        draft.diagnostics.error(fault.finding.file, fault.finding.line, fault.finding.message)
        return None


def _divide_ground(draft: Draft) -> None:
    levels = draft.heights.levels
    window = shapely.box(*draft.box)
    draft.town = StreetMap(draft.streets, draft.plan, levels, lane_spans(draft.plan, levels))
    draft.surfaces = street_surfaces(
        draft.town,
        window=window,
        water=_union(find_areas(draft.data, draft.points, is_water), window),
        park=_union(find_areas(draft.data, draft.points, is_green), window),
    )


def _union(areas: list[Area], window: BaseGeometry) -> BaseGeometry:
    near = [area.shape for area in areas if shapely.intersects(area.shape, window)]
    return shapely.union_all([shapely.intersection(shape, window) for shape in near])


def _lay_decks(draft: Draft) -> None:
    draft.decks = make_decks(draft.town, draft.heights, kerb_height=_kerb_height(draft))


def _kerb_height(draft: Draft) -> float:
    setup = draft.inputs.setup or MapSetup(name="")
    return setup.kerb_height


def _make_ground(draft: Draft) -> None:
    draft.ground = make_ground(
        draft.town,
        draft.heights,
        draft.decks,
        draft.surfaces,
        box=draft.box,
        kerb_height=_kerb_height(draft),
        dips=find_kerb_dips(draft.data, draft.points, draft.streets, draft.heights.levels),
    )


def _build_structures(draft: Draft) -> None:
    draft.structures = make_structures(draft.decks, draft.heights, draft.surfaces, draft.ground)


def _raise_buildings(draft: Draft) -> None:
    window = shapely.box(*draft.box)
    kept = kept_free(draft.surfaces, draft.decks, draft.ground.holes)
    height = draft.heights.heights[GROUND]
    footprints = footprints_of(
        without_wholes(draft.building_areas),
        window=window,
        carriageway=kept,
        left_out=draft.left_out,
    )
    nodes = [node for node in draft.data.tagged_nodes if "filePath" in node.tags]
    draft.houses = placed_houses(
        nodes,
        draft.points[draft.data.rows(tuple(node.id for node in nodes))],
        window=window,
        carriageway=kept,
        height=height,
        left_out=draft.left_out,
    )
    houses = [footprint_of(house) for house in draft.houses]
    draft.footprints = [*footprints, *houses]
    draft.buildings, draft.building_tints = solid_mesh(footprints, height)
    draft.house_boxes, _ = solid_mesh(houses, height)


def _finish_lanes(draft: Draft) -> None:
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
    draft.ground_friction = ground_friction(draft.ground.mesh, draft.roads)


def _furnish(draft: Draft) -> None:
    """Markings, trees, lamps, benches, walls, fences and rails."""
    floors = [draft.ground.mesh, *(deck.floor for deck in draft.decks)]
    draft.markings = paint_markings(
        draft.data,
        draft.points,
        streets=draft.streets,
        network=draft.roads,
        road=GroundIndex.build(joined(floors)),
        origin=draft.projection.origin,
    )
    site = Site(
        data=draft.data,
        points=draft.points,
        box=draft.box,
        ground=GroundIndex.build(draft.ground.mesh),
        network=draft.roads,
        buildings=[footprint.polygon for footprint in draft.footprints],
    )
    kept = kept_free(draft.surfaces, draft.decks, draft.ground.holes)
    draft.scenery = furnish(site, carriageway=kept, left_out=draft.left_out)


def _count_objects(draft: Draft) -> None:
    draft.account = account_for(
        draft.data,
        draft.points,
        box=draft.box,
        highways=frozenset(highway_classes(draft.inputs.setup)),
        restrictions=draft.rules.restrictions.reasons,
    )


def _check(draft: Draft) -> None:
    draft.invariants = (
        *invariants.measure(draft.ground.mesh, draft.box, holes=draft.ground.holes),
        *level_invariants(draft.roads, draft.heights, draft.ground.mesh, draft.decks),
    )


STEPS: tuple[tuple[str, Callable[[Draft], None]], ...] = (
    ("read the map", _read_map),
    ("place it", _place_map),
    ("find streets", _find_streets),
    ("plan lanes", _plan_lanes),
    ("find heights", _find_heights),
    ("divide the ground", _divide_ground),
    ("lay bridges and tunnels", _lay_decks),
    ("make the ground", _make_ground),
    ("build bridges and tunnels", _build_structures),
    ("raise buildings", _raise_buildings),
    ("finish lanes", _finish_lanes),
    ("paint and furnish", _furnish),
    ("count what was used", _count_objects),
    ("check", _check),
)
"""The pipeline, in order."""


def _compiled(draft: Draft) -> CompiledWorld:
    name = draft.inputs.osm.name.split(".")[0]
    world = CompiledWorld(
        name=name,
        digest=draft.inputs.digest(),
        origin=draft.projection.origin,
        bounds=draft.box,
        driving_side=draft.side,
        ground=draft.ground.mesh,
        structures=draft.structures,
        buildings=draft.buildings,
        houses=tuple(draft.houses),
        roads=draft.roads,
        invariants=draft.invariants,
        left_out=tuple(sorted((k, n) for k, n in draft.left_out.items() if n)),
        attribution=ATTRIBUTION,
        used=draft.account.used,
        ignored=draft.account.ignored,
        markings=draft.markings,
        rails=draft.scenery.rails,
        obstacles=draft.scenery.obstacles,
        props=draft.scenery.props,
        building_tints=draft.building_tints,
        ground_friction=draft.ground_friction,
        house_boxes=draft.house_boxes,
    )
    return in_tiles(world)
