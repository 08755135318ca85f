"""A controller gets the state of the car and the table of the newest curve, in one frame."""

import numpy as np
import pytest

from autosim.estimation.slipless import SliplessModel
from autosim.estimation.state_estimator import StateEstimator
from autosim.estimation.state_projector import InsertResult
from autosim.tracks.curvilinear_table import CurvilinearTable

AHEAD = [[0.0, 0.0], [10.0, 0.0], [20.0, 2.0]]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def estimator(clock: Clock) -> StateEstimator:
    return StateEstimator(SliplessModel(), clock, propagation_delay=0.1, size=64)


def test_each_curve_makes_a_new_frame_with_the_car_at_its_origin(
    estimator: StateEstimator, clock: Clock
) -> None:
    clock.now = 0.1
    estimator.on_twist([3.0, 4.0, 9.0], 0.0)
    estimator.on_spline(AHEAD, 0.0)
    first = estimator.sync()
    clock.now = 1.1
    estimator.on_spline(AHEAD, 1.0)
    second = estimator.sync()
    assert first is not None
    assert second is not None
    assert first.projection.motion[0] == pytest.approx(5.0 * 0.12, rel=0.02)
    assert second.projection.motion[0] == pytest.approx(first.projection.motion[0])
    place = second.table.look_up(*second.projection.motion[:2])
    assert place.distance == pytest.approx(second.projection.motion[0], abs=1e-5)


def test_the_table_is_drawn_once_for_each_curve(
    estimator: StateEstimator, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    whole = CurvilinearTable.of
    monkeypatch.setattr(CurvilinearTable, "of", lambda *a, **k: drawn.append(a) or whole(*a, **k))
    estimator.on_twist(5.0, 0.0)
    for stamp in (0.0, 1.0):
        clock.now = stamp
        estimator.on_spline(AHEAD, stamp)
        assert estimator.sync() is not None
        assert estimator.sync() is not None
    assert len(drawn) == 2


def test_a_curve_in_the_frame_of_the_world_comes_with_the_pose(
    estimator: StateEstimator, clock: Clock
) -> None:
    square = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]])
    estimator.on_spline(square, 0.0, pose=(40.0, 5.0, 0.5 * np.pi), is_closed=True)
    estimator.on_twist(2.0, 0.0)
    clock.now = 1.0
    assert estimator.on_pose((40.5, 10.0, 0.5 * np.pi), 1.0) is InsertResult.KEPT
    found = estimator.sync()
    assert found is not None
    x, y, yaw, _ = found.projection.motion
    assert (x, yaw) == pytest.approx((40.5, 0.5 * np.pi))
    place = found.table.look_up(x, y)
    assert place.distance == pytest.approx(40.0 + y, abs=0.1)
    assert place.offset == pytest.approx(-0.5, abs=0.1)


def test_a_command_counts_when_it_acts(estimator: StateEstimator, clock: Clock) -> None:
    estimator.on_spline(AHEAD, 0.0)
    estimator.on_twist(5.0, 0.0)
    estimator.record_control_action((0.2, 0.0))
    clock.now = 0.07
    before = estimator.sync()
    clock.now = 0.3
    after = estimator.sync()
    assert before is not None
    assert after is not None
    assert before.projection.motion[2] == 0.0
    assert after.projection.motion[2] > 0.0


def test_without_a_curve_or_a_speed_there_is_no_estimate(estimator: StateEstimator) -> None:
    estimator.on_twist(5.0, 0.0)
    assert estimator.sync() is None
    estimator.on_pose((0.0, 0.0, 0.0), 0.0)
    assert estimator.sync() is None


def test_a_late_or_broken_curve_leaves_the_newest(estimator: StateEstimator, clock: Clock) -> None:
    clock.now = 2.0
    estimator.on_spline(AHEAD, 1.5)
    estimator.on_twist(5.0, 1.5)
    newest = estimator.sync()
    assert estimator.on_spline([[0.0, 0.0], [0.0, 9.0]], 1.0) is InsertResult.LATE
    assert estimator.on_spline([[0.0, 0.0], [np.nan, 9.0]], 1.9) is InsertResult.NOT_FINITE
    with pytest.raises(ValueError, match="at least 2 points"):
        estimator.on_spline([[0.0, 0.0]], 1.9)
    assert newest is not None
    found = estimator.sync()
    assert found is not None
    assert found.table is newest.table
