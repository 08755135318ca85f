"""The elements of a map set-up file (`setup.xml`)."""

from autosim.config.schema import Attribute, Element, Interval, OpenChildren, ValueType
from autosim.config.schemas.common import POSITIVE_LENGTH, parameter, section_name

HIGHWAY_VALUES = (
    *("motorway", "motorway_link", "trunk", "trunk_link", "primary", "primary_link"),
    *("secondary", "secondary_link", "tertiary", "tertiary_link", "unclassified", "unsurfaced"),
    *("residential", "living_street", "service", "road", "track", "pedestrian", "busway"),
    *("bus_guideway", "raceway", "escape", "footway", "cycleway", "path", "bridleway", "steps"),
    *("corridor", "construction", "proposed", "minor", "byway"),
)
"""Values of the OSM key `highway` (wiki.openstreetmap.org/wiki/Key:highway), and older ones."""

_WIDTH = Interval(0.5, 100.0)
_PAVEMENT = Interval(0.0, 50.0)

_OSM_SETUP = Element(
    "OsmSetup",
    "Where the world lies on the earth.",
    (section_name(),),
    (
        Element(
            "NodeOffset",
            "Origin of the world, WGS 84. When not given, it is the median latitude and longitude "
            "of the nodes of the map's streets (of its paths, in a map without streets), or the "
            "centre of a window without a height map. `autosim world info` prints it.",
            (
                Attribute(
                    "lat", "Latitude.", unit="°", required=True, interval=Interval(-85.0, 85.0)
                ),
                Attribute(
                    "lon", "Longitude.", unit="°", required=True, interval=Interval(-180.0, 180.0)
                ),
            ),
        ),
    ),
)

_ROAD_DIMENSIONS = Element(
    "RoadDimensions",
    "Dimensions that all roads share.",
    (section_name(),),
    (
        parameter(
            "HeightAboveTerrain",
            "How far roads lie above the terrain; beside them the ground falls away to it.",
            unit="m",
            default=0.0,
            interval=Interval(0.0, 10.0),
        ),
        parameter(
            "CurbHeight",
            "Height of the kerb above the carriageway, for wheels and for the eye.",
            unit="m",
            default=0.15,
            interval=Interval(0.0, 1.0),
        ),
        parameter(
            "LevelsOfDetail",
            "1: roads are drawn in full as far as the world is drawn. 2: in full as far as the "
            "terrain is, and beyond in mean colours. 3 and more: their markings end at a half, a "
            "third, ... of that. When not given, roads have the levels of the terrain "
            "(TerrainDimensions).",
            default=2,
            interval=Interval(1, 8),
            type=ValueType.INTEGER,
        ),
    ),
)

_HIGHWAY = Element(
    "(highway)",
    "A kind of road; the element's name is the value of the OSM key `highway`.",
    (
        Attribute("width", "Of the carriageway.", unit="m", required=True, interval=_WIDTH),
        Attribute(
            "leftPavementWidth", "Of the left pavement.", unit="m", default=0.0, interval=_PAVEMENT
        ),
        Attribute(
            "rightPavementWidth",
            "Of the right pavement.",
            unit="m",
            default=0.0,
            interval=_PAVEMENT,
        ),
    ),
)

_HIGHWAY_DIMENSIONS = Element(
    "HighwayDimensions",
    "The kinds of roads that are built, and their widths; a built-in table when empty.",
    (section_name(),),
    open_children=OpenChildren(_HIGHWAY, "value of the OSM key highway", HIGHWAY_VALUES),
)


def _picture(name: str, description: str) -> Element:
    file = Attribute("file", "", ValueType.PATH, required=True)
    return Element(name, description, (file,))


_ROAD_TEXTURES = Element(
    "RoadTextures",
    "Pictures on the roads, instead of AutoSim's own textures. A picture that repeats without a "
    "seam; looked up beside this file, then as all paths.",
    (section_name(),),
    (
        _picture("Road", "Carriageway; repeated every 4 m."),
        _picture(
            "LeftPavement",
            "Pavements left of their streets, seen in the direction in which the map draws them, "
            "and right of them where no other picture is given; repeated every 2.4 m.",
        ),
        _picture("RightPavement", "Pavements right of their streets."),
        _picture("LeftCurb", "Kerbs, as LeftPavement; repeated every 1 m."),
        _picture("RightCurb", "Kerbs right of their streets."),
        _picture(
            "Intersection",
            "Carriageway where three or more streets meet. An even number of triangles around the "
            "centre has the part of the picture between (0, 0), (0, 1) and (1, 1), which is the "
            "centre, so that no seam shows.",
        ),
    ),
)

_SKY_BOX = Element(
    "SkyBox",
    "The six pictures of the sky, instead of AutoSim's own. They stand still: sun, haze and light "
    "stay as they are.",
    (
        Attribute(
            "path",
            "Folder with 1 (left), 2 (front, which is north), 3 (right), 4 (back), 5 (top), "
            "6 (bottom).",
            ValueType.PATH,
            required=True,
        ),
        Attribute(
            "type", "Extension of the pictures; any when not given.", ValueType.TEXT, default=""
        ),
    ),
)

_TERRAIN_TEXTURES = Element(
    "TerrainTextures",
    "Pictures on the terrain and on the sky.",
    (section_name(),),
    (
        _picture("Texture", "Ground that is neither road, park nor water."),
        parameter(
            "TextureRepeat",
            "How often the picture is repeated along each side of the terrain.",
            default=1.0,
            interval=Interval(0.001, 1e6),
        ),
        _SKY_BOX,
    ),
)

_EXTENT = Interval(1.0, 1e5)

_TERRAIN_DIMENSIONS = Element(
    "TerrainDimensions",
    "Extent of the terrain and detail of its mesh.",
    (section_name(),),
    (
        Element(
            "Size",
            "Extent of the terrain; that of the map when not given.",
            (
                Attribute("width", "West to east.", unit="m", required=True, interval=_EXTENT),
                Attribute("height", "South to north.", unit="m", required=True, interval=_EXTENT),
            ),
        ),
        parameter(
            "TileSize",
            "Width of a ring of detail around the camera; a multiple of HeightDataPerArea. The "
            "tiles that come and go are always 250 m wide.",
            unit="m",
            default=64.0,
            interval=Interval(1.0, 1e4),
        ),
        parameter(
            "MaximumLOD",
            "Detail in the middle. It falls by one at a time; up to where none is left, after "
            "TileSize x LayersOfEachLOD x MaximumLOD [m], the world is drawn in full, and beyond "
            "in mean colours.",
            default=6,
            interval=Interval(1, 7),
            type=ValueType.INTEGER,
        ),
        parameter(
            "LevelsOfDetail",
            "1: the world is drawn in full wherever it is seen. 2 and more: in full near the "
            "camera (MaximumLOD), and from afar without textures, markings and props.",
            default=3,
            interval=Interval(1, 8),
            type=ValueType.INTEGER,
        ),
        parameter(
            "LayersOfEachLOD",
            "Rings of TileSize in which the detail stays (see MaximumLOD).",
            default=1,
            interval=Interval(1, 64),
            type=ValueType.INTEGER,
        ),
        parameter(
            "HeightDataPerArea",
            "Spacing of the samples of the height map; divides TileSize.",
            unit="m",
            default=8.0,
            interval=POSITIVE_LENGTH,
        ),
        parameter(
            "CameraStepsPerTile",
            "How often the client looks for tiles to show: whenever a camera has moved by TileSize "
            "/ CameraStepsPerTile; -1: for every picture. Pictures do not depend on it.",
            default=2.0,
            interval=Interval(-1.0, 64.0),
        ),
        parameter(
            "HeightDivisionCoefficient",
            "Divides the samples of a grey picture into metres. Black is 0 and white 255, in "
            "pictures of 8 and of 16 bits; floating-point samples (TIFF) are taken as they are.",
            unit="1/m",
            default=10.0,
            interval=Interval(0.001, 1e6),
        ),
    ),
)

MAP_SETUP = Element(
    "Setup",
    "A map set-up file: where the world lies and how its roads and terrain are built. Its name "
    "in a map folder is `setup.xml`.",
    (Attribute("name", "Name of the map.", ValueType.TEXT, required=True),),
    (
        Element(
            "TerrainSetup",
            "All sections of the file.",
            children=(
                _OSM_SETUP,
                _ROAD_DIMENSIONS,
                _HIGHWAY_DIMENSIONS,
                _ROAD_TEXTURES,
                _TERRAIN_TEXTURES,
                _TERRAIN_DIMENSIONS,
            ),
        ),
    ),
)
