"""Clouds are noise that is repeated, and what lies between its samples is linear."""

import numpy as np

from autosim.client.sky_and_light.sky import sampled_between


def test_between_samples_values_are_linear_and_the_picture_is_repeated():
    values = np.random.default_rng(3).random((5, 7))
    rows, columns = np.divmod(np.arange(35.0), 7)
    assert np.array_equal(sampled_between(values, rows + 5, columns - 14).reshape(5, 7), values)
    middle = sampled_between(values, np.array([4.5]), np.array([-0.25]))
    expected = 0.5 * (0.25 * values[4, 6] + 0.75 * values[4, 0] + 0.25 * values[0, 6])
    np.testing.assert_allclose(middle, expected + 0.5 * 0.75 * values[0, 0], rtol=1e-12)
