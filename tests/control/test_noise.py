"""Noise is normal, and follows from seed and place alone."""

import numpy as np

from autosim.control.noise import BLOCK, correlate, draw_noise


def drawn(*ranges, seed=3, plans=32 * BLOCK, steps=8):
    noise = np.zeros((steps, 2, plans))
    for first, last in ranges or [(0, plans)]:
        draw_noise(first, last, np.uint64(seed), (0.5, 2.0), noise)
    return noise


def test_it_is_normal_with_its_deviations():
    noise = drawn()
    for values, deviation in ((noise[:, 0], 0.5), (noise[:, 1], 2.0)):
        scaled = values.ravel() / deviation
        assert abs(scaled.mean()) < 0.02
        assert abs(scaled.std() - 1.0) < 0.02
        assert abs((np.abs(scaled) < 1.0).mean() - 0.6827) < 0.01
        assert abs((np.abs(scaled) > 2.0).mean() - 0.0455) < 0.005
    assert abs(np.corrcoef(noise[:, 0].ravel(), noise[:, 1].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(noise[0, 0], noise[1, 0])[0, 1]) < 0.06


def test_parts_are_those_of_the_whole_in_any_order():
    np.testing.assert_array_equal(drawn((16 * BLOCK, 32 * BLOCK), (0, 16 * BLOCK)), drawn())


def test_another_seed_gives_others():
    assert not np.isin(drawn(seed=4), drawn()).any()


def test_correlated_noise_goes_on_from_step_to_step_with_the_same_deviation():
    noise = drawn()
    correlate(0, noise.shape[2], 0.9, noise)
    for k, deviation in ((0, 0.5), (1, 2.0)):
        assert abs(noise[-1, k].std() / deviation - 1.0) < 0.05
        for apart in (1, 3):
            found = np.corrcoef(noise[0, k], noise[apart, k])[0, 1]
            assert abs(found - 0.9**apart) < 0.02


def test_parts_of_correlated_noise_are_those_of_the_whole():
    whole, parts = drawn(), drawn()
    correlate(0, 32 * BLOCK, 0.7, whole)
    for first in (16 * BLOCK, 0):
        correlate(first, first + 16 * BLOCK, 0.7, parts)
    np.testing.assert_array_equal(whole, parts)
