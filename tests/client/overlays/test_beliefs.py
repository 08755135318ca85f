"""The shapes of what a program believes."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.overlays.beliefs import QUANTILE, Beliefs, error_ellipse, heading_matrix
from autosim.kinds.director import build_tree
from autosim.simulation.state import State
from tests.worlds import impreza_world


def test_a_belief_that_nobody_has_published_is_not_shown():
    world = impreza_world()
    state = State(build_tree(world))
    assert Beliefs(world, state.tree).ghosts(state) == []


def test_a_ghost_stands_where_its_program_believes_to_be():
    world = impreza_world()
    state = State(build_tree(world))
    node, part = (state.tree.find(f"impreza.chassis{end}") for end in (".belief", ""))
    first = node.start // 8
    state.floats[first : first + 9] = (10, 20, 3, np.pi / 2, 1.0, 2.0, 0.0, 0.1, 0.0)
    state.floats[part.start // 8 : part.start // 8 + 3] = (13, 24, 3)
    (ghost,) = Beliefs(world, state.tree).ghosts(state)
    assert ghost.name == "impreza.chassis.belief"
    assert ghost.error == pytest.approx(5.0)
    length, width, height = world.robots[0].robot.parts[0].size
    np.testing.assert_allclose(np.ptp(ghost.corners, axis=0), (length, width, height))
    np.testing.assert_allclose(ghost.corners.mean(axis=0), (10, 20, 3))
    np.testing.assert_allclose(ghost.ellipse[:, 2], 3 - height / 2)
    np.testing.assert_allclose(np.ptp(ghost.ellipse[:, 0]), 2 * QUANTILE, rtol=5e-3)
    np.testing.assert_allclose(np.ptp(ghost.ellipse[:, 1]), 4 * QUANTILE, rtol=5e-3)


def test_the_sides_of_a_ghost_look_outwards():
    world = impreza_world()
    state = State(build_tree(world))
    first = state.tree.find("impreza.chassis.belief").start // 8
    state.floats[first] = 1.0
    (ghost,) = Beliefs(world, state.tree).ghosts(state)
    for face in ghost.faces:
        normal = np.cross(face[1] - face[0], face[3] - face[0])
        assert normal @ (face.mean(axis=0) - ghost.believed) > 0.0


@pytest.mark.parametrize(("heading", "forward"), [(0.0, (0, 1, 0)), (np.pi / 2, (1, 0, 0))])
def test_headings_are_clockwise_from_north(heading, forward):
    rotation = heading_matrix(heading)
    np.testing.assert_allclose(rotation[:, 0], forward, atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_the_ellipse_holds_95_of_100_samples():
    deviations, correlation = np.array([2.0, 0.5]), -0.7
    covariance = np.diag(deviations) @ [[1, correlation], [correlation, 1]] @ np.diag(deviations)
    rim = error_ellipse(deviations, correlation)[:, :2]
    distances = np.einsum("ni,ij,nj->n", rim, np.linalg.inv(covariance), rim)
    np.testing.assert_allclose(distances, QUANTILE**2)
    samples = np.random.default_rng(5).multivariate_normal((0, 0), covariance, 20_000)
    inside = np.einsum("ni,ij,nj->n", samples, np.linalg.inv(covariance), samples) < QUANTILE**2
    assert inside.mean() == pytest.approx(0.95, abs=0.005)
