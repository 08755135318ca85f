"""When the window draws: as soon as there is something, and no more often than a screen shows."""

import pytest

from autosim.applications.gui.client.pictures.frame_limiter import FrameLimiter

PERIOD = 0.016


class News:
    """Something to draw, where it `is_there`; each drawing takes it."""

    def __init__(self):
        self.is_there = False
        self.looks = []
        self.pictures = 0

    def draw(self, seconds):
        self.looks.append(seconds)
        has_drawn, self.is_there = self.is_there, False
        self.pictures += has_drawn
        return has_drawn


def look_at(limiter, news, now):
    """Something new has come; whether it is drawn at `now` [s]."""
    news.is_there = True
    limiter.look(now, news.draw)
    return not news.is_there


def test_what_comes_after_a_look_that_found_nothing_is_drawn_at_once():
    limiter, news = FrameLimiter(PERIOD), News()
    assert look_at(limiter, news, 5.0)
    limiter.look(5.100, news.draw)
    assert look_at(limiter, news, 5.102)


def test_nothing_is_drawn_sooner_than_a_period_after_the_last_picture():
    limiter, news = FrameLimiter(PERIOD), News()
    assert look_at(limiter, news, 5.0)
    assert not look_at(limiter, news, 5.015)
    assert look_at(limiter, news, 5.017)
    assert not look_at(limiter, news, 5.032)
    assert look_at(limiter, news, 5.034)


def test_each_look_is_told_the_time_since_the_last():
    limiter, news = FrameLimiter(PERIOD), News()
    for now in (5.0, 5.002, 5.006):
        limiter.look(now, news.draw)
    assert news.looks[1:] == pytest.approx([0.002, 0.004])


@pytest.mark.parametrize(("states", "pictures"), [(240, 60), (60, 60), (12, 12)])
def test_there_are_as_many_pictures_as_states_but_no_more_than_a_screen_shows(states, pictures):
    limiter, news = FrameLimiter(1.0 / 60.0 - 0.001), News()
    shown = 0
    for look in range(500):
        now = 0.002 * look
        if int(now * states) >= shown:
            shown, news.is_there = int(now * states) + 1, True
        limiter.look(now, news.draw)
    assert news.pictures == pytest.approx(pictures, rel=0.05)


def test_a_fault_is_no_picture():
    limiter, news = FrameLimiter(PERIOD), News()

    def fail(seconds):
        raise OSError(f"after {seconds} s")

    with pytest.raises(OSError, match="after"):
        limiter.look(5.0, fail)
    assert look_at(limiter, news, 5.001)
