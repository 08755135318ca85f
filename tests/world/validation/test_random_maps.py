"""Maps that nobody has seen become worlds: random ones, crops of real ones, and those that hung."""

import math
from pathlib import Path
from random import Random

import numpy as np
import osmium
import pytest
import shapely

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.extent import Window
from autosim.world.lanes.connections import LEFT_OUT_TURNS, MOST_STREAMS
from autosim.world.osm.osm_reader import MAX_WAY_NODES, check_osm, read_osm
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.streets.repeated_streets import REPEATED
from tests.conftest import shared
from tests.world.maps import CROSSING, MAPS, RESIDENTIAL, Way, build_map, write_map
from tests.world.random_maps import random_map

MOSCOW = "osm/crashes/moscow_divide_ground__window_55.8167823,37.6097666,2400.osm.gz"
EXTRACTS = sorted(
    path.relative_to(MAPS.parent).as_posix()
    for folder in ("city", "pbf")
    for path in (MAPS / folder).glob("*.osm*")
)
NO_STREET = "there is no street in "


def build(path: Path, window: Window | None = None) -> CompiledWorld | None:
    """The world of a map; None where the map, or the window, holds no street."""
    try:
        return build_world(
            path, window=window, driving_side="right", processes=1, diagnostics=Diagnostics()
        )
    except ConfigError as fault:
        if NO_STREET not in str(fault):
            raise
        return None


def star(count: int) -> list[Way]:
    angles = [2.0 * math.pi * k / count for k in range(count)]
    ends = [(round(100.0 * math.cos(a), 3), round(100.0 * math.sin(a), 3)) for a in angles]
    return [(((0.0, 0.0), end), RESIDENTIAL) for end in ends]


def test_a_polygon_that_touches_a_block_in_one_vertex_costs_no_world():
    world = build(shared(MOSCOW), Window(55.8167823, 37.6097666, 2400.0))
    assert world is not None
    assert not [reason for reason, _ in world.left_out if "GEOS" in reason]


@pytest.mark.parametrize("name", ["random_lay_bridges", "star63_hang"])
def test_maps_that_broke_the_compiler_become_worlds(name):
    assert build(shared(f"osm/crashes/{name}.osm.gz")) is not None


@pytest.mark.parametrize("count", [12, 28, 63])
def test_a_junction_has_a_bounded_number_of_streams_and_each_street_is_reached(tmp_path, count):
    world = build_map(tmp_path, star(count))
    roads = world.roads
    connectors = int(roads.connectors.sum())
    assert connectors <= MOST_STREAMS + count
    assert len(roads.traffic.conflict_lanes) <= connectors**2 / 2
    assert (LEFT_OUT_TURNS in dict(world.left_out)) == (count > 16)
    followers = np.unique(roads.successors)
    assert np.unique(roads.roads[followers[~roads.connectors[followers]]]).size == count


@pytest.mark.parametrize("has_own_nodes", [False, True])
def test_copies_of_a_way_are_one_street(tmp_path, has_own_nodes):
    line = ((0.0, 0.0), (80.0, 10.0), (170.0, 0.0))
    side = (((170.0, 0.0), (260.0, 40.0)), RESIDENTIAL)
    # Points that differ by less than a file's digits are different nodes at the same place.
    copies = [[(x, y + (k % 20) * 1e-12 * has_own_nodes) for x, y in line] for k in range(20)]
    ways = [(copy[::-1] if k % 2 else copy, RESIDENTIAL) for k, copy in enumerate(copies)]
    world = build_map(tmp_path, [*ways, side])
    alone = build_map(tmp_path, [(line, RESIDENTIAL), side])
    assert dict(world.left_out)[REPEATED] == 38
    lanes = shapely.linestrings(world.roads.points[:, :2], indices=world.roads.lane_of_points())
    others = shapely.linestrings(alone.roads.points[:, :2], indices=alone.roads.lane_of_points())
    assert shapely.length(lanes).sum() == pytest.approx(shapely.length(others).sum(), rel=0.02)


def test_opposite_one_way_copies_keep_both_directions(tmp_path):
    line = ((0.0, 0.0), (80.0, 10.0), (170.0, 0.0))
    one_way = RESIDENTIAL | {"oneway": "yes"}
    world = build_map(tmp_path, [(line, one_way), (line[::-1], one_way)])
    assert REPEATED not in dict(world.left_out)


def test_a_way_of_endless_nodes_is_cut_with_a_notice(tmp_path):
    line = [((0.0, 0.0), (90.0, 5.0))[k % 2] for k in range(MAX_WAY_NODES + 7)]
    path = write_map(tmp_path, [(line, RESIDENTIAL), *CROSSING])
    data = read_osm(path)
    assert [len(way.refs) for way in data.ways] == [MAX_WAY_NODES, 3, 3]
    (found,) = check_osm(path)
    assert f"way 1: {MAX_WAY_NODES + 7} nodes, where OpenStreetMap allows 2000" in found.message


def test_a_way_that_goes_back_and_forth_is_one_street(tmp_path):
    line = [((0.0, 0.0), (90.0, 5.0))[k % 2] for k in range(2000)]
    world = build_map(tmp_path, [(line, RESIDENTIAL)])
    assert dict(world.left_out) == {REPEATED: 1998}


@pytest.mark.parametrize("seed", [*range(5), 104])
def test_random_maps_become_worlds(tmp_path, seed):
    check_random_map(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(5, 305, 20))
def test_many_random_maps_become_worlds(tmp_path, first):
    for seed in range(first, first + 20):
        check_random_map(tmp_path, seed)


def check_random_map(folder: Path, seed: int) -> None:
    path = folder / f"{seed}.osm"
    path.write_text(random_map(seed), encoding="utf-8")
    build(path)


def test_a_crop_of_a_town_becomes_a_world(tmp_path):
    check_crops(tmp_path, shared("osm/city/neukolln.osm"), seeds=range(1))


@pytest.mark.long
@pytest.mark.parametrize("name", EXTRACTS)
def test_random_crops_become_worlds(tmp_path, name):
    check_crops(tmp_path, shared(name), seeds=range(4))


def check_crops(folder: Path, path: Path, seeds: range) -> None:
    """Builds random windows of a map, and files that a user has cut out of it."""
    data = read_osm(path)
    rows = np.concatenate([data.rows(way.refs) for way in data.ways if "highway" in way.tags])
    for seed in seeds:
        random = Random(f"{path.name} {seed}")
        latitude, longitude = data.places[rows[random.randrange(len(rows))]].tolist()
        build(path, Window(latitude, longitude, random.uniform(250.0, 1200.0)))
        build(cropped(path, folder, random, latitude, longitude))


def cropped(path: Path, folder: Path, random: Random, latitude: float, longitude: float) -> Path:
    """A file with the nodes in a box; ways end at its border, or are left incomplete."""
    half = random.uniform(0.001, 0.006)
    is_clipped = random.random() < 0.5
    target = folder / "crop.osm.pbf"
    target.unlink(missing_ok=True)
    inside: set[int] = set()
    with osmium.SimpleWriter(str(target)) as writer:
        for each in osmium.FileProcessor(str(path)):
            if each.is_node():
                place = each.location
                if max(abs(place.lat - latitude), abs(place.lon - longitude)) < half:
                    inside.add(each.id)
                    writer.add_node(each)
            elif each.is_way():
                refs = [node.ref for node in each.nodes]
                kept = [ref for ref in refs if ref in inside]
                if len(kept) > 1:
                    writer.add_way(each.replace(nodes=kept if is_clipped else refs))
            else:
                writer.add_relation(each)
    return target
