"""Layout of the demo's town: its streets, parks, houses and lights.

The town is invented: a ring of streets around a roundabout, with a park, a pond and houses along
every street. Positions [m] are those of the world: east and north of the roundabout.
"""

from autosim_assets.town_map import Point, Tags, circle

ORIGIN = (-31.9728, 115.827)
"""Latitude and longitude [deg] of the roundabout: in Perth, where traffic keeps left."""

ROUNDABOUT_RADIUS = 22.0
"""Radius [m] of the roundabout's axis: room for a park inside."""

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
    (
        "Pond Street",
        "residential",
        {"parking:both": "lane"},
        ((-110, 0), (-110, -50), (-96, -84), (-60, -92), (0, -90)),
    ),
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

# Junctions with signals [m], which lie on streets.
SIGNALS: tuple[Point, ...] = ((0, 90), (0, 180))

# Pedestrian crossings: the number of the street and how far along it [m].
ZEBRAS: tuple[tuple[int, float], ...] = (
    (0, 124.0), (2, 34.0), (2, 124.0), (4, 38.0), (5, 38.0), (4, 160.0), (11, 26.0),
)  # fmt: skip
# Crossings that have signals [m], as above: on the arms of those junctions.
SIGNAL_CROSSINGS: tuple[tuple[int, float], ...] = (
    (0, 55.0), (10, 13.0), (13, 13.0), (0, 145.0), (6, 14.0),
)  # fmt: skip

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

# Rows of town houses: the number of the street, its side (1: left), from and to [m] along it.
TERRACES: tuple[tuple[int, float, float, float], ...] = (
    (0, 1.0, 16.0, 54.0),
    (0, 1.0, 84.0, 142.0),
    (0, -1.0, 78.0, 142.0),
    (2, -1.0, 82.0, 142.0),
    (2, 1.0, 82.0, 142.0),
)

# Points [m] of the footpaths through the parks.
PARK_PATHS: tuple[tuple[Point, ...], ...] = (
    ((30, 28), (50, 46), (88, 52)),
    ((-90, -20), (-66, -22), (-34, -22), (-22, -40), (-24, -68)),
)
# Places [m] of the trees on the market square.
SQUARE_TREES: tuple[Point, ...] = (
    (18, -44),
    (18, -60),
    (18, -76),
    (34, -30),
    (34, -76),
    (60, -40),
)
