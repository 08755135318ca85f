"""Writes the map of the demo town, `circle_town.osm`.

The town is invented: a ring of streets around a roundabout, with a park, a pond and houses along
every street. Run this module to write the same file again, byte for byte:

    python -m autosim.tools.make_circle_town worlds/circle_town/circle_town.osm
"""

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import shapely

from autosim.world.geometry.projection import Projection

ORIGIN = (-31.9728, 115.827)
"""Latitude and longitude [deg] of the roundabout: in Perth, where traffic keeps left."""

Point = tuple[float, float]
Tags = dict[str, str]

ROUNDABOUT_RADIUS = 22.0
"""Radius [m] of the roundabout's axis: room for a park inside."""

_HOUSE_MODELS = ("house0", "house1", "house2")
_HOUSE_SIZES = ((11.0, 6.5, 9.0), (13.0, 7.5, 10.0), (9.0, 9.0, 9.0))
"""Width, height and depth [m] of each model, as `scenery_models` draws them."""

_SPACING = 24.0
"""Distance [m] between the middles of houses along a street: a house and a garden."""


class Town:
    """An OSM map under construction: nodes and ways with ascending ids."""

    def __init__(self) -> None:
        self._projection = Projection(ORIGIN)
        self._nodes: dict[Point, int] = {}
        self._tagged: dict[int, Tags] = {}
        self._ways: list[tuple[list[int], Tags]] = []

    def node(self, point: Point, tags: Tags | None = None) -> int:
        """The id of the node at a point [m]; makes the node if there is none."""
        place = (round(point[0], 2), round(point[1], 2))
        number = self._nodes.setdefault(place, len(self._nodes) + 1)
        if tags:
            self._tagged[number] = tags
        return number

    def way(self, points: Iterable[Point], tags: Tags) -> None:
        """Adds a way through points [m]."""
        self._ways.append(([self.node(point) for point in points], tags))

    def area(self, points: Sequence[Point], tags: Tags) -> None:
        """Adds a closed way around points [m]."""
        self.way([*points, points[0]], tags)

    def footprints(self) -> list[shapely.Polygon]:
        """The outlines [m] of all buildings, placed houses as squares."""
        places = list(self._nodes)
        outlines = [
            shapely.Polygon([places[ref - 1] for ref in refs])
            for refs, tags in self._ways
            if "building" in tags
        ]
        houses = [
            shapely.Point(places[number - 1]).buffer(float(tags["sizeX"]) / 2.0, cap_style="square")
            for number, tags in self._tagged.items()
            if "filePath" in tags
        ]
        return [*outlines, *houses]

    def to_xml(self) -> str:
        """The map as an OSM 0.6 file."""
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<osm version="0.6" generator="AutoSim make_circle_town"'
            ' copyright="AutoSim" license="Apache-2.0">',
            "  <!-- A made-up town for AutoSim's demo. Licence: that of AutoSim, Apache-2.0. -->",
        ]
        places = self._projection.to_geographic(np.array(list(self._nodes)))
        for number, (latitude, longitude) in enumerate(places.tolist(), start=1):
            place = f'id="{number}" version="1" lat="{latitude:.7f}" lon="{longitude:.7f}"'
            lines += _element("node", place, [], self._tagged.get(number, {}))
        for number, (refs, tags) in enumerate(self._ways, start=1):
            lines += _element("way", f'id="{number}" version="1"', refs, tags)
        return "\n".join([*lines, "</osm>", ""])


def _element(name: str, attributes: str, refs: Sequence[int], tags: Tags) -> list[str]:
    if not refs and not tags:
        return [f"  <{name} {attributes}/>"]
    children = [f'    <nd ref="{ref}"/>' for ref in refs]
    children += [f"    <tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in tags.items()]
    return [f"  <{name} {attributes}>", *children, f"  </{name}>"]


def circle(centre: Point, radius: float, corners: int, squeeze: float = 1.0) -> list[Point]:
    """Points [m] around a centre, clockwise from north; `squeeze` scales north to south."""
    angles = [math.tau * k / corners for k in range(corners)]
    return [
        (centre[0] + radius * math.sin(a), centre[1] + squeeze * radius * math.cos(a))
        for a in angles
    ]


# Streets: name, OSM highway value, further tags, points [m].
R = ROUNDABOUT_RADIUS
STREETS: tuple[tuple[str, str, Tags, tuple[Point, ...]], ...] = (
    ("North Street", "primary", {"lanes": "2", "width": "9"}, ((0, R), (0, 90), (0, 180))),
    ("North Street", "primary", {"lanes": "2", "width": "9"}, ((0, 180), (-6, 240), (-20, 300))),
    ("South Street", "primary", {"lanes": "2", "width": "9"}, ((0, -R), (0, -90), (0, -180))),
    ("South Street", "primary", {"lanes": "2", "width": "9"}, ((0, -180), (0, -260))),
    ("East Street", "secondary", {}, ((R, 0), (110, 0), (230, 0))),
    ("West Street", "secondary", {}, ((-R, 0), (-110, 0), (-230, 0))),
    (
        "Ring Road",
        "secondary",
        {"maxspeed": "60"},
        ((0, 180), (110, 178), (180, 160), (222, 110), (230, 50), (230, 0)),
    ),
    (
        "Ring Road",
        "secondary",
        {"maxspeed": "60"},
        ((230, 0), (228, -80), (210, -140), (160, -172), (90, -180), (0, -180)),
    ),
    (
        "Ring Road",
        "secondary",
        {"maxspeed": "60"},
        ((0, -180), (-100, -184), (-180, -164), (-220, -110), (-230, -50), (-230, 0)),
    ),
    (
        "Ring Road",
        "secondary",
        {"maxspeed": "60"},
        ((-230, 0), (-228, 70), (-206, 130), (-150, 170), (-80, 180), (0, 180)),
    ),
    ("Park Street", "residential", {}, ((0, 90), (60, 92), (100, 80), (110, 50), (110, 0))),
    ("Pond Street", "residential", {}, ((-110, 0), (-110, -50), (-96, -84), (-60, -92), (0, -90))),
    (
        "Market Lane",
        "residential",
        {"oneway": "yes", "width": "5.5"},
        ((110, 0), (112, -50), (104, -78), (80, -90), (40, -92), (0, -90)),
    ),
    (
        "Church Lane",
        "tertiary",
        {"width": "6.5"},
        ((0, 90), (-50, 90), (-90, 76), (-108, 46), (-110, 0)),
    ),
    (
        "Hill Street",
        "residential",
        {},
        ((222, 110), (290, 122), (326, 90), (330, 20), (318, -50), (276, -82), (228, -80)),
    ),
    (
        "Mill Street",
        "residential",
        {},
        ((-206, 130), (-270, 150), (-314, 116), (-322, 40), (-316, -40), (-280, -96), (-220, -110)),
    ),
    (
        "Station Road",
        "unclassified",
        {},
        ((-20, 300), (70, 306), (150, 280), (180, 220), (180, 160)),
    ),
    ("Station Road", "unclassified", {}, ((-20, 300), (-110, 296), (-156, 250), (-150, 170))),
    ("South Crescent", "residential", {}, ((0, -260), (80, -264), (140, -236), (160, -172))),
    ("South Crescent", "residential", {}, ((0, -260), (-90, -262), (-150, -230), (-180, -164))),
    ("Hall Yard", "service", {"width": "4.5"}, ((60, 92), (62, 128), (110, 136), (110, 178))),
)


def _avenue_nodes() -> list[Point]:
    """The roundabout: 16 corners, those in the four directions shared with the streets."""
    return [(round(x, 6), round(y, 6)) for x, y in circle((0.0, 0.0), R, 16)]


# Pedestrian crossings: the number of the street and how far along it [m].
CROSSINGS: tuple[tuple[int, float], ...] = (
    (0, 34.0), (0, 124.0), (2, 34.0), (2, 124.0), (4, 38.0), (5, 38.0), (4, 160.0),
    (10, 28.0), (11, 26.0), (13, 24.0),
)  # fmt: skip


def _add_streets(town: Town) -> None:
    # Traffic keeps left, so it goes round clockwise.
    town.area(_avenue_nodes(), {"highway": "secondary", "junction": "roundabout", "width": "7"})
    for number, (name, highway, tags, points) in enumerate(STREETS):
        distances = [distance for street, distance in CROSSINGS if street == number]
        line, crossings = _with_points_at(points, distances)
        town.way(line, {"highway": highway, "name": name, **tags})
        for place in crossings:
            town.node(
                place,
                {"highway": "crossing", "crossing": "uncontrolled", "crossing:markings": "zebra"},
            )


def _with_points_at(
    points: Sequence[Point], distances: Sequence[float]
) -> tuple[list[Point], list[Point]]:
    """A polyline with points added at distances [m] along it, and these points."""
    line = shapely.LineString(points)
    added = [line.interpolate(distance) for distance in distances]
    places = [(round(each.x, 2), round(each.y, 2)) for each in added]
    stations = [(line.project(shapely.Point(point)), point) for point in points]
    stations += list(zip(distances, places, strict=True))
    return [point for _, point in sorted(stations)], places


# Corners [m] of the park at the roundabout, drawn to fit the streets.
PARK: tuple[Point, ...] = ((22, 22), (22, 74), (58, 76), (90, 66), (96, 46), (96, 16), (30, 16))
# Corners [m] of the market square, drawn to fit the streets; the market stands on it.
SQUARE: tuple[Point, ...] = (
    (5, -34),
    (34, -5),
    (107, -4),
    (108, -50),
    (101, -76),
    (79, -86),
    (40, -88),
    (5, -87),
)
# Corners [m] of the park with the pond, drawn to fit the streets.
POND_PARK: tuple[Point, ...] = (
    (-96, -14),
    (-28, -14),
    (-16, -26),
    (-16, -76),
    (-56, -78),
    (-88, -70),
)
# Corners [m] of the wood north west of the town.
WOOD: tuple[Point, ...] = ((-340, 170), (-220, 190), (-200, 330), (-340, 330))
# Corners [m] of the meadow north east of the town.
MEADOW: tuple[Point, ...] = ((230, 160), (380, 170), (390, 330), (210, 330))
LAKE: tuple[Point, ...] = tuple(circle((285.0, -220.0), 80.0, 24, 0.6))


def _add_land(town: Town) -> None:
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


def _rectangle(centre: Point, size: Point, angle: float) -> list[Point]:
    """Corners [m] of a rectangle whose first side lies along `angle` [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    half = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    return [
        (
            centre[0] + c * u * size[0] - s * v * size[1],
            centre[1] + s * u * size[0] + c * v * size[1],
        )
        for u, v in half
    ]


def _add_landmarks(town: Town) -> None:
    """Adds buildings by which users find their way."""
    town.area(
        _rectangle((-45.0, 132.0), (34.0, 14.0), 0.1),
        {"building": "church", "height": "14", "name": "St Anne"},
    )
    town.area(
        _rectangle((-66.0, 130.3), (9.0, 9.0), 0.1),
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
        _rectangle((-90.0, 325.0), (60.0, 16.0), 0.0),
        {"building": "train_station", "height": "9", "name": "Station"},
    )
    town.area(
        _rectangle((60.0, 232.0), (54.0, 40.0), 0.0),
        {"building": "apartments", "building:levels": "6"},
    )


# Rows of town houses: the number of the street, its side (1: left), from and to [m] along it.
TERRACES: tuple[tuple[int, float, float, float], ...] = (
    (0, 1.0, 16.0, 54.0),
    (0, 1.0, 84.0, 142.0),
    (0, -1.0, 78.0, 142.0),
    (2, -1.0, 82.0, 142.0),
    (2, 1.0, 82.0, 142.0),
)
_TERRACE_DEPTH, _FRONT_GARDEN = 11.0, 1.0
"""Depth [m] of town houses, and their distance [m] from the pavement."""

_FRONTS = (6.5, 9.5)
"""Least and greatest width [m] of a town house, from the streets of old market towns."""

_SHOPS = ("bakery", "books", "butcher", "clothes", "florist", "greengrocer", "hairdresser", "")
_PLASTER = ("#efe6d2", "#d9b38c", "#c7d3c0", "#e3c9b5", "#b86b4b", "#d7d3cb", "#e8d9a8")


def _add_terraces(town: Town) -> None:
    """Adds rows of town houses behind the pavements of the main street; most have shops."""
    rng = np.random.default_rng(1888)
    away = _HALF_WIDTHS["primary"] + _PAVEMENT + _FRONT_GARDEN + _TERRACE_DEPTH / 2.0
    for number, side, begin, end in TERRACES:
        street, at = _axis(number), begin
        while end - at > _FRONTS[0]:
            width = min(round(float(rng.uniform(*_FRONTS)), 1), end - at)
            centre, facing = _plot(street, at + width / 2.0, side, away)
            _add_town_house(town, centre, facing, width, rng)
            at += width
        # Paved up to the houses.
        strip = [
            _plot(street, s, side, away - _TERRACE_DEPTH * x)[0]
            for s, x in ((begin, 0.3), (at, 0.3), (at, 0.7), (begin, 0.7))
        ]
        town.area(strip, {"highway": "footway", "area": "yes", "surface": "paving_stones"})


def _add_town_house(
    town: Town, centre: Point, facing: float, width: float, rng: np.random.Generator
) -> None:
    outline = _rectangle(centre, (_TERRACE_DEPTH, width), facing)
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


def _add_houses(town: Town) -> None:
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
                centre, facing = _plot(street, s, side, 17.0 + float(rng.uniform(0.0, 3.0)))
                depth, width = _HOUSE_SIZES[kind][2], _HOUSE_SIZES[kind][0]
                outline = shapely.Polygon(_rectangle(centre, (depth, width), facing))
                if shapely.intersects(blocked, outline.buffer(2.5)):
                    continue
                blocked = shapely.union(blocked, outline)
                _add_house(town, centre, facing, kind=kind, is_node=count % 2 == 0)
                count += 1


def _plot(
    street: shapely.LineString, s: float, side: float, distance: float
) -> tuple[Point, float]:
    """The middle of a house beside a street, and the direction [rad] in which it faces it."""
    here, ahead = street.interpolate(s), street.interpolate(s + 1.0)
    angle = math.atan2(ahead.y - here.y, ahead.x - here.x)
    away = angle + side * math.pi / 2.0
    centre = (here.x + distance * math.cos(away), here.y + distance * math.sin(away))
    return centre, away + math.pi


def _add_house(town: Town, centre: Point, facing: float, *, kind: int, is_node: bool) -> None:
    """Adds a house as a node with a model or, for every other house, as a footprint."""
    width, height, depth = _HOUSE_SIZES[kind]
    if not is_node:
        tags = {"building": "house", "height": f"{height}"}
        town.area(_rectangle(centre, (depth, width), facing), tags)
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


def _blocked_ground(town: Town) -> shapely.Geometry:
    """The area where no house may stand: streets with pavements, parks, water, buildings."""
    streets = [shapely.LineString(points).buffer(9.0) for _, _, _, points in STREETS]
    rings = [shapely.Polygon(ring) for ring in (PARK, POND_PARK, SQUARE, WOOD, MEADOW, LAKE)]
    rings += [outline.buffer(2.0) for outline in town.footprints()]
    others = [
        shapely.box(-80.0, 115.0, -20.0, 148.0),
        shapely.box(78.0, 98.0, 144.0, 128.0),
        shapely.box(-125.0, 312.0, -55.0, 338.0),
        shapely.box(30.0, 208.0, 90.0, 256.0),
        shapely.Point(0.0, 0.0).buffer(R + 12.0),
    ]
    return shapely.union_all([*streets, *rings, *others])


# Points [m] of the footpaths through the parks.
_PARK_PATHS: tuple[tuple[Point, ...], ...] = (
    ((30, 28), (50, 46), (88, 52)),
    ((-90, -20), (-66, -22), (-34, -22), (-22, -40), (-24, -68)),
)
# Places [m] of the trees on the market square.
_SQUARE_TREES: tuple[Point, ...] = (
    (18, -44),
    (18, -60),
    (18, -76),
    (34, -30),
    (34, -76),
    (60, -40),
)
_HALF_WIDTHS = {"primary": 4.5, "secondary": 4.0, "residential": 4.0}
_USUAL_HALF_WIDTH, _PAVEMENT = 3.5, 2.0
"""Half the width [m] of other streets, and the width [m] of pavements, as worlds are compiled."""


def _add_street_furniture(town: Town) -> None:
    """Adds lamps at the kerb of every street, and trees behind its pavement away from buildings."""
    rng = np.random.default_rng(1958)
    clear = _clear_of_buildings(town)
    for number, (_, highway, tags, points) in enumerate(STREETS):
        if highway == "service":
            continue
        street = shapely.LineString(points)
        others = shapely.union_all([_axis(k) for k in range(len(STREETS)) if k != number])
        others = shapely.union(others, shapely.Point(0.0, 0.0).buffer(R))
        half = max(
            float(tags.get("width", "0")) / 2.0, _HALF_WIDTHS.get(highway, _USUAL_HALF_WIDTH)
        )
        # At corners the carriageway is rounded, so that the kerb is not where the axis says.
        avoided = shapely.union(others, shapely.MultiPoint(points[1:-1]))
        for place in _along(street, half + 0.85, spacing=34.0, start=17.0):
            if avoided.distance(shapely.Point(place)) > 13.0:
                town.node(place, {"highway": "street_lamp"})
        for place in _along(street, half + _PAVEMENT + 1.6, spacing=17.0, start=9.0):
            point = shapely.Point(place)
            is_apart = others.distance(point) > 13.0 and avoided.distance(point) > 8.0
            if rng.random() < 0.72 and is_apart and clear(point):
                town.node(place, {"natural": "tree", "height": f"{rng.uniform(5.5, 9.0):.1f}"})


def _axis(number: int) -> shapely.LineString:
    return shapely.LineString(STREETS[number][3])


def _along(street: shapely.LineString, away: float, *, spacing: float, start: float) -> list[Point]:
    """Places every `spacing` metres along a street, `away` metres from its axis, on both sides."""
    stations = np.arange(start, street.length - start / 2.0, spacing).tolist()
    return [
        _plot(street, s + (0.5 * spacing if side < 0.0 else 0.0), side, away)[0]
        for s in stations
        for side in (1.0, -1.0)
        if s + 0.5 * spacing < street.length - start / 2.0
    ]


def _clear_of_buildings(town: Town) -> Callable[[shapely.Point], bool]:
    """Tells whether a tree may stand at a point: away from houses, landmarks and water."""
    shapes = [*town.footprints(), shapely.Polygon(LAKE), shapely.Point(-54.0, -44.0).buffer(18.0)]
    tree = shapely.STRtree(shapes)
    return lambda point: not len(tree.query(point, predicate="dwithin", distance=3.5))


def _add_benches(town: Town) -> None:
    """Adds benches beside the paths of the parks, and under trees on the square."""
    for path in _PARK_PATHS:
        town.way(path, {"highway": "footway"})
        line = shapely.LineString(path)
        for s in np.arange(8.0, line.length - 4.0, 14.0).tolist():
            place, facing = _plot(line, s, 1.0, 2.0)
            direction = math.degrees(math.pi / 2.0 - facing) % 360.0
            town.node(place, {"amenity": "bench", "direction": f"{direction:.0f}"})
    for x, y in _SQUARE_TREES:
        town.node((x, y), {"natural": "tree", "height": "7.5"})
        town.node((x + 2.5, y), {"amenity": "bench", "direction": "90"})


def make_town() -> str:
    """The demo town as the text of an OSM file."""
    town = Town()
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
