"""Random maps with what surveyors, imports and editing mistakes put into real ones."""

from random import Random

from tests.world.maps import Member, Point, Way, osm_text

_CLASSES = (
    *("motorway", "motorway_link", "primary", "secondary", "tertiary", "residential"),
    *("living_street", "service", "track", "unclassified", "footway", "cycleway", "path"),
    *("pedestrian", "steps"),
)
_AREAS = (
    {"building": "yes"},
    {"building": "house", "building:levels": "3", "roof:shape": "gabled"},
    {"building:part": "yes", "min_height": "3", "height": "9"},
    {"landuse": "grass"},
    {"natural": "water"},
    {"amenity": "parking"},
    {"highway": "pedestrian", "area": "yes"},
    {"leisure": "park"},
)
_NODES = ({"highway": "traffic_signals"}, {"highway": "crossing"}, {"natural": "tree"})


def random_map(seed: int) -> str:
    """An OSM file with streets, areas and relations; the same for the same seed.

    Ways cross without a common node, lie on one another with common and with separate nodes, touch
    themselves, repeat nodes, and have edges from no length to 300 m; some are bridges and tunnels
    without ramps. Rings cross themselves; relations lack members.
    """
    random = Random(seed)
    places = _places(random)
    streets = [_street(random, places) for _ in range(random.randint(1, 24))]
    ways: list[Way] = []
    for street in streets:
        ways += _repeated(random, street)
    areas = [_area(random) for _ in range(random.randint(0, 14))]
    relations = []
    for _ in range(random.randint(0, 3)):
        members: list[Member] = [
            (
                "way",
                random.randint(1, len(ways) + len(areas) + 2),
                random.choice(("outer", "inner")),
            )
            for _ in range(random.randint(1, 4))
        ]
        relations.append((members, {"type": "multipolygon", **random.choice(_AREAS)}))
    tagged = [(place, random.choice(_NODES)) for place in random.sample(places, 4)]
    return osm_text([*ways, *areas], nodes=tagged, relations=relations)


def _places(random: Random) -> list[Point]:
    """Points [m]: of a grid, anywhere, and close to or at others."""
    size = random.choice((60.0, 150.0, 400.0))
    step = size / 4.0
    places = [(step * i, step * j) for i in range(-2, 3) for j in range(-2, 3)]
    places += [(random.uniform(-size, size), random.uniform(-size, size)) for _ in range(12)]
    for x, y in random.sample(places, 5):
        gap = random.choice((1e-7, 1e-3, 0.2, 2.0))
        places.append((x + gap, y))
    # A map has no more digits than this.
    return [(round(x, 6), round(y, 6)) for x, y in places]


def _street(random: Random, places: list[Point]) -> Way:
    line = random.sample(places, random.randint(2, 6))
    kind = random.randrange(6)
    if kind == 0:
        line.append(line[0])
    elif kind == 1:
        line.insert(1, line[0])
    elif kind == 2:
        line += line[-2::-1]
    elif kind == 3 and len(line) > 3:
        line.append(line[1])
    tags = {"highway": random.choice(_CLASSES)}
    for key, values in {
        "lanes": ("1", "2", "3", "5"),
        "oneway": ("yes", "-1"),
        "width": ("2", "5", "12"),
        "sidewalk": ("both", "none", "left"),
        "parking:both": ("lane", "street_side"),
        "junction": ("roundabout",),
    }.items():
        if random.random() < 0.2:
            tags[key] = random.choice(values)
    if random.random() < 0.2:
        tags |= random.choice(
            (
                {"bridge": "yes", "layer": random.choice(("1", "2"))},
                {"tunnel": "yes", "layer": "-1"},
                {"layer": "-1"},
            )
        )
    return line, tags


def _repeated(random: Random, street: Way) -> list[Way]:
    """The street, and sometimes copies of it, with the same nodes or with nodes beside them."""
    line, tags = street
    ways: list[Way] = [street]
    if random.random() < 0.15:
        gap = random.choice((0.0, 1e-7, 0.05, 1.2))
        other = [(round(x + gap, 7), y) for x, y in line]
        for _ in range(random.randint(1, 3)):
            ways.append((other[::-1] if random.random() < 0.5 else other, tags))
    return ways


def _area(random: Random) -> Way:
    """A ring [m], which may cross itself, touch itself, or have no area."""
    x, y, size = random.uniform(-120, 120), random.uniform(-120, 120), random.uniform(0.5, 40.0)
    kind = random.randrange(5)
    ring = [(x, y), (x + size, y), (x + size, y + size), (x, y + size)]
    if kind == 0:
        random.shuffle(ring)
    elif kind == 1:
        ring += [(x + 2.0 * size, y), (x + size, y)]
    elif kind == 2:
        ring = [(x + random.uniform(0, size), y + random.uniform(0, size)) for _ in range(9)]
    elif kind == 3:
        ring = [(x, y), (x + size, y), (x, y)]
    ring = [(round(a, 3), round(b, 3)) for a, b in ring]
    return [*ring, ring[0]], random.choice(_AREAS)
