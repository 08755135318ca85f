"""The shapes of what a robot believes."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.overlays.belief_overlays import QUANTILE, BeliefOverlays, error_ellipse
from autosim.kinds.director import build_tree
from autosim.model.belief import belief_of, make_estimate, state_words, truth_of
from autosim.model.state import State
from tests.worlds import impreza_world

COVARIANCE = np.diag([1.0, 4.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0])


@pytest.fixture
def world():
    return impreza_world()


def state_with(world, *, heading: float = np.pi / 2, time: float = 0.0) -> State:
    """The car believes to be at (10, 20, 3), and is at (13, 24, 3)."""
    state = State(build_tree(world))
    believed = make_estimate(time, position=(10, 20, 3), heading=heading, covariance=COVARIANCE)
    state_words(state.floats, belief_of(state.tree, "impreza"))[:] = believed.words()
    state_words(state.floats, truth_of(state.tree, "impreza"))[1:4] = (13, 24, 3)
    return state


def test_a_belief_that_nobody_has_set_is_not_shown(world):
    state = State(build_tree(world))
    assert BeliefOverlays(world, state.tree).ghosts(state) == []


def test_a_ghost_stands_where_its_robot_believes_to_be(world):
    state = state_with(world)
    (ghost,) = BeliefOverlays(world, state.tree).ghosts(state)
    assert ghost.text == "impreza: 5.00 m off"
    length, width, height = world.robots[0].robot.parts[0].size
    np.testing.assert_allclose(np.ptp(ghost.corners, axis=0), (length, width, height))
    np.testing.assert_allclose(ghost.corners.mean(axis=0), (10, 20, 3))
    np.testing.assert_allclose(ghost.ellipse[:, 2], 3 - height / 2)
    np.testing.assert_allclose(np.ptp(ghost.ellipse[:, 0]), 2 * QUANTILE, rtol=5e-3)
    np.testing.assert_allclose(np.ptp(ghost.ellipse[:, 1]), 4 * QUANTILE, rtol=5e-3)


def test_an_old_belief_tells_its_age(world):
    state = state_with(world, time=1.0)
    state.ints[1] = 3_500_000_000
    (ghost,) = BeliefOverlays(world, state.tree).ghosts(state)
    assert ghost.text == "impreza: 5.00 m off, 2.5 s old"


def test_the_sides_of_a_ghost_look_outwards(world):
    state = state_with(world)
    (ghost,) = BeliefOverlays(world, state.tree).ghosts(state)
    for face in ghost.faces:
        normal = np.cross(face[1] - face[0], face[3] - face[0])
        assert normal @ (face.mean(axis=0) - ghost.believed) > 0.0


@pytest.mark.parametrize(("heading", "forward"), [(0.0, (0, 1, 0)), (np.pi / 2, (1, 0, 0))])
def test_headings_are_clockwise_from_north(world, heading, forward):
    state = state_with(world, heading=heading)
    (ghost,) = BeliefOverlays(world, state.tree).ghosts(state)
    # The corners count x first, from the rear to the front.
    ahead = ghost.corners[4:].mean(axis=0) - ghost.corners[:4].mean(axis=0)
    np.testing.assert_allclose(ahead / np.linalg.norm(ahead), forward, atol=1e-12)


def test_the_ellipse_holds_95_of_100_samples():
    covariance = np.array([[4.0, -0.7], [-0.7, 0.25]])
    rim = error_ellipse(covariance)[:, :2]
    distances = np.einsum("ni,ij,nj->n", rim, np.linalg.inv(covariance), rim)
    np.testing.assert_allclose(distances, QUANTILE**2)
    samples = np.random.default_rng(5).multivariate_normal((0, 0), covariance, 20_000)
    inside = np.einsum("ni,ij,nj->n", samples, np.linalg.inv(covariance), samples) < QUANTILE**2
    assert inside.mean() == pytest.approx(0.95, abs=0.005)
