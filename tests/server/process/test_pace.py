import pytest

from autosim.server.process.pace import MAX_BACKLOG, Pace


def test_steps_are_due_at_the_pace() -> None:
    pace = Pace(0.01, 2.0, now=1.0)
    assert pace.wait_seconds(1.0) == 0.0
    assert pace.begin_step(1.0) == 0.0
    assert pace.wait_seconds(1.001) == pytest.approx(0.004)
    assert pace.begin_step(1.006) == pytest.approx(0.001)
    assert pace.wait_seconds(1.006) == pytest.approx(0.004)


def test_a_short_delay_is_made_up_for() -> None:
    pace = Pace(0.01, 1.0, now=0.0)
    pace.begin_step(0.05)
    assert pace.wait_seconds(0.05) == 0.0
    assert pace.begin_step(0.05) == pytest.approx(0.04)


def test_after_a_long_delay_the_pace_starts_anew() -> None:
    pace = Pace(0.01, 1.0, now=0.0)
    assert pace.begin_step(MAX_BACKLOG + 1.0) == MAX_BACKLOG + 1.0
    assert pace.wait_seconds(MAX_BACKLOG + 1.0) == pytest.approx(0.01)


def test_without_a_pace_every_step_is_due_and_none_is_late() -> None:
    pace = Pace(0.01, 0.0, now=0.0)
    assert pace.wait_seconds(-5.0) == 0.0
    assert pace.begin_step(3.0) is None
