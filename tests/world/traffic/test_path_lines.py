"""The middle lines of paths in compiled worlds: who uses them, and where they meet."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.world.compiled.compiled_file import (
    WorldFileError,
    load_compiled_world,
    save_compiled_world,
)
from autosim.world.compiled.paths import PathKind, Users
from autosim.world.traffic.path_lines import users_of
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-60.0, 0.0), (60.0, 0.0)), RESIDENTIAL)
FOOT, BICYCLE, ONE_WAY = Users.FOOT, Users.BICYCLE, Users.ONE_WAY


@pytest.mark.parametrize(
    ("tags", "users"),
    [
        ({"highway": "footway"}, FOOT),
        ({"highway": "footway", "bicycle": "yes"}, FOOT | BICYCLE),
        ({"highway": "footway", "bicycle": "dismount"}, FOOT),
        ({"highway": "pedestrian", "bicycle": "yes"}, FOOT | BICYCLE),
        ({"highway": "cycleway"}, BICYCLE),
        ({"highway": "cycleway", "foot": "yes", "segregated": "yes"}, FOOT | BICYCLE),
        ({"highway": "cycleway", "oneway": "yes"}, BICYCLE | ONE_WAY),
        ({"highway": "cycleway", "oneway": "yes", "oneway:bicycle": "no"}, BICYCLE),
        ({"highway": "path"}, FOOT | BICYCLE),
        ({"highway": "path", "bicycle": "no"}, FOOT),
        ({"highway": "steps", "bicycle": "yes"}, FOOT),
        ({"highway": "footway", "access": "private"}, Users(0)),
        ({"highway": "footway", "access": "private", "foot": "permissive"}, FOOT),
    ],
)
def test_tags_tell_who_uses_a_path(tags, users):
    assert users_of(tags) == users


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    middle = (0.0, 40.0)
    square = ((20.0, 20.0), (50.0, 20.0), (50.0, 50.0), (20.0, 50.0), (20.0, 20.0))
    ways = [
        STREET,
        (((-40.0, 40.0), middle, (40.0, 40.0)), {"highway": "footway", "width": "3"}),
        ((middle, (0.0, 60.0)), {"highway": "cycleway", "oneway": "-1"}),
        (((0.0, -20.0), (0.0, -5.0)), {"highway": "footway", "footway": "crossing"}),
        (((30.0, -20.0), (30.0, -40.0)), {"highway": "steps"}),
        (((10.0, -20.0), (10.0, -40.0)), {"highway": "footway", "bridge": "yes"}),
        (square, {"highway": "pedestrian", "area": "yes"}),
    ]
    return build_map(tmp_path_factory.mktemp("paths"), ways)


def line_of(paths, kind, place=0):
    row = np.flatnonzero(paths.kinds == kind)[place]
    return row, paths.points[paths.starts[row] : paths.starts[row + 1]]


def test_paths_that_meet_share_a_node(world):
    paths = world.paths
    first, second = np.flatnonzero(paths.kinds == PathKind.FOOTWAY)
    cycleway, line = line_of(paths, PathKind.CYCLEWAY)
    assert paths.ends[first, 1] == paths.ends[second, 0] == paths.ends[cycleway, 1]
    assert line[-1, :2].tolist() == pytest.approx([0.0, 40.0], abs=0.01)
    assert paths.widths[[first, cycleway]].tolist() == [3.0, 2.5]


def test_kinds_are_told_apart_and_bridges_of_their_own_are_left_out(world):
    kinds = sorted(PathKind(kind).name for kind in world.paths.kinds.tolist())
    assert kinds == ["CROSSING", "CYCLEWAY", "FOOTWAY", "FOOTWAY", "STEPS"]


def test_points_are_near_each_other_and_on_the_ground(world):
    paths = world.paths
    for row in range(len(paths.widths)):
        line = paths.points[paths.starts[row] : paths.starts[row + 1]]
        assert np.linalg.norm(np.diff(line, axis=0), axis=1).max() <= 4.0 + 1e-6
    assert np.isfinite(paths.points).all()


def test_a_square_has_its_rings(world):
    paths = world.paths
    assert paths.ring_squares.tolist() == [0]
    corners = {tuple(np.round(each).tolist()) for each in paths.ring_points}
    assert corners == {(20.0, 20.0), (50.0, 20.0), (50.0, 50.0), (20.0, 50.0)}


def test_a_file_keeps_paths_and_a_wrong_number_is_a_fault(world, tmp_path):
    save_compiled_world(world, tmp_path / "world")
    kept = load_compiled_world(tmp_path / "world").paths
    for name, array in world.paths.to_arrays().items():
        assert np.array_equal(getattr(kept, name), array), name
    for name in ("kinds", "ends", "ring_squares", "starts"):
        wrong = getattr(world.paths, name) + 100
        paths = replace(world.paths, **{name: wrong.astype(getattr(world.paths, name).dtype)})
        save_compiled_world(replace(world, paths=paths), tmp_path / "wrong")
        with pytest.raises(WorldFileError, match="paths: "):
            load_compiled_world(tmp_path / "wrong")
