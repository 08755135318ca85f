import pytest

from autosim.world.osm.tags import is_yes, parse_count, parse_length, parse_speed


@pytest.mark.parametrize(
    ("text", "metres"),
    [("7.5", 7.5), ("3,5 m", 3.5), ("12' 6\"", 3.81), ("10 ft", 3.048), ("4;5", 4.0)],
)
def test_lengths_are_read_as_people_write_them(text, metres):
    assert parse_length(text) == pytest.approx(metres)


@pytest.mark.parametrize("text", ["wide", "", "3 furlongs", "12e5", None])
def test_what_is_no_length_is_none(text):
    assert parse_length(text) is None


@pytest.mark.parametrize(
    ("text", "speed"), [("50", 13.889), ("30 mph", 13.411), ("walk", 1.944), ("signals", None)]
)
def test_speeds_become_metres_per_second(text, speed):
    assert parse_speed(text) == (None if speed is None else pytest.approx(speed, abs=1e-3))


def test_the_first_of_several_counts_is_taken():
    assert parse_count("2;3") == 2
    assert parse_count("-1") is None


def test_every_value_but_no_says_yes():
    assert is_yes("viaduct")
    assert not is_yes("no")
    assert not is_yes(None)
