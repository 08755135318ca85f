"""Noise is normal, and follows from seed and place alone."""

import numpy as np

from autosim.control.rollout_noise import BLOCK, correlate, draw_noise


def drawn(*ranges, seed=3, blocks=16, steps=8):
    noise = np.zeros((blocks, steps, 2, BLOCK))
    for first, last in ranges or [(0, blocks)]:
        draw_noise(first, last, np.uint64(seed), (0.5, 2.0), noise)
    return noise


def rows(noise):
    """(T, 2, K): what each step has of all plans."""
    blocks, steps, numbers, block = noise.shape
    return noise.transpose(1, 2, 0, 3).reshape(steps, numbers, blocks * block)


def test_it_is_normal_with_its_deviations():
    noise = rows(drawn())
    for values, deviation in ((noise[:, 0], 0.5), (noise[:, 1], 2.0)):
        scaled = values.ravel() / deviation
        assert abs(scaled.mean()) < 0.02
        assert abs(scaled.std() - 1.0) < 0.02
        assert abs((np.abs(scaled) < 1.0).mean() - 0.6827) < 0.01
        assert abs((np.abs(scaled) > 2.0).mean() - 0.0455) < 0.005
    assert abs(np.corrcoef(noise[:, 0].ravel(), noise[:, 1].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(noise[0, 0], noise[1, 0])[0, 1]) < 0.06


def test_parts_are_those_of_the_whole_in_any_order():
    np.testing.assert_array_equal(drawn((8, 16), (0, 8)), drawn())


def test_another_seed_gives_others():
    assert not np.isin(drawn(seed=4), drawn()).any()


def test_correlated_noise_goes_on_from_step_to_step_with_the_same_deviation():
    noise = drawn()
    correlate(0, len(noise), 0.9, noise)
    noise = rows(noise)
    for k, deviation in ((0, 0.5), (1, 2.0)):
        assert abs(noise[-1, k].std() / deviation - 1.0) < 0.05
        for apart in (1, 3):
            found = np.corrcoef(noise[0, k], noise[apart, k])[0, 1]
            assert abs(found - 0.9**apart) < 0.02


def test_parts_of_correlated_noise_are_those_of_the_whole():
    whole, parts = drawn(), drawn()
    correlate(0, 16, 0.7, whole)
    for first in (8, 0):
        correlate(first, first + 8, 0.7, parts)
    np.testing.assert_array_equal(whole, parts)
