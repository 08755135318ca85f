"""Markings lie on the carriageway, where a driver expects them, and never in the way of wheels."""

import numpy as np
import pytest
from PIL import Image
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autosim.config.descriptions import MapSetup
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.geometry.meshes import Surface
from autosim.world.markings.patches import LIFT
from autosim.world.markings.traits import centre_paint
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import CROSSING, MAPS, ORIGIN, RESIDENTIAL, TOWN, build_map, write_map

ZEBRA = {"highway": "crossing", "crossing:markings": "zebra"}
PRIMARY = {"highway": "primary", "lanes": "4", "width": "14"}


def quads(world):
    """Corners of each piece of paint: (n, 4, 3), the first one twice where it is a triangle."""
    mesh = world.markings
    ends = mesh.triangles[:, [0, 1, 0, 2]].reshape(-1, 2)
    count = len(mesh.vertices)
    links = coo_array((np.ones(len(ends)), ends.T), shape=(count, count))
    piece = connected_components(links, directed=False)[1]
    rows = [np.flatnonzero(piece == number) for number in range(piece.max() + 1)]
    return np.array([mesh.vertices[np.resize(each, 4)] for each in rows])


def extents(world):
    """Sizes (n, 2) of the markings' boxes and their middles (n, 2)."""
    corners = quads(world)[:, :, :2]
    return np.ptp(corners, axis=1), corners.mean(axis=1)


def assert_on_carriageway(world):
    index = GroundIndex.build(all_levels(world))
    corners = world.markings.vertices
    assert len(corners)
    assert (index.surfaces_at(corners) == Surface.CARRIAGEWAY).all()
    assert corners[:, 2] - index.heights_at(corners) == pytest.approx(LIFT, abs=1e-6)


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    return build_map(tmp_path_factory.mktemp("crossing"), CROSSING)


def test_a_crossroads_of_equals_has_four_stop_lines(crossing):
    size, middle = extents(crossing)
    bars = np.flatnonzero((size.min(axis=1) > 0.35) & (size.max(axis=1) > 2.0))
    assert len(bars) == 4
    # Traffic keeps left: whoever comes from the south waits left of the axis, before the middle.
    south = middle[bars][np.argmin(middle[bars][:, 1])]
    assert -3.0 < south[0] < -0.5
    assert -16.0 < south[1] < -4.0
    turned = middle[bars] @ np.array([[0, 1], [-1, 0]])
    gaps = np.linalg.norm(turned[:, None] - middle[bars][None], axis=2).min(axis=1)
    assert gaps.max() < 0.05, "the four arms look alike"


def test_the_line_between_directions_is_dashed_and_ends_before_the_junction(crossing):
    size, middle = extents(crossing)
    dashes = (size[:, 0] > 2.5) & (size[:, 1] < 0.2)
    assert middle[dashes, 1] == pytest.approx(0.0, abs=0.01)
    assert np.abs(middle[dashes, 0]).min() > 5.0
    stations = np.sort(middle[dashes & (middle[:, 0] > 0.0), 0])
    assert np.diff(stations) == pytest.approx(7.5)
    assert len(stations) >= 10


def test_markings_lie_on_the_carriageway_and_not_in_the_collision_mesh(crossing):
    assert_on_carriageway(crossing)
    for mesh in (crossing.ground, crossing.structures, crossing.buildings, crossing.obstacles):
        assert not np.isin(mesh.surfaces, [Surface.PAINT, Surface.PAINT_YELLOW]).any()


def test_all_markings_look_up(crossing):
    mesh = crossing.markings
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()


def test_the_lesser_street_gives_way(tmp_path):
    ways = [(CROSSING[0][0], {"highway": "primary"}), CROSSING[1]]
    size, middle = extents(build_map(tmp_path, ways))
    dashes = (size.max(axis=1) < 0.6) & (size.min(axis=1) > 0.25)
    assert dashes.sum() >= 6
    assert (np.abs(middle[dashes, 1]) > 4.0).all()
    assert (np.abs(middle[dashes, 0]) < 4.0).all()


def test_signals_give_every_arm_a_stop_line(tmp_path):
    ways = [(CROSSING[0][0], {"highway": "primary"}), CROSSING[1]]
    signals = [((0.0, 0.0), {"highway": "traffic_signals"})]
    size, _ = extents(build_map(tmp_path, ways, nodes=signals))
    bars = (size.min(axis=1) > 0.35) & (size.max(axis=1) > 2.0)
    assert bars.sum() >= 4


def test_a_zebra_crosses_the_whole_street_and_cuts_its_lines(tmp_path):
    line = ((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0))
    world = build_map(tmp_path, [(line, RESIDENTIAL)], nodes=[((0.0, 0.0), ZEBRA)])
    size, middle = extents(world)
    stripes = (np.abs(size[:, 0] - 3.0) < 0.01) & (np.abs(size[:, 1] - 0.5) < 0.01)
    assert middle[stripes, 0] == pytest.approx(0.0, abs=0.05)
    assert np.sort(middle[stripes, 1]) == pytest.approx(np.arange(-2.5, 3.0), abs=0.02)
    others = quads(world)[~stripes][:, :, 0]
    assert np.abs(others).min() > 1.6


def test_an_unmarked_crossing_has_no_zebra(tmp_path):
    line = ((-120.0, 0.0), (50.0, 0.0), (120.0, 0.0))
    nodes = [((50.0, 0.0), {"highway": "crossing", "crossing": "unmarked"})]
    size, _ = extents(build_map(tmp_path, [(line, RESIDENTIAL)], nodes=nodes))
    assert not (np.abs(size[:, 1] - 0.5) < 0.01).any()


def test_a_wide_street_has_edges_dividers_and_an_unbroken_middle(tmp_path):
    world = build_map(tmp_path, [(((-200.0, 0.0), (200.0, 0.0)), PRIMARY)])
    _, middle = extents(world)
    lines = np.unique(np.round(middle[:, 1] / 0.05)) * 0.05
    assert lines.tolist() == pytest.approx([-6.65, -3.5, 0.0, 3.5, 6.65], abs=0.06)


def test_no_lines_where_the_map_says_so(tmp_path):
    tags = {"highway": "primary", "lane_markings": "no"}
    world = build_map(tmp_path, [(((-200.0, 0.0), (200.0, 0.0)), tags)])
    assert not len(world.markings.triangles)


def test_arrows_show_the_tagged_turns(tmp_path):
    arm = {"highway": "primary", "oneway": "yes", "lanes": "2", "turn:lanes": "left|through"}
    plain = {key: value for key, value in arm.items() if key != "turn:lanes"}
    ways = [(((-150.0, 0.0), (0.0, 0.0)), arm), (((0.0, 0.0), (0.0, 120.0)), RESIDENTIAL),
            (((0.0, 0.0), (120.0, 0.0)), RESIDENTIAL)]  # fmt: skip
    with_arrows = build_map(tmp_path, ways)
    bare = build_map(tmp_path, [(ways[0][0], plain), *ways[1:]])
    known = {each.tobytes() for each in np.round(quads(bare), 3)}
    added = [each for each in quads(with_arrows) if np.round(each, 3).tobytes() not in known]
    lateral = np.array([piece[:, 1].mean() for piece in added])
    # Left of the axis the left lane's arrows, of three pieces each; right of it those straight on.
    assert (lateral > 0.0).sum() % 3 == 0
    assert (lateral < 0.0).sum() % 2 == 0
    assert (lateral > 0.0).sum() / 3 == (lateral < 0.0).sum() / 2 == 3
    tips = {"left": max(p[:, 1].max() for p in added), "right": min(p[:, 1].min() for p in added)}
    assert tips["left"] == pytest.approx(1.75 + 1.25, abs=0.1)
    assert tips["right"] == pytest.approx(-1.75 - 0.38, abs=0.1)


def test_yellow_in_the_americas_white_elsewhere():
    assert centre_paint((40.7, -74.0)) is Surface.PAINT_YELLOW
    assert centre_paint((60.2, 24.9)) is Surface.PAINT
    assert centre_paint(ORIGIN) is Surface.PAINT


def test_markings_follow_the_relief(tmp_path):
    rows = np.arange(64, dtype=np.uint8)
    picture = tmp_path / "heightmap.png"
    Image.fromarray(np.repeat(rows[:, None] * 3, 64, axis=1)).save(picture)
    world = build_world(
        write_map(tmp_path, CROSSING),
        setup=MapSetup("test", origin=ORIGIN),
        height_map=picture,
        driving_side="left",
    )
    assert np.ptp(world.markings.vertices[:, 2]) > 3.0
    assert_on_carriageway(world)


@pytest.mark.parametrize("name", ["town", "city/neukolln.osm", "city/leeds_cycleway.osm"])
def test_markings_of_real_maps_lie_on_carriageways(built, name):
    assert_on_carriageway(built(TOWN if name == "town" else MAPS / name))


def test_the_same_map_gives_the_same_markings(tmp_path, crossing):
    again = build_map(tmp_path, CROSSING)
    assert again.markings.vertices.tobytes() == crossing.markings.vertices.tobytes()
    assert again.markings.triangles.tobytes() == crossing.markings.triangles.tobytes()
