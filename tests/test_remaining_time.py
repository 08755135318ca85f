"""The remaining time beside progress bars."""

import pytest

from autosim.remaining_time import RemainingTime, remaining_text


def test_it_follows_from_the_share_and_the_time_so_far():
    now = [100.0]
    remaining = RemainingTime(lambda: now[0])
    assert remaining.text(0.0) == ""
    now[0] += 1.0
    assert remaining.text(0.1) == "", "too early"
    now[0] += 9.0
    assert remaining.text(0.25) == "about 30 s left"
    now[0] += 10.0
    assert remaining.text(1.0) == ""


def test_new_work_is_estimated_afresh():
    now = [0.0]
    remaining = RemainingTime(lambda: now[0])
    for share, seconds in ((0.01, 50.0), (0.5, 50.0), (0.0, 10.0)):
        remaining.text(share)
        now[0] += seconds
    assert remaining.text(0.5) == "about 10 s left"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.0, "a few seconds left"),
        (42.0, "about 40 s left"),
        (200.0, "about 3 min left"),
    ],
)
def test_words(seconds, text):
    assert remaining_text(seconds) == text
