"""What counts as a collision, and when one ends and the next begins."""

import numpy as np
import pytest

from autosim.engine.physics.collisions import APART_SECONDS, CollisionCounter

STEP_SECONDS = 0.01
LEFT, RIGHT, BOX, WORLD = range(4)
APART = round(APART_SECONDS / STEP_SECONDS)


@pytest.fixture
def counter():
    """Two robots, the first of two bodies, and an object."""
    bodies = np.array([LEFT, LEFT, RIGHT, BOX])
    return CollisionCounter(bodies, robots=2, objects=1, step_seconds=STEP_SECONDS)


def touch(*pairs):
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def test_several_bodies_of_two_robots_make_one_collision(counter):
    assert counter.update(1, touch((2, 0), (2, 1))) == [(LEFT, RIGHT)]
    assert counter.counts.tolist() == [1, 1]


def test_collisions_come_in_ascending_order(counter):
    contacts = touch((3, 2), (2, -1), (1, -1), (0, -1), (2, 1))
    begun = counter.update(1, contacts)
    assert begun == [(LEFT, RIGHT), (LEFT, WORLD), (RIGHT, BOX), (RIGHT, WORLD)]
    assert counter.counts.tolist() == [2, 3]


def test_a_robots_own_bodies_and_an_object_on_the_ground_do_not_collide(counter):
    assert counter.update(1, touch((1, 0), (3, -1))) == []
    assert counter.counts.tolist() == [0, 0]


def test_what_touches_again_soon_is_still_in_the_same_collision(counter):
    counter.update(1, touch((0, -1)))
    assert counter.update(1 + APART, touch((1, -1))) == []
    assert counter.update(2 + 2 * APART, touch((0, -1))) == [(LEFT, WORLD)]
    assert counter.counts.tolist() == [2, 0]


def test_another_counter_goes_on_from_the_last_contacts(counter):
    counter.update(5, touch((2, 0), (0, -1)))
    contacts = list(counter.last_contacts)
    assert contacts == [(LEFT, RIGHT, 5), (LEFT, WORLD, 5)]
    other = CollisionCounter(np.array([LEFT, RIGHT]), robots=2, objects=1, step_seconds=0.01)
    for each in contacts:
        other.remember(*each)
    assert other.update(6, touch((1, 0), (0, -1), (1, -1))) == [(RIGHT, WORLD)]
