"""The map of the light of street lamps: where it is bright, and whence the light comes."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.sky_and_light.lamp_map import AROUND, SQUARE, LampHeads, LampMap
from autosim.world.compiled.compiled_world import PropKind, Props

PIXEL = 2.0


def lamps(places, height=6.0):
    count = len(places)
    return LampHeads.of(
        Props(
            kinds=np.array([PropKind.LAMP, PropKind.BENCH] * count, dtype=np.uint8),
            positions=np.repeat(np.array(places, dtype=float), 2, axis=0),
            yaws=np.zeros(2 * count),
            heights=np.full(2 * count, height),
        )
    )


def pixels(heads, eye=(125.0, 125.0, 0.0)):
    """The map as an array, rows northwards, and the place of its corner."""
    made = LampMap(heads)
    assert made.follow(np.array(eye))
    size = made.texture.getXSize()
    found = np.frombuffer(memoryview(made.texture.getRamImage()).cast("B"), np.uint8)
    return found.reshape(size, size, 4)[..., [2, 1, 0, 3]], made.frame[:2]


def at(found, corner, x, y):
    column, row = int((x - corner[0]) / PIXEL), int((y - corner[1]) / PIXEL)
    return found[row, column].astype(float)


def test_only_lamps_count_and_their_light_hangs_from_an_arm():
    heads = lamps([(10.0, 20.0, 1.0)])
    np.testing.assert_allclose(heads.places, [(10.0 + 0.21 * 6.0, 20.0, 1.0 + 0.97 * 6.0)])


def test_it_is_bright_below_a_lamp_and_dark_far_from_all():
    found, corner = pixels(lamps([(100.0, 100.0, 0.0)]))
    light = [at(found, corner, x, 101.0)[0] for x in (101.0, 110.0, 120.0, 160.0)]
    assert light == sorted(light, reverse=True)
    assert light[0] > 150
    assert light[-1] == 0


def test_light_comes_from_where_the_lamp_is():
    found, corner = pixels(lamps([(100.0, 100.0, 0.0)]))
    _, east, north, _ = at(found, corner, 85.0, 101.0)
    assert east > 200
    assert abs(north - 127.5) < 20
    _, east, north, _ = at(found, corner, 101.0, 115.0)
    assert north < 55
    assert abs(east - 127.5) < 20


def test_two_lamps_give_more_than_one():
    one, corner = pixels(lamps([(90.0, 100.0, 0.0)]))
    two, _ = pixels(lamps([(90.0, 100.0, 0.0), (110.0, 100.0, 0.0)]))
    assert at(two, corner, 101.0, 101.0)[0] > at(one, corner, 101.0, 101.0)[0] + 10


def test_it_follows_the_eye_by_squares_and_shows_the_same_from_everywhere():
    heads = lamps([(260.0, 100.0, 3.0), (-30.0, 240.0, 0.0)])
    made = LampMap(heads)
    assert made.follow(np.array([10.0, 10.0, 0.0]))
    assert not made.follow(np.array([SQUARE - 1.0, 10.0, 0.0]))
    assert made.follow(np.array([SQUARE + 1.0, 10.0, 0.0]))
    assert made.frame[0] == SQUARE * (1 - AROUND)
    here, corner = pixels(heads, eye=(10.0, 10.0, 0.0))
    there, other = pixels(heads, eye=(SQUARE + 10.0, 10.0, 0.0))
    for x, y in ((262.0, 101.0), (250.0, 90.0), (-20.0, 250.0)):
        np.testing.assert_array_equal(at(here, corner, x, y), at(there, other, x, y))
