"""Friction of tyres on the surfaces of streets and ground, relative to dry asphalt.

Source: the mean peak values of J. Y. Wong, Theory of Ground Vehicles (after Taborek, 1957): asphalt
0.85 dry and 0.60 wet, concrete 0.85 and 0.80, earth road 0.68 and 0.55, gravel 0.60, packed snow
0.20, ice 0.10. Stones, wood, metal, grass and loose sand are not in that table; their values are
estimates between those of their neighbours in it.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from autosim.arrays import Floats32
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.tags import Tags, first_value

_ASPHALT = 0.85
"""Friction coefficient of dry asphalt, to which all others are relative: Wong's mean peak value."""

_COEFFICIENTS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (0.85, ("paved", "asphalt", "chipseal", "concrete", "concrete:lanes", "concrete:plates",
            "tartan", "acrylic")),
    (0.77, ("paving_stones", "bricks", "brick", "sett", "cobblestone:flattened", "grass_paver")),
    (0.68, ("unhewn_cobblestone", "cobblestone", "compacted", "fine_gravel", "earth", "ground",
            "dirt", "unpaved", "clay")),
    (0.60, ("gravel", "pebblestone", "stepping_stones", "rock", "wood", "woodchips")),
    (0.55, ("mud", "metal", "metal_grid")),
    (0.45, ("grass", "sand", "salt")),
    (0.20, ("snow",)),
    (0.10, ("ice",)),
)  # fmt: skip

FRICTIONS: Mapping[str, float] = MappingProxyType(
    {name: round(value / _ASPHALT, 2) for value, names in _COEFFICIENTS for name in names}
)
"""Friction of each value of the OSM tag `surface`, relative to asphalt."""

_UNPAVED_CLASSES: Mapping[str, str] = MappingProxyType({"track": "gravel", "unsurfaced": "earth"})
_WINTER_ROADS: Mapping[str, str] = MappingProxyType({"winter_road": "snow", "ice_road": "ice"})

GROUND_FRICTIONS: Mapping[Surface, float] = MappingProxyType(
    {
        Surface.GROUND: FRICTIONS["earth"],
        Surface.PARK: FRICTIONS["grass"],
        Surface.WATER: FRICTIONS["mud"],
        Surface.BALLAST: FRICTIONS["gravel"],
        Surface.PAVEMENT: FRICTIONS["paving_stones"],
        Surface.PAVING: FRICTIONS["paving_stones"],
        Surface.SETT: FRICTIONS["sett"],
        Surface.GRAVEL: FRICTIONS["fine_gravel"],
    }
)
"""Friction of surfaces beside carriageways, relative to asphalt; all others have 1."""

_DRY = (0.60 / _ASPHALT, 0.68 / _ASPHALT, 1.0)
"""Ratio of the friction of dry gravel, a dry earth road and dry asphalt to that of dry asphalt."""

_WET = (0.60 / _ASPHALT, 0.55 / _ASPHALT, 0.60 / _ASPHALT)
"""Ratio of the friction of the same surfaces, wet, to that of dry asphalt. Surfaces with less grip
than gravel lose none in the wet."""


def wet_frictions(frictions: Floats32, wetness: float) -> Floats32:
    """Frictions (n,) relative to dry asphalt of surfaces at some wetness.

    Dry concrete has the grip of asphalt, so it counts as asphalt in the wet, too.

    Args:
        frictions: of the dry surfaces.
        wetness: 0 is dry, 1 wet; friction is interpolated between them.
    """
    if wetness == 0.0:
        return frictions
    wet = np.where(frictions < _DRY[0], frictions, np.interp(frictions, _DRY, _WET))
    return np.asarray(frictions + wetness * (wet - frictions), dtype=np.float32)


def snowy_frictions(frictions: Floats32, snow_cover: float) -> Floats32:
    """Frictions (n,) relative to dry asphalt of surfaces on which snow lies.

    Traffic packs it: what grips better than packed snow grips as that under a closed cover.

    Args:
        frictions: of the surfaces without snow.
        snow_cover: 0 is bare, 1 a closed cover; friction is interpolated between them.
    """
    if snow_cover == 0.0:
        return frictions
    covered = np.minimum(frictions, np.float32(FRICTIONS["snow"]))
    return np.asarray(frictions + snow_cover * (covered - frictions), dtype=np.float32)


def friction_of(tags: Tags) -> float:
    """Friction of a street with these tags, relative to asphalt (1)."""
    for tag, surface in _WINTER_ROADS.items():
        if tags.get(tag) == "yes":
            return FRICTIONS[surface]
    stated = first_value(tags.get("surface", ""))
    if stated in FRICTIONS:
        return FRICTIONS[stated]
    if tags.get("tracktype") == "grade1":
        return 1.0
    return FRICTIONS[_UNPAVED_CLASSES.get(tags.get("highway", ""), "asphalt")]
