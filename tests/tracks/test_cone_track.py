"""Track limits come from the cones, laps from the way along the centre line."""

from itertools import pairwise

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.tracks.cone_track import Cone, ConeTrack, is_cone, track_between
from autosim.tracks.curve import Curve
from autosim.tracks.laps import lap_seconds
from autosim.tracks.nearest_points import nearest_points

RADIUS = 20.0  # m
HALF = 1.5  # m


def ring(*, count: int = 30, start: float = 0.0) -> list[Cone]:
    """Cones on both sides of a circle, driven counter-clockwise from `start` [rad]."""
    cones = []
    for k in range(count):
        angle = 2.0 * np.pi * k / count
        for colour, radius in (("blue", RADIUS - HALF), ("yellow", RADIUS + HALF)):
            place = radius * np.cos(angle), radius * np.sin(angle)
            cones.append(Cone(f"{colour}_{k + 1}", *place))
    for k, radius in enumerate((RADIUS - HALF, RADIUS + HALF)):
        cones.append(Cone(f"orange_{k + 1}", radius * np.cos(start), radius * np.sin(start)))
    return cones


def track() -> ConeTrack:
    found = track_between(ring(start=1.0))
    assert found is not None
    return found


def test_the_centre_line_runs_in_the_middle_from_the_orange_cones_on() -> None:
    centre = track().centre
    assert np.hypot(*centre.points.T) == pytest.approx(np.full(len(centre.points), RADIUS), abs=0.1)
    assert centre.points[0] == pytest.approx([RADIUS * np.cos(1.0), RADIUS * np.sin(1.0)], abs=0.3)
    assert centre.length == pytest.approx(2.0 * np.pi * RADIUS, rel=0.01)
    ahead = centre.points[1] - centre.points[0]
    assert ahead @ [-np.sin(1.0), np.cos(1.0)] > 0.0


def test_there_is_room_up_to_the_cones() -> None:
    found = track()
    radius = np.array([RADIUS, RADIUS + 1.0, RADIUS + 2.0, RADIUS - 1.0, RADIUS - 2.0])
    place = nearest_points(found.centre, np.column_stack([radius, np.zeros(5)]))
    expected = [HALF, 0.5, -0.5, 0.5, -0.5]
    assert found.room(place.distance, place.offset) == pytest.approx(expected, abs=0.12)


def test_the_order_of_the_cones_in_the_file_does_not_matter() -> None:
    there, back = track_between(ring()), track_between(ring()[::-1])
    assert there is not None
    assert back is not None
    assert np.array_equal(there.centre.points, back.centre.points)


def test_other_things_are_no_cones() -> None:
    assert not is_cone("blue_car")
    assert not is_cone("box_1")
    assert track_between([Cone("box_1", 0.0, 0.0)]) is None
    assert track_between(ring(count=3)) is None


def test_the_nearest_place_has_a_side_and_no_bound() -> None:
    curve = Curve.through([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]])
    found = nearest_points(curve, [[5.0, 2.0], [5.0, -2.0], [13.0, -3.0], [500.0, 5.0]])
    assert found.distance == pytest.approx([5.0, 5.0, 10.0, 15.0])
    assert found.offset == pytest.approx([2.0, -2.0, -3.0 * np.sqrt(2.0), -490.0])


def driven(*stops: float, length: float = 100.0) -> Floats:
    """A metre a sample from stop to stop [m], along a closed line."""
    parts = [np.arange(a, b, 1.0 if b > a else -1.0) for a, b in pairwise(stops)]
    return np.concatenate([*parts, [stops[-1]]]) % length


def test_laps_are_timed_from_line_to_line() -> None:
    assert lap_seconds(driven(-6.5, 230.0), length=100.0, interval=0.1) == pytest.approx(
        [10.0, 10.0]
    )


def test_a_lap_begun_is_no_lap() -> None:
    assert lap_seconds(driven(-6.0, 99.0), length=100.0, interval=0.1) == ()
    assert lap_seconds(driven(20.0, 110.0), length=100.0, interval=0.1) == ()
    assert lap_seconds(driven(-20.0, -5.0), length=100.0, interval=0.1) == ()
    assert lap_seconds(np.zeros(0), length=100.0, interval=0.1) == ()


def test_to_roll_back_over_the_line_makes_no_lap() -> None:
    seconds = lap_seconds(driven(-5.0, 5.0, -5.0, 5.0, -5.0, 102.0), length=100.0, interval=0.1)
    assert seconds == pytest.approx([14.0])


def test_backward_there_are_no_laps() -> None:
    assert lap_seconds(driven(50.0, -250.0), length=100.0, interval=0.1) == ()
