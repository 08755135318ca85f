"""Sets up all scenery of a world, and counts the objects that it leaves out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Bytes, Floats
from autosim.world.compiled.compiled_world import CAR, VAN, PropKind, Props
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.meshes import Mesh, joined
from autosim.world.osm.osm_data import OsmNode
from autosim.world.osm.tags import parse_number
from autosim.world.scenery.barriers import barrier_mesh, cores
from autosim.world.scenery.fronts import front_mesh
from autosim.world.scenery.gardens import plant_gardens
from autosim.world.scenery.lamp_posts import place_lamp_posts
from autosim.world.scenery.parked_cars import find_parked
from autosim.world.scenery.posts import post_meshes
from autosim.world.scenery.rails import rail_mesh
from autosim.world.scenery.site import ROAD, Site
from autosim.world.scenery.trees import find_trees

MOST_CORES = 4000
"""Number of props with a solid core at most; each costs physics memory and time."""

_TRUNK, _POST, _SEAT = (0.35, 0.35, 2.5), (0.16, 0.16, 4.0), (0.5, 1.7, 0.45)
"""Size (x, y, z) [m] of the solid cores of trees, lamps and benches: as much as a car can hit."""

_BENCH_HEIGHT = 0.9
"""Height [m] of a bench: a usual one."""

_TURN_X, _TURN_Y = 1.7, 2.3
"""Factors [rad/m] from a tree's place to its yaw: any that give neighbours different yaws."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """Props and rails, which are drawn only, and obstacles, which collide."""

    props: Props
    """Trees, lamps and other things."""
    rails: Mesh
    obstacles: Mesh


def furnish(
    site: Site,
    *,
    blocks: BlockGrid,
    no_build_area: Sequence[BaseGeometry],
    on_ground: Sequence[BaseGeometry],
    tops: Floats,
    houses: Sequence[BaseGeometry],
    left_out: Counter[str],
) -> Scenery:
    """Sets up trees, lamps, benches, parked cars, gardens, barriers, doors, shop fronts and rails.

    Args:
        site: the world without them.
        blocks: the blocks of the world.
        no_build_area: in each block, where no wall may stand.
        on_ground: the outlines of the buildings that stand on the ground.
        tops: height [m] in W of the top of each.
        houses: outlines of houses with gardens.
        left_out: counts the objects that the map puts where nothing may stand.
    """
    trees = find_trees(site)
    left_out["trees on carriageways or in buildings"] += (
        len(site.nodes("natural", "tree")[0]) - trees.mapped
    )
    lamps = place_lamp_posts(site, *_standing(site, "highway", "street_lamp", left_out))
    benches = _standing(site, "amenity", "bench", left_out)
    parked = find_parked(site)
    gardens = plant_gardens(site, houses)
    places = np.vstack([trees.places, lamps.places, benches[1], parked.places, gardens.places])
    counts = (len(trees.places), len(lamps.places), len(benches[1]))
    props = Props(
        kinds=np.concatenate(
            [
                *(trees.kinds, _repeated(PropKind.LAMP, counts[1])),
                *(_repeated(PropKind.BENCH, counts[2]), parked.kinds, gardens.kinds),
            ]
        ),
        positions=site.on_ground(places),
        yaws=np.concatenate(
            [
                *(_turned(trees.places), site.towards_lanes(lamps.places)),
                *(_facing(site, *benches), parked.yaws, gardens.yaws),
            ]
        ),
        heights=np.concatenate(
            [
                *(trees.heights, lamps.heights, np.full(counts[2], _BENCH_HEIGHT)),
                np.where(parked.kinds == PropKind.PARKED_VAN, VAN[2], CAR[2]),
                gardens.heights,
            ]
        ),
    )
    obstacles = [
        barrier_mesh(site, blocks, no_build_area),
        front_mesh(site, on_ground, tops),
        *post_meshes(site, left_out),
        *_cores(props, mapped_trees=trees.mapped, lamps=(len(trees.places), lamps.mapped)),
    ]
    return Scenery(props, rail_mesh(site), joined(obstacles))


def _standing(
    site: Site, key: str, value: str, left_out: Counter[str]
) -> tuple[list[OsmNode], Floats]:
    """The nodes with a tag that are not on a carriageway, with their places (n, 2)."""
    nodes, places = site.nodes(key, value)
    free = site.is_free(places, avoided=ROAD, clearance=0.0, walls=0.0)
    left_out[f"{value} on carriageways or in buildings"] += int((~free).sum())
    return [node for node, is_free in zip(nodes, free, strict=True) if is_free], places[free]


def _repeated(kind: PropKind, count: int) -> Bytes:
    return np.full(count, kind, dtype=np.uint8)


def _turned(places: Floats) -> Floats:
    """A yaw [rad] for each tree that follows from its place, so that neighbours look different."""
    return np.asarray((places[:, 0] * _TURN_X + places[:, 1] * _TURN_Y) % (2.0 * np.pi))


def _facing(site: Site, nodes: list[OsmNode], places: Floats) -> Floats:
    """The direction in which benches look: the stated one, else to the nearest lane."""
    stated = np.array([parse_number(node.tags.get("direction")) or np.nan for node in nodes])
    return np.where(np.isnan(stated), site.towards_lanes(places), np.pi / 2.0 - np.radians(stated))


def _cores(props: Props, *, mapped_trees: int, lamps: tuple[int, int]) -> list[Mesh]:
    """Cores of mapped lamps (the first one, their number), benches and mapped trees.

    There are `MOST_CORES` at most, and those of all parked cars.
    """
    first, count = lamps
    numbers = np.arange(len(props.kinds))
    meshes = [
        cores(props.positions[chosen], yaws=props.yaws[chosen], size=size)
        for kind, size in ((PropKind.PARKED_CAR, CAR), (PropKind.PARKED_VAN, VAN))
        for chosen in [props.kinds == kind]
    ]
    room = MOST_CORES
    for chosen, size in (
        ((numbers >= first) & (numbers < first + count), _POST),
        (props.kinds == PropKind.BENCH, _SEAT),
        (numbers < mapped_trees, _TRUNK),
    ):
        rows = numbers[chosen][:room]
        room -= len(rows)
        meshes.append(cores(props.positions[rows], yaws=props.yaws[rows], size=size))
    return meshes
