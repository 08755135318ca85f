"""Tracks in the snow lie where the wheels of those go who drive along a lane."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.tiles.ground.snow_tracks import track_mesh
from autosim.world.lanes.roads import LaneRecord, RoadNetwork


def network(*lines):
    return RoadNetwork.from_lanes(
        [
            LaneRecord(0, np.array(line, dtype=float), 3.0, 13.9, "residential", False, ())
            for line in lines
        ]
    )


def test_two_tracks_lie_beside_the_middle_of_a_lane_and_look_up():
    mesh = track_mesh(network([(0, 0, 1), (20, 0, 1), (40, 0, 2)]), np.array([0, 1]))
    dark = mesh.vertices[mesh.colours[:, 3] == 255]
    assert 0.5 < np.abs(dark[:, 1]).min() < np.abs(dark[:, 1]).max() < 1.0
    assert mesh.vertices[:, 0].min() == 0
    assert mesh.vertices[:, 0].max() == 40
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()
    # None reaches from one track to the other.
    assert (np.ptp(np.stack([a, b, c])[..., 1], axis=0) < 1.0).all()
