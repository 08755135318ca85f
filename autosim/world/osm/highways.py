"""Defaults of each drivable OSM `highway` value, for ways whose tags do not say more.

The widths are those of common design guides (3.25 m lanes in towns, 3.75 m on motorways);
a map set-up replaces them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from autosim.config.descriptions import MapSetup
from autosim.world.osm.tags import KMH, Tags, layer_of

_RAILWAYS = frozenset({"rail", "tram", "light_rail", "narrow_gauge", "preserved", "funicular"})
"""Values of `railway` of which rails are in use."""


def is_railway(tags: Tags) -> bool:
    """Whether a way is a railway on the ground."""
    return tags.get("railway") in _RAILWAYS and layer_of(tags) == 0


@dataclass(frozen=True, slots=True)
class HighwayClass:
    """Defaults of one `highway` value.

    `width`, `one_way_width` [m] of the carriageway; `pavement` [m] of each pavement (left, right);
    `speed_limit` [m/s]; `rank` orders classes for routes, 0 is the most important.
    """

    width: float
    one_way_width: float
    pavement: tuple[float, float]
    speed_limit: float
    rank: int


def _entry(
    width: float, one_way: float, pavement: float, speed_kmh: float, rank: int
) -> HighwayClass:
    return HighwayClass(width, one_way, (pavement, pavement), speed_kmh * KMH, rank)


BUILT_IN: Mapping[str, HighwayClass] = MappingProxyType(
    {
        "motorway": _entry(16.0, 8.5, 0.0, 110.0, 0),
        "trunk": _entry(8.0, 7.5, 0.0, 80.0, 1),
        "primary": _entry(8.0, 7.0, 2.0, 60.0, 2),
        "secondary": _entry(7.5, 6.5, 2.0, 50.0, 3),
        "tertiary": _entry(7.0, 5.5, 2.0, 50.0, 4),
        "unclassified": _entry(6.5, 5.0, 1.5, 50.0, 5),
        "residential": _entry(6.5, 5.0, 1.5, 50.0, 5),
        "living_street": _entry(5.5, 4.5, 1.0, 15.0, 6),
        "road": _entry(6.0, 5.0, 0.0, 50.0, 6),
        "motorway_link": _entry(7.5, 5.0, 0.0, 60.0, 2),
        "trunk_link": _entry(7.5, 5.0, 0.0, 50.0, 3),
        "primary_link": _entry(7.0, 5.0, 0.0, 50.0, 3),
        "secondary_link": _entry(7.0, 4.5, 0.0, 50.0, 4),
        "tertiary_link": _entry(6.5, 4.5, 0.0, 50.0, 5),
        "unsurfaced": _entry(4.0, 3.5, 0.0, 30.0, 7),
        "service": _entry(4.5, 4.0, 0.0, 20.0, 8),
        "track": _entry(3.0, 3.0, 0.0, 20.0, 9),
    }
)
"""The classes of a world without a set-up. Paths, footways and steps are not drivable."""


def highway_classes(setup: MapSetup | None) -> Mapping[str, HighwayClass]:
    """The classes to build: those of the set-up if it names any, else the built-in ones."""
    if setup is None or not setup.highways:
        return BUILT_IN
    return {
        name: HighwayClass(
            size.width,
            size.width,
            (size.left_pavement_width, size.right_pavement_width),
            BUILT_IN.get(name, BUILT_IN["road"]).speed_limit,
            BUILT_IN.get(name, BUILT_IN["road"]).rank,
        )
        for name, size in setup.highways
    }
