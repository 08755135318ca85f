"""A street made by hand, without a map."""

import numpy as np

from autosim.world.osm.highways import BUILT_IN
from autosim.world.streets.street_finding import Street, WayPart
from autosim.world.streets.street_profiles import street_profile


def street(start, end, line, layer=0, highway="residential"):
    profile = street_profile({"highway": highway}, BUILT_IN[highway])
    return Street((WayPart(1, True),), start, end, np.array(line, dtype=float), profile, layer)


def one_way_street(start, end, line, lanes):
    """A motorway of some lanes in the direction of its line."""
    tags = {"highway": "motorway", "oneway": "yes", "lanes": str(lanes)}
    profile = street_profile(tags, BUILT_IN["motorway"])
    return Street((WayPart(1, True),), start, end, np.array(line, dtype=float), profile, 0)
