"""The elements of a house file list."""

from autosim.config.schema import Attribute, Element, Occurs, OpenChildren, ValueType
from autosim.config.schemas.common import POSITIVE_LENGTH, model, name_of, vector

LANDUSE_VALUES = (
    *("residential", "retail", "commercial", "industrial", "forest", "farmland", "farmyard"),
    *("allotments", "brownfield", "cemetery", "construction", "education", "garages", "grass"),
    *("greenhouse_horticulture", "greenfield", "institutional", "landfill", "meadow", "military"),
    *("orchard", "plant_nursery", "quarry", "railway", "recreation_ground", "religious"),
    *("village_green", "vineyard", "winter_sports", "wood", "park"),
)
"""Values of the OSM key `landuse` (wiki.openstreetmap.org/wiki/Key:landuse), and older ones."""

_HOUSE = Element(
    "(house)",
    "Something that may stand there: `house`, `tree` or another static object.",
    (name_of("the model"),),
    (
        model("File", "How it looks.", required=True),
        vector(
            "BoxSize", "Size of its box in the physics.", required=True, interval=POSITIVE_LENGTH
        ),
    ),
    occurs=Occurs.ANY,
)

_LANDUSE = Element(
    "(landuse)",
    "The objects of one land use; the element's name is the value of the OSM key `landuse`. "
    "Places without a land use count as `residential`.",
    open_children=OpenChildren(_HOUSE, "kind of object", ("house", "tree", "object")),
    occurs=Occurs.ANY,
)

HOUSE_LIST = Element(
    "houses",
    "A house file list: the objects that each land use may have.",
    (
        Attribute("version", "Version of the list.", ValueType.TEXT),
        Attribute("generator", "The program that wrote the list.", ValueType.TEXT),
    ),
    open_children=OpenChildren(_LANDUSE, "value of the OSM key landuse", LANDUSE_VALUES),
)
