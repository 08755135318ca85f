"""Everything that stands along the streets of a world, counted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Bytes, Floats
from autosim.world.compiled.compiled import PropKind, Props
from autosim.world.geometry.blocks import BlockGrid
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.osm.osm_data import OsmNode
from autosim.world.osm.tags import parse_length, parse_number
from autosim.world.scenery.barriers import barrier_mesh, cores
from autosim.world.scenery.rails import rail_mesh
from autosim.world.scenery.site import ROAD, Site
from autosim.world.scenery.trees import find_trees

MOST_CORES = 4000
"""At most this many props have a solid core; physics pays for each."""

_TRUNK, _POST, _SEAT = (0.35, 0.35, 2.5), (0.16, 0.16, 4.0), (0.5, 1.7, 0.45)
_LAMP_HEIGHT, _BENCH_HEIGHT = 6.5, 0.9
_LOWEST_LAMP, _HIGHEST_LAMP = 3.0, 14.0


@dataclass(frozen=True, slots=True)
class Scenery:
    """`props` and `rails` for the eye, `obstacles` that collide."""

    props: Props
    rails: Mesh
    obstacles: Mesh


def furnish(
    site: Site,
    *,
    blocks: BlockGrid,
    no_build_area: Sequence[BaseGeometry],
    left_out: Counter[str],
) -> Scenery:
    """Sets up trees, lamps, benches, walls, fences and rails.

    Args:
        site: the world without them.
        blocks: in which the world was made.
        no_build_area: in each block, where no wall may stand.
        left_out: counts what stood where it must not.
    """
    trees = find_trees(site)
    left_out["trees on carriageways or in buildings"] += (
        len(site.nodes("natural", "tree")[0]) - trees.mapped
    )
    lamps = _standing(site, "highway", "street_lamp", left_out)
    benches = _standing(site, "amenity", "bench", left_out)
    places = np.vstack([trees.places, lamps[1], benches[1]])
    counts = (len(trees.places), len(lamps[1]), len(benches[1]))
    props = Props(
        kinds=np.concatenate(
            [trees.kinds, _repeated(PropKind.LAMP, counts[1]), _repeated(PropKind.BENCH, counts[2])]
        ),
        positions=site.on_ground(places),
        yaws=np.concatenate(
            [_turned(trees.places), site.towards_lanes(lamps[1]), _facing(site, *benches)]
        ),
        heights=np.concatenate(
            [trees.heights, _lamp_heights(lamps[0]), np.full(counts[2], _BENCH_HEIGHT)]
        ),
    )
    obstacles = [
        barrier_mesh(site, blocks, no_build_area),
        *_cores(props, mapped_trees=trees.mapped),
    ]
    return Scenery(props, rail_mesh(site), joined(obstacles))


def _standing(
    site: Site, key: str, value: str, left_out: Counter[str]
) -> tuple[list[OsmNode], Floats]:
    """Nodes that are not on a carriageway, with their places (n, 2)."""
    nodes, places = site.nodes(key, value)
    free = site.is_free(places, avoided=ROAD, clearance=0.0, walls=0.0)
    left_out[f"{value} on carriageways or in buildings"] += int((~free).sum())
    return [node for node, is_free in zip(nodes, free, strict=True) if is_free], places[free]


def _repeated(kind: PropKind, count: int) -> Bytes:
    return np.full(count, kind, dtype=np.uint8)


def _turned(places: Floats) -> Floats:
    """A yaw [rad] for each tree, by its place, so that no two look alike."""
    return np.asarray((places[:, 0] * 1.7 + places[:, 1] * 2.3) % (2.0 * np.pi))


def _facing(site: Site, nodes: list[OsmNode], places: Floats) -> Floats:
    """Where sitters look: the stated direction, else to the nearest lane."""
    stated = np.array([parse_number(node.tags.get("direction")) or np.nan for node in nodes])
    return np.where(np.isnan(stated), site.towards_lanes(places), np.pi / 2.0 - np.radians(stated))


def _lamp_heights(nodes: list[OsmNode]) -> Floats:
    stated = [parse_length(node.tags.get("height")) or _LAMP_HEIGHT for node in nodes]
    return np.clip(np.array(stated, dtype=np.float64), _LOWEST_LAMP, _HIGHEST_LAMP)


def _cores(props: Props, *, mapped_trees: int) -> list[Mesh]:
    """Cores of lamps, benches and the mapped trees, as many as there may be."""
    numbers = np.arange(len(props.kinds))
    meshes: list[Mesh] = []
    room = MOST_CORES
    for chosen, size in (
        (props.kinds == PropKind.LAMP, _POST),
        (props.kinds == PropKind.BENCH, _SEAT),
        (numbers < mapped_trees, _TRUNK),
    ):
        rows = numbers[chosen][:room]
        room -= len(rows)
        meshes.append(cores(props.positions[rows], yaws=props.yaws[rows], size=size))
    return meshes
