"""The projection depends on what was true and when, not on when and how often it was told."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.estimation.slipless import SliplessModel
from autosim.estimation.state_projector import (
    InsertResult,
    ProjectedState,
    SampleKind,
    StateProjector,
)

DELAY = 0.1  # s, from a command to the actuators
COMPUTING = 0.02  # s


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Told:
    """A record: when it was true, what it says, and how much later it comes."""

    stamp: float
    sort: SampleKind
    values: tuple[float, ...]
    delay: float = 0.0
    times: int = 1

    @property
    def arrival(self) -> float:
        return self.stamp if self.sort is SampleKind.ACTION else self.stamp + self.delay


@dataclass
class Run:
    """A projector that is told things as time goes by."""

    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.projector = StateProjector(
            SliplessModel(), self.clock, propagation_delay=DELAY, computing_time=COMPUTING
        )

    def hear(self, told: Told) -> InsertResult:
        self.clock.now = max(self.clock.now, told.arrival)
        if told.sort is SampleKind.POSE:
            return self.projector.record_pose(told.values, told.stamp)
        if told.sort is SampleKind.SPEED:
            return self.projector.record_speed(told.values[0], told.stamp)
        return self.projector.record_action(told.values)

    def hear_all(self, all_told: Sequence[Told], *, until: float) -> ProjectedState | None:
        for told in all_told:
            for _ in range(told.times):
                self.hear(told)
        self.clock.now = until
        return self.projector.project()


def stamps() -> st.SearchStrategy[float]:
    return st.integers(0, 200).map(lambda hundredths: hundredths / 100.0)


def told(sort: SampleKind, *values: st.SearchStrategy[float]) -> st.SearchStrategy[Told]:
    return st.builds(
        Told,
        stamps(),
        st.just(sort),
        st.tuples(*values),
        st.integers(0, 100).map(lambda hundredths: hundredths / 100.0),
        st.integers(1, 2),
    )


records = st.lists(
    st.one_of(
        told(SampleKind.POSE, st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-3.0, 3.0)),
        told(SampleKind.SPEED, st.floats(0.0, 15.0)),
        told(SampleKind.ACTION, st.floats(-0.3, 0.3), st.floats(-8.0, 8.0)),
    ),
    max_size=30,
)


@given(records)
def test_any_order_and_delay_gives_the_projection_of_the_right_order(all_told: list[Told]) -> None:
    in_time = [Told(each.stamp, each.sort, each.values) for each in all_told]
    straight = Run().hear_all(sorted(in_time, key=lambda each: each.stamp), until=4.0)
    late = Run().hear_all(sorted(all_told, key=lambda each: each.arrival), until=4.0)
    assert late == straight


@given(records, st.randoms(use_true_random=False))
def test_asking_in_between_changes_nothing(all_told: list[Told], random: Random) -> None:
    all_told.sort(key=lambda each: each.arrival)
    asked = Run()
    for each in all_told:
        asked.hear(each)
        if random.random() < 0.5:
            asked.projector.project()
    asked.clock.now = 4.0
    assert asked.projector.project() == Run().hear_all(all_told, until=4.0)


@given(records)
def test_what_is_kept_is_the_newest_pose_what_follows_and_one_of_each_before(
    all_told: list[Told],
) -> None:
    run = Run()
    run.hear_all(sorted(all_told, key=lambda each: each.arrival), until=4.0)
    kept = run.projector.records
    assert list(kept) == sorted(kept)
    poses = [at for at, record in enumerate(kept) if record.sort is SampleKind.POSE]
    if poses:
        assert len(poses) == 1
        before = [record.sort for record in kept[: poses[0]]]
        assert len(before) == len(set(before))


def test_from_record_to_record_with_the_newest_speed_and_action() -> None:
    run, model = Run(), SliplessModel()
    found = run.hear_all(
        [
            Told(0.0, SampleKind.ACTION, (0.1, 2.0)),  # acts from 0.1 s on
            Told(0.05, SampleKind.SPEED, (6.0,)),
            Told(0.2, SampleKind.POSE, (1.0, 2.0, 0.3)),
            Told(0.25, SampleKind.ACTION, (-0.1, -2.0)),  # acts from 0.35 s on
            Told(0.4, SampleKind.SPEED, (7.0,)),
        ],
        until=0.5,
    )
    motion = model((1.0, 2.0, 0.3, 6.0), (0.1, 2.0), 0.15)
    motion = model(motion, (-0.1, -2.0), 0.05)
    motion = model((*motion[:3], 7.0), (-0.1, -2.0), 0.1 + COMPUTING)
    assert found is not None
    assert found.motion == pytest.approx(motion)
    assert found.action == (-0.1, -2.0)
    assert found.time == pytest.approx(0.52)
    assert found.age == pytest.approx(0.32)


def test_a_command_that_does_not_act_yet_does_not_count() -> None:
    all_told = [Told(0.0, SampleKind.POSE, (0.0, 0.0, 0.0)), Told(0.0, SampleKind.SPEED, (5.0,))]
    without = Run().hear_all(all_told, until=0.5)
    assert (
        Run().hear_all([*all_told, Told(0.45, SampleKind.ACTION, (0.2, 5.0))], until=0.5) == without
    )


@pytest.mark.parametrize("missing", [SampleKind.POSE, SampleKind.SPEED])
def test_without_a_pose_or_a_speed_there_is_no_projection(missing: SampleKind) -> None:
    all_told = [Told(0.0, SampleKind.POSE, (0.0, 0.0, 0.0)), Told(0.0, SampleKind.SPEED, (5.0,))]
    assert (
        Run().hear_all([each for each in all_told if each.sort is not missing], until=1.0) is None
    )


def test_a_speed_after_the_first_pose_counts_from_the_pose_on() -> None:
    found = Run().hear_all(
        [Told(0.0, SampleKind.POSE, (0.0, 0.0, 0.0)), Told(0.5, SampleKind.SPEED, (5.0,))],
        until=0.5,
    )
    assert found is not None
    assert found.motion[0] == pytest.approx(5.0 * (0.5 + COMPUTING), rel=0.05)


def test_each_wrong_record_is_answered_and_changes_nothing() -> None:
    run = Run()
    before = run.hear_all(
        [
            Told(0.9, SampleKind.SPEED, (5.0,)),
            Told(1.0, SampleKind.POSE, (0.0, 0.0, 0.0)),
            Told(1.1, SampleKind.SPEED, (6.0,)),
        ],
        until=2.0,
    )
    projector = run.projector
    assert projector.record_pose([0.0, math.nan, 0.0], 1.5) is InsertResult.NOT_FINITE
    assert projector.record_speed(math.inf, 1.5) is InsertResult.NOT_FINITE
    assert projector.record_speed(3.0, math.nan) is InsertResult.NOT_FINITE
    assert projector.record_action([math.nan, 0.0]) is InsertResult.NOT_FINITE
    assert projector.record_pose([9.0, 9.0, 0.0], 0.5) is InsertResult.LATE
    assert projector.record_speed(9.0, 0.8) is InsertResult.LATE
    assert projector.record_speed(6.0, 1.1) is InsertResult.DUPLICATE
    assert projector.record_pose([9.0, 9.0, 0.0], 3600.0) is InsertResult.AHEAD
    assert projector.project() == before


def test_of_a_late_speed_before_the_pose_the_newest_counts() -> None:
    run = Run()
    run.hear_all(
        [Told(0.5, SampleKind.SPEED, (5.0,)), Told(1.0, SampleKind.POSE, (0.0, 0.0, 0.0))],
        until=1.2,
    )
    assert run.projector.record_speed(7.0, 0.9) is InsertResult.KEPT
    found = run.projector.project()
    assert found is not None
    assert found.motion[3] == pytest.approx(7.0 - 0.22 * 100.0 / 210.0)


def test_a_clock_that_goes_back_empties_the_history() -> None:
    run = Run()
    run.hear_all(
        [Told(50.0, SampleKind.POSE, (9.0, 9.0, 0.0)), Told(50.0, SampleKind.SPEED, (5.0,))],
        until=51.0,
    )
    run.clock.now = 0.0
    assert run.projector.record_pose([1.0, 0.0, 0.0], 0.0) is InsertResult.KEPT
    assert run.projector.project() is None
    assert run.projector.record_speed(2.0, 0.0) is InsertResult.KEPT
    found = run.projector.project()
    assert found is not None
    assert found.motion[0] == pytest.approx(1.0 + 2.0 * COMPUTING, abs=1e-3)


def test_without_poses_the_history_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autosim.estimation.state_projector._MOST_RECORDS", 10)
    run = Run()
    for step in range(50):
        run.hear(Told(0.01 * step, SampleKind.SPEED, (5.0,)))
    assert len(run.projector.records) == 10
    assert run.projector.records[-1].stamp == pytest.approx(0.49)


@pytest.mark.parametrize("name", ["propagation_delay", "computing_time"])
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_a_time_that_is_none_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        StateProjector(SliplessModel(), Clock(), **{name: value})


def test_values_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="a pose has 3 values"):
        Run().projector.record_pose([0.0, 0.0], 0.0)
    with pytest.raises(ValueError, match="an action has 2 values"):
        Run().projector.record_action([0.0])
