"""Nothing of a map is lost silently: every object is used, or ignored for a reason."""

import numpy as np
import pytest

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.world.geometry.extent import Window
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import CROSSING, MAPS, ORIGIN, TOWN, build_map, write_map

SQUARE = ((20.0, 20.0), (40.0, 20.0), (40.0, 40.0), (20.0, 40.0), (20.0, 20.0))


def account(world):
    return dict(world.used), dict(world.ignored)


def test_streets_and_buildings_are_used_with_their_nodes(tmp_path):
    world = build_map(tmp_path, [*CROSSING, (SQUARE, {"building": "yes"})])
    used, ignored = account(world)
    assert used == {"nodes": 9, "ways": 3, "relations": 0}
    assert ignored == {}


@pytest.mark.parametrize(
    ("line", "tags", "reason"),
    [
        (((10.0, 10.0), (30.0, 10.0)), {"highway": "proposed"}, "ways: highway=proposed"),
        (((10.0, 10.0), (30.0, 10.0)), {"railway": "razed"}, "ways: railway"),
        (((10.0, 10.0), (30.0, 10.0)), {}, "ways: no tags"),
        (SQUARE[:4], {"building": "yes"}, "ways: areas whose ring is not closed"),
        (((10.0, 10.0),), {"highway": "residential"}, "ways: fewer than two nodes"),
        (((9e3, 0.0), (9.1e3, 0.0)), {"highway": "service"}, "ways: beyond the window"),
    ],
)
def test_a_way_that_is_not_built_has_a_reason(tmp_path, line, tags, reason):
    _, ignored = account(build_map(tmp_path, [*CROSSING, (line, tags)]))
    assert ignored == {reason: 1, "nodes: of ways that are not used": len(set(line))}


def test_single_nodes_have_a_reason(tmp_path):
    others = [((50.0, 50.0), {"highway": "milestone"}), ((51.0, 50.0), {"amenity": "clock"})]
    _, ignored = account(build_map(tmp_path, CROSSING, nodes=others))
    assert ignored == {"nodes: highway=milestone": 1, "nodes: amenity": 1}


def test_scenery_is_used(tmp_path):
    nodes = [
        ((50.0, 50.0), {"highway": "street_lamp"}),
        ((60.0, 50.0), {"amenity": "bench"}),
        ((70.0, 50.0), {"natural": "tree"}),
    ]
    lines = [
        (((10.0, 30.0), (30.0, 30.0)), {"railway": "tram"}),
        (((10.0, 40.0), (30.0, 40.0)), {"barrier": "wall"}),
        (((10.0, 50.0), (30.0, 50.0)), {"natural": "tree_row"}),
    ]
    used, ignored = account(build_map(tmp_path, [*CROSSING, *lines], nodes=nodes))
    assert used == {"nodes": 14, "ways": 5, "relations": 0}
    assert ignored == {}


def test_a_way_whose_nodes_are_missing_is_counted(tmp_path):
    path = write_map(tmp_path, CROSSING)
    broken = '<way id="99"><nd ref="1"/><nd ref="777"/><tag k="highway" v="service"/></way></osm>'
    path.write_text(path.read_text().replace("</osm>", broken))
    world = build_world(path, driving_side="left", diagnostics=Diagnostics())
    assert dict(world.ignored) == {"ways: nodes are missing in the file": 1}


@pytest.mark.parametrize("name", ["city/neukolln.osm", "city/seattle_triangle.osm"])
def test_every_object_of_an_extract_is_accounted_for(built, name):
    used, ignored = account(built(MAPS / name))
    data = read_osm(MAPS / name)
    totals = {
        "nodes": len(data.node_ids),
        "ways": len(data.ways) + data.incomplete_ways,
        "relations": len(data.relations),
    }
    for kind, total in totals.items():
        not_used = sum(n for reason, n in ignored.items() if reason.startswith(kind))
        assert used[kind] + not_used == total


@pytest.mark.parametrize("origin", [None, ORIGIN])
def test_a_window_is_a_square_about_its_middle(origin):
    latitude, longitude = ORIGIN
    window = Window(latitude + 0.001, longitude, 400.0)
    setup = MapSetup("town", origin=origin)
    world = build_world(
        TOWN, setup=setup, driving_side="left", window=window, diagnostics=Diagnostics()
    )
    assert world.origin == (origin or window.centre)
    x_min, y_min, x_max, y_max = world.bounds
    assert (x_max - x_min, y_max - y_min) == pytest.approx((400.0, 400.0))
    centre = np.array([[(x_min + x_max) / 2.0, (y_min + y_max) / 2.0]])
    middle = MapProjection(world.origin).to_geographic(centre)
    assert middle[0] == pytest.approx(window.centre, abs=1e-7)
    # Lanes join at small angles where a street bends at a junction.
    assert {name for name, n in world.invariants if n} <= {"worst_joint_turn"}
    assert dict(world.invariants)["worst_joint_turn"] < 0.1
