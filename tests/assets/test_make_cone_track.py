"""The made race track keeps to the rules, and is the shipped one."""

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.kinds.bodies.mesh_file import read_mesh
from autosim.tracks.cone_track import Cone, track_between
from autosim.tracks.curve import Curve
from autosim.tracks.nearest_points import nearest_points
from autosim_assets.make_cone_track import SMALL, WIDTH, cones_along, obj_of, osm_of, radii
from tests.paths import ROOT


def test_the_made_track_keeps_to_the_rules(cone_track: Curve) -> None:
    assert 200.0 <= cone_track.length <= 500.0
    assert 2.0 * (radii(cone_track).min() + 0.5 * WIDTH) >= 9.0  # m, a hairpin's outer diameter
    sides: dict[str, list[Floats]] = {}
    for name, _, x, y in cones_along(cone_track):
        sides.setdefault(name.split("_")[0], []).append(np.array([x, y]))
    for colour in ("blue", "yellow"):
        cones = np.array(sides[colour])
        gaps = np.hypot(*np.diff(cones, axis=0).T)
        assert gaps.max() <= 5.0  # m
    assert len(sides["orange"]) == 4


def test_the_track_between_the_made_cones_is_the_made_one(cone_track: Curve) -> None:
    found = track_between(Cone(name, x, y) for name, _, x, y in cones_along(cone_track))
    assert found is not None
    assert np.abs(nearest_points(cone_track, found.centre.points).offset).max() < 0.2
    assert found.left == pytest.approx(np.full(len(found.left), 0.5 * WIDTH), abs=0.25)
    assert found.right == pytest.approx(np.full(len(found.right), 0.5 * WIDTH), abs=0.25)
    assert found.centre.points[0] == pytest.approx(cone_track.points[0], abs=0.5)


def test_the_shipped_files_are_what_the_program_writes(cone_track: Curve) -> None:
    text = (ROOT / "worlds/cone_track/cone_track.osm").read_text(encoding="utf-8")
    assert text == osm_of(cone_track)
    world = (ROOT / "worlds/cone_track.xml").read_text(encoding="utf-8")
    cones = [line for line in world.splitlines() if "<Mesh " in line]
    assert cones == [f'    <Mesh name="{name}">' for name, *_ in cones_along(cone_track)]


def test_a_cone_is_a_convex_body_of_its_size() -> None:
    mesh = read_mesh(obj_of(SMALL).encode(), is_convex=True)
    extent = np.subtract(mesh.high, mesh.low)
    assert extent == pytest.approx([SMALL.foot, SMALL.foot, SMALL.height])
