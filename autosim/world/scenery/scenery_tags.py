"""Tells which objects of a map are scenery."""

from autosim.world.osm.highways import is_railway
from autosim.world.osm.tags import Tags
from autosim.world.scenery.barriers import is_barrier
from autosim.world.scenery.fronts import is_front
from autosim.world.scenery.posts import is_post
from autosim.world.streets.bus_stop_tags import is_bus_stop
from autosim.world.streets.crossings import is_marked_crossing

_SIGNS = frozenset({"street_lamp", "traffic_signals", "stop", "give_way"})


def is_line_scenery(tags: Tags) -> bool:
    """Whether a way is a wall, a fence, a hedge, a railway or a row of trees."""
    return is_barrier(tags) or is_railway(tags) or tags.get("natural") == "tree_row"


def is_point_scenery(tags: Tags) -> bool:
    """Whether a node is a tree, lamp, bench, post, shop, door or bus stop, or decides a marking."""
    return (
        tags.get("natural") == "tree"
        or tags.get("amenity") == "bench"
        or tags.get("highway") in _SIGNS
        or is_marked_crossing(tags)
        or is_bus_stop(tags)
        or is_front(tags)
        or is_post(tags)
    )
