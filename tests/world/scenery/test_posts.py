"""Bollards and signs stand where the map has them, but not on carriageways."""

import numpy as np
import pytest

from autosim.world.geometry.meshes import Surface
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0)), RESIDENTIAL)


def boxes(world, surface):
    chosen = world.obstacles.select(world.obstacles.surfaces == surface)
    return chosen.vertices.reshape(-1, 8, 3)


def test_a_bollard_stands_beside_the_street_and_none_on_it(tmp_path):
    nodes = [((10.0, 6.0), {"barrier": "bollard"}), ((0.0, 0.0), {"barrier": "bollard"})]
    world = build_map(tmp_path, [STREET], nodes=nodes)
    (bollard,) = boxes(world, Surface.STEEL)
    assert bollard[:, :2].mean(axis=0).tolist() == pytest.approx([10.0, 6.0], abs=0.05)
    assert 0.8 < np.ptp(bollard[4:, 2]) + bollard[:, 2].max() < 1.2
    assert dict(world.left_out)["bollards and signs on carriageways or in buildings"] == 1


def test_a_sign_faces_along_its_street_above_the_heads_of_people(tmp_path):
    world = build_map(tmp_path, [STREET], nodes=[((20.0, 6.0), {"traffic_sign": "maxspeed"})])
    (plate,) = boxes(world, Surface.SIGN)
    length, width, _ = np.ptp(plate, axis=0)
    assert length < 0.25 < 0.5 < width
    assert plate[:, 2].min() > 2.0
    assert len(boxes(world, Surface.STEEL)) == 1
