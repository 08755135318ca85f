"""Writes the map of the demo's town, `circle_town.osm`, from the streets of `circle_town`.

Run this module to write the same file again, byte for byte:

    python -m autosim_assets.make_circle_town worlds/circle_town/circle_town.osm
"""

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import shapely

from autosim.world.geometry import overlays
from autosim_assets.circle_town import (
    LAKE,
    MEADOW,
    ORIGIN,
    PARK,
    PARK_PATHS,
    POND_PARK,
    ROUNDABOUT_RADIUS,
    SIGNAL_CROSSINGS,
    SIGNALS,
    SQUARE,
    SQUARE_TREES,
    STREETS,
    TERRACES,
    WOOD,
    ZEBRAS,
)
from autosim_assets.town_map import (
    Point,
    Tags,
    TownMap,
    circle,
    house_place,
    places_along,
    rectangle,
    with_points_at,
)

_HOUSE_MODELS = ("house0", "house1", "house2")
_HOUSE_SIZES = ((11.0, 6.5, 9.0), (13.0, 7.5, 10.0), (9.0, 9.0, 9.0))
"""Width, height and depth [m] of each model, as `scenery_models` draws them."""

_SPACING = 24.0
"""Distance [m] between the middles of houses along a street: a house and a garden."""


_ZEBRA = {"highway": "crossing", "crossing": "uncontrolled", "crossing:markings": "zebra"}
_WITH_SIGNALS = {
    "highway": "crossing",
    "crossing": "traffic_signals",
    "crossing:markings": "lines",
}


def _avenue_nodes() -> list[Point]:
    """The roundabout: 16 corners, those in the four directions shared with the streets."""
    return [(round(x, 6), round(y, 6)) for x, y in circle((0.0, 0.0), ROUNDABOUT_RADIUS, 16)]


def _add_streets(town: TownMap) -> None:
    # Traffic keeps left, so it goes round clockwise.
    town.area(_avenue_nodes(), {"highway": "secondary", "junction": "roundabout", "width": "7"})
    for number, (name, highway, tags, points) in enumerate(STREETS):
        places: dict[Point, Tags] = {}
        line = list(points)
        for crossings, tags_of_crossing in ((ZEBRAS, _ZEBRA), (SIGNAL_CROSSINGS, _WITH_SIGNALS)):
            distances = [distance for street, distance in crossings if street == number]
            line, added = with_points_at(line, distances)
            places |= dict.fromkeys(added, tags_of_crossing)
        town.way(line, {"highway": highway, "name": name, **tags})
        for place, tags_of_place in places.items():
            town.node(place, tags_of_place)
    for place in SIGNALS:
        town.node(place, {"highway": "traffic_signals"})


def _add_land(town: TownMap) -> None:
    town.area(PARK, {"leisure": "park", "name": "Town Park"})
    town.area(POND_PARK, {"leisure": "park", "name": "Pond Park"})
    town.area(circle((-54.0, -44.0), 17.0, 20, 0.8), {"natural": "water", "name": "The Pond"})
    town.area(
        SQUARE,
        {
            "highway": "pedestrian",
            "area": "yes",
            "place": "square",
            "surface": "sett",
            "name": "Market Square",
        },
    )
    town.area(circle((28.0, -54.0), 4.0, 12), {"natural": "water", "name": "Market Fountain"})
    town.area(circle((28.0, -54.0), 4.3, 12), {"barrier": "wall", "height": "0.6"})
    town.area(LAKE, {"natural": "water", "name": "South Lake"})
    town.area(WOOD, {"landuse": "forest"})
    town.area(MEADOW, {"landuse": "meadow"})
    town.area(circle((0.0, 0.0), 14.0, 20), {"landuse": "grass"})


def _add_landmarks(town: TownMap) -> None:
    """Adds buildings by which users find their way."""
    town.area(
        rectangle((-45.0, 132.0), (34.0, 14.0), 0.1),
        {"building": "church", "height": "14", "name": "St Anne"},
    )
    town.area(
        rectangle((-66.0, 130.3), (9.0, 9.0), 0.1),
        {"building": "yes", "height": "32", "name": "Bell tower"},
    )
    hall = [
        (82.0, 104.0),
        (140.0, 104.0),
        (140.0, 124.0),
        (102.0, 124.0),
        (102.0, 118.0),
        (82.0, 118.0),
    ]
    town.area(hall, {"building": "civic", "building:levels": "4", "name": "Town Hall"})
    market = [
        (48.0, -66.0),
        (92.0, -66.0),
        (92.0, -22.0),
        (78.0, -22.0),
        (78.0, -52.0),
        (48.0, -52.0),
    ]
    town.area(market, {"building": "retail", "building:levels": "2", "name": "Market"})
    town.area(
        rectangle((-90.0, 325.0), (60.0, 16.0), 0.0),
        {"building": "train_station", "height": "9", "name": "Station"},
    )
    town.area(
        rectangle((60.0, 232.0), (54.0, 40.0), 0.0),
        {"building": "apartments", "building:levels": "6"},
    )


_TERRACE_DEPTH, _FRONT_GARDEN = 11.0, 1.0
"""Depth [m] of town houses, and their distance [m] from the pavement."""

_FRONTS = (6.5, 9.5)
"""Least and greatest width [m] of a town house, from the streets of old market towns."""

_SHOPS = ("bakery", "books", "butcher", "clothes", "florist", "greengrocer", "hairdresser", "")
_PLASTER = ("#efe6d2", "#d9b38c", "#c7d3c0", "#e3c9b5", "#b86b4b", "#d7d3cb", "#e8d9a8")


def _add_terraces(town: TownMap) -> None:
    """Adds rows of town houses behind the pavements of the main street; most have shops."""
    rng = np.random.default_rng(1888)
    away = _HALF_WIDTHS["primary"] + _PAVEMENT + _FRONT_GARDEN + _TERRACE_DEPTH / 2.0
    for number, side, begin, end in TERRACES:
        street, at = _axis(number), begin
        while end - at > _FRONTS[0]:
            width = min(round(float(rng.uniform(*_FRONTS)), 1), end - at)
            centre, facing = house_place(street, at + width / 2.0, side, away)
            _add_town_house(town, centre, facing, width, rng)
            at += width
        # Paved up to the houses.
        strip = [
            house_place(street, s, side, away - _TERRACE_DEPTH * x)[0]
            for s, x in ((begin, 0.3), (at, 0.3), (at, 0.7), (begin, 0.7))
        ]
        town.area(strip, {"highway": "footway", "area": "yes", "surface": "paving_stones"})


def _add_town_house(
    town: TownMap, centre: Point, facing: float, width: float, rng: np.random.Generator
) -> None:
    outline = rectangle(centre, (_TERRACE_DEPTH, width), facing)
    tags = {
        "building": "yes",
        "building:levels": str(rng.integers(2, 5)),
        "building:colour": str(rng.choice(_PLASTER)),
        "roof:shape": "gabled",
        "roof:orientation": "across",  # the ridge lies along the street
    }
    town.area(outline, tags)
    if shop := str(rng.choice(_SHOPS)):
        inside = _TERRACE_DEPTH / 2.0 - 2.0
        door = (
            centre[0] + inside * math.cos(facing),
            centre[1] + inside * math.sin(facing),
        )
        town.node(door, {"shop": shop})


def _add_houses(town: TownMap) -> None:
    """Adds rows of houses on both sides of every street, where nothing else stands."""
    blocked = _blocked_ground(town)
    rng = np.random.default_rng(2008)
    count = 0
    for _, highway, _, points in STREETS:
        if highway in ("service", "primary"):
            continue
        street = shapely.LineString(points)
        for s in np.arange(_SPACING, street.length - _SPACING / 2.0, _SPACING).tolist():
            for side in (1.0, -1.0):
                kind = int(rng.integers(len(_HOUSE_MODELS)))
                centre, facing = house_place(street, s, side, 17.0 + float(rng.uniform(0.0, 3.0)))
                depth, width = _HOUSE_SIZES[kind][2], _HOUSE_SIZES[kind][0]
                outline = shapely.Polygon(rectangle(centre, (depth, width), facing))
                if shapely.intersects(blocked, _grown(outline, 2.5)):
                    continue
                blocked = overlays.union(blocked, outline)
                _add_house(town, centre, facing, kind=kind, is_node=count % 2 == 0)
                count += 1


def _add_house(town: TownMap, centre: Point, facing: float, *, kind: int, is_node: bool) -> None:
    """Adds a house as a node with a model or, for every other house, as a footprint."""
    width, height, depth = _HOUSE_SIZES[kind]
    if not is_node:
        tags = {"building": "house", "height": f"{height}"}
        town.area(rectangle(centre, (depth, width), facing), tags)
        return
    # rotY is clockwise from north, the files' z axis, and the model faces along z.
    rotation = (math.pi / 2.0 - facing) % math.tau
    town.node(
        centre,
        {
            "filePath": f"models/buildings/{_HOUSE_MODELS[kind]}",
            "fileType": "obj",
            "landuse": "residential",
            "name": _HOUSE_MODELS[kind],
            "rotY": f"{rotation:.4f}",
            "sizeX": f"{width}",
            "sizeY": f"{height}",
            "sizeZ": f"{depth}",
        },
    )


def _grown(shape: shapely.Geometry, distance: float) -> shapely.Geometry:
    """A shape and what lies within a distance [m] of it."""
    return overlays.buffer(shape, distance, quad_segs=16)


def _blocked_ground(town: TownMap) -> shapely.Geometry:
    """The area where no house may stand: streets with pavements, parks, water, buildings."""
    streets = [_grown(shapely.LineString(points), 9.0) for _, _, _, points in STREETS]
    rings: list[shapely.Geometry] = [
        shapely.Polygon(ring) for ring in (PARK, POND_PARK, SQUARE, WOOD, MEADOW, LAKE)
    ]
    rings += [_grown(outline, 2.0) for outline in town.footprints()]
    others = [
        shapely.box(-80.0, 115.0, -20.0, 148.0),
        shapely.box(78.0, 98.0, 144.0, 128.0),
        shapely.box(-125.0, 312.0, -55.0, 338.0),
        shapely.box(30.0, 208.0, 90.0, 256.0),
        _grown(shapely.Point(0.0, 0.0), ROUNDABOUT_RADIUS + 12.0),
    ]
    return overlays.union_all([*streets, *rings, *others])


_HALF_WIDTHS = {"primary": 4.5, "secondary": 4.0, "residential": 4.0}
_USUAL_HALF_WIDTH, _PAVEMENT, _BAYS = 3.5, 2.0, 2.0
"""Half the width [m] of other streets, the width [m] of pavements, and of bays beside the lanes, as
worlds are compiled."""


def _add_street_furniture(town: TownMap) -> None:
    """Adds lamps at the kerb of every street, and trees behind its pavement away from buildings."""
    rng = np.random.default_rng(1958)
    clear = _clear_of_buildings(town)
    for number, (_, highway, tags, points) in enumerate(STREETS):
        if highway == "service":
            continue
        street = shapely.LineString(points)
        others = overlays.union_all([_axis(k) for k in range(len(STREETS)) if k != number])
        others = overlays.union(others, _grown(shapely.Point(0.0, 0.0), ROUNDABOUT_RADIUS))
        half = max(
            float(tags.get("width", "0")) / 2.0, _HALF_WIDTHS.get(highway, _USUAL_HALF_WIDTH)
        )
        half += _BAYS if "parking:both" in tags else 0.0
        # At corners the carriageway is rounded, so that the kerb is not where the axis says.
        avoided = overlays.union(others, shapely.MultiPoint(points[1:-1]))
        for place in places_along(street, half + 0.85, spacing=34.0, start=17.0):
            if avoided.distance(shapely.Point(place)) > 13.0:
                town.node(place, {"highway": "street_lamp"})
        for place in places_along(street, half + _PAVEMENT + 1.6, spacing=17.0, start=9.0):
            point = shapely.Point(place)
            is_apart = others.distance(point) > 13.0 and avoided.distance(point) > 8.0
            if rng.random() < 0.72 and is_apart and clear(point):
                town.node(place, {"natural": "tree", "height": f"{rng.uniform(5.5, 9.0):.1f}"})


def _axis(number: int) -> shapely.LineString:
    return shapely.LineString(STREETS[number][3])


def _clear_of_buildings(town: TownMap) -> Callable[[shapely.Point], bool]:
    """Tells whether a tree may stand at a point: away from houses, landmarks and water."""
    shapes = [
        *town.footprints(),
        shapely.Polygon(LAKE),
        _grown(shapely.Point(-54.0, -44.0), 18.0),
    ]
    tree = shapely.STRtree(shapes)
    return lambda point: not len(tree.query(point, predicate="dwithin", distance=3.5))


def _add_benches(town: TownMap) -> None:
    """Adds benches beside the paths of the parks, and under trees on the square."""
    for path in PARK_PATHS:
        town.way(path, {"highway": "footway"})
        line = shapely.LineString(path)
        for s in np.arange(8.0, line.length - 4.0, 14.0).tolist():
            place, facing = house_place(line, s, 1.0, 2.0)
            direction = math.degrees(math.pi / 2.0 - facing) % 360.0
            town.node(place, {"amenity": "bench", "direction": f"{direction:.0f}"})
    for x, y in SQUARE_TREES:
        town.node((x, y), {"natural": "tree", "height": "7.5"})
        town.node((x + 2.5, y), {"amenity": "bench", "direction": "90"})


def make_town() -> str:
    """The demo town as the text of an OSM file."""
    town = TownMap(ORIGIN)
    _add_streets(town)
    _add_land(town)
    _add_landmarks(town)
    _add_terraces(town)
    _add_houses(town)
    _add_street_furniture(town)
    _add_benches(town)
    return town.to_xml()


def main(arguments: Sequence[str]) -> None:
    """Writes the town to the file named by the one argument."""
    (path,) = arguments
    Path(path).write_text(make_town(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
