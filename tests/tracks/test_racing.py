"""The reference lap is what theory says where theory has an answer, and keeps to the limits."""

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.tracks.cone_track import Cone, ConeTrack, track_between
from autosim.tracks.curve import Curve
from autosim.tracks.nearest_points import nearest_points
from autosim.tracks.racing import (
    CarLimits,
    ReferenceLap,
    curvatures,
    fastest_lap,
    racing_line,
    seconds_along,
    speed_profile,
)
from autosim_assets.make_cone_track import WIDTH, cones_along

LIMITS = CarLimits(lateral=8.0, forward=4.0, braking=6.0, top_speed=25.0)
MARGIN = 0.75  # m


def circle(radius: float, count: int = 400) -> Curve:
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    points = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return Curve.through(points, is_closed=True)


def straight(length: float, count: int = 201) -> Curve:
    return Curve.through(np.column_stack([np.linspace(0.0, length, count), np.zeros(count)]))


def stadium(straight: float = 60.0, radius: float = 15.0) -> Curve:
    half = np.linspace(0.0, np.pi, 80)[:-1]
    arc = radius * np.column_stack([np.sin(half), -np.cos(half)])
    line = np.column_stack([np.arange(0.0, straight, 0.5), np.full(round(2 * straight), -radius)])
    side = np.vstack([line, np.add(arc, (straight, 0.0))])
    return Curve.through(np.vstack([side, np.subtract((straight, 0.0), side)]), is_closed=True)


@pytest.fixture(scope="module")
def track(cone_track: Curve) -> ConeTrack:
    found = track_between(Cone(name, x, y) for name, _, x, y in cones_along(cone_track))
    assert found is not None
    return found


def test_a_circle_is_driven_as_fast_as_the_tyres_hold() -> None:
    curve = circle(20.0)
    speeds = speed_profile(curve, LIMITS)
    assert speeds == pytest.approx(np.full(400, np.sqrt(8.0 * 20.0)), rel=1e-3)
    expected = 2.0 * np.pi * 20.0 / np.sqrt(160.0)
    assert seconds_along(curve, speeds) == pytest.approx(expected, rel=1e-3)


def test_a_straight_is_driven_with_the_motors_acceleration() -> None:
    curve = straight(50.0)
    speeds = speed_profile(curve, LIMITS)
    assert speeds == pytest.approx(np.sqrt(2.0 * 4.0 * curve.distances))
    assert seconds_along(curve, speeds) == pytest.approx(np.sqrt(2.0 * 50.0 / 4.0))


def test_no_car_is_faster_than_its_top_speed() -> None:
    assert speed_profile(straight(500.0), LIMITS).max() == 25.0
    assert speed_profile(straight(10.0), LIMITS, start=30.0)[0] == 25.0


def test_it_brakes_before_a_bend_and_only_there() -> None:
    curve = stadium()
    speeds = speed_profile(curve, LIMITS)
    in_bend = np.abs(curvatures(curve)) > 0.05
    assert speeds[in_bend].max() == pytest.approx(np.sqrt(8.0 * 15.0), rel=0.01)
    # From 10.95 m/s with 4 m/s² up and 6 m/s² down over 60 m.
    fastest = np.sqrt(8.0 * 15.0 + 2.0 * 60.0 * 4.0 * 6.0 / (4.0 + 6.0))
    assert speeds.max() == pytest.approx(fastest, rel=0.01)


def accelerations(curve: Curve, speeds: Floats) -> Floats:
    after = np.roll(speeds, -1)[: len(curve.lengths)]
    return (after**2 - speeds[: len(curve.lengths)] ** 2) / (2.0 * curve.lengths)


@pytest.fixture(scope="module")
def oval() -> ConeTrack:
    centre = stadium().resampled(1.5)
    aside = np.full(len(centre.points), 1.75)
    return ConeTrack(centre, aside, aside)


@pytest.fixture(scope="module")
def lap(oval: ConeTrack) -> ReferenceLap:
    return fastest_lap(oval, LIMITS, margin=MARGIN)


def test_everywhere_the_tyres_hold(lap: ReferenceLap) -> None:
    along = accelerations(lap.line, lap.speeds)
    across = lap.speeds**2 * np.abs(curvatures(lap.line))
    assert across.max() <= LIMITS.lateral * 1.001
    # Braking is bounded where it ends, driving where it begins.
    for limit, sign, used in ((4.0, 1.0, across), (6.0, -1.0, np.roll(across, -1))):
        share = (np.maximum(sign * along, 0.0) / limit) ** 2 + (used / LIMITS.lateral) ** 2
        assert share[sign * along > 1e-9].max() <= 1.001


def test_the_line_stays_inside_and_bends_less_than_the_centre(track: ConeTrack) -> None:
    line = racing_line(track, margin=MARGIN)
    place = nearest_points(track.centre, line.points)
    room = track.room(place.distance, place.offset)
    assert room.min() > MARGIN - 0.05
    assert room.min() < MARGIN + 0.05
    assert np.square(curvatures(line)).sum() < 0.9 * np.square(curvatures(track.centre)).sum()
    centre = seconds_along(track.centre, speed_profile(track.centre, LIMITS))
    assert seconds_along(line, speed_profile(line, LIMITS)) < 0.97 * centre


def test_the_fastest_lap_stays_inside_and_beats_the_line_of_least_curvature(
    oval: ConeTrack, lap: ReferenceLap
) -> None:
    place = nearest_points(oval.centre, lap.line.points)
    assert oval.room(place.distance, place.offset).min() > MARGIN - 0.05
    straightest = racing_line(oval, margin=MARGIN)
    assert lap.seconds < 0.995 * seconds_along(straightest, speed_profile(straightest, LIMITS))


def test_a_ring_is_driven_on_its_inner_edge() -> None:
    ring = ConeTrack(circle(20.0, 120), np.full(120, 2.0), np.full(120, 2.0))
    lap = fastest_lap(ring, LIMITS, margin=0.5)
    assert lap.seconds == pytest.approx(2.0 * np.pi * np.sqrt(18.5 / LIMITS.lateral), rel=0.002)


def test_a_track_that_is_too_narrow_is_refused(track: ConeTrack) -> None:
    with pytest.raises(ValueError, match=r"no room for 2\.0 m"):
        racing_line(track, margin=2.0)
    assert WIDTH < 4.0
