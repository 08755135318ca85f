"""Tells bus stops."""

from autosim.world.osm.tags import Tags


def is_bus_stop(tags: Tags) -> bool:
    """Whether a node is the pole or the platform of a bus stop."""
    if tags.get("highway") == "bus_stop":
        return True
    return tags.get("public_transport") == "platform" and tags.get("bus") == "yes"
