"""Bollards and traffic signs: posts as closed solids, which stop cars."""

from collections import Counter

import numpy as np

from autosim.arrays import Floats
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.osm.osm_data import OsmNode
from autosim.world.osm.tags import Tags
from autosim.world.scenery.barriers import cores
from autosim.world.scenery.site import ROAD, Site

MOST_POSTS = 2000
"""Number of bollards and signs at most; each costs physics memory, as trunks and posts do."""

_BOLLARD, _POST = (0.18, 0.18, 0.9), (0.07, 0.07, 2.75)
"""Size (x, y, z) [m] of a bollard and of a sign's post: usual ones."""

_PLATE, _PLATE_FROM = (0.6, 0.04, 2.7), 2.1
"""Width, thickness and top [m] of a sign's plate, and its lower edge: people walk under it. Its
faces look along the street."""

_CLEARANCE = 0.1
"""Distance [m] that posts keep from kerbs."""


def is_post(tags: Tags) -> bool:
    """Whether a node is a bollard or a traffic sign."""
    return tags.get("barrier") == "bollard" or "traffic_sign" in tags


def post_meshes(site: Site, left_out: Counter[str]) -> list[Mesh]:
    """The posts that are off carriageways; `left_out` counts the others."""
    nodes = [node for node in site.data.tagged_nodes if is_post(node.tags)]
    places = _places(site, nodes)
    inside = site.is_inside(places)
    free = inside & site.is_free(places, avoided=ROAD, clearance=_CLEARANCE, walls=0.0)
    left_out["bollards and signs on carriageways or in buildings"] += int((inside & ~free).sum())
    rows = np.flatnonzero(free)[:MOST_POSTS]
    feet = site.on_ground(places[rows])
    yaws = site.towards_lanes(places[rows])
    signs = np.array(["traffic_sign" in nodes[row].tags for row in rows.tolist()], dtype=np.bool_)
    return [
        cores(feet[~signs], yaws=yaws[~signs], size=_BOLLARD, surface=Surface.STEEL),
        cores(feet[signs], yaws=yaws[signs], size=_POST, surface=Surface.STEEL),
        cores(feet[signs], yaws=yaws[signs], size=_PLATE, surface=Surface.SIGN, above=_PLATE_FROM),
    ]


def _places(site: Site, nodes: list[OsmNode]) -> Floats:
    return site.points[site.data.rows(tuple(node.id for node in nodes))].reshape(-1, 2)
