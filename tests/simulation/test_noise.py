import numpy as np

from autosim.config.descriptions import Noise
from autosim.simulation.noise import NoiseField

GAUSSIAN = Noise("WhiteGaussianNoise", range=0.2, offset=1.0)
UNIFORM = Noise("WhiteNoise", range=0.5, offset=-1.0)


def samples(field: NoiseField, steps: int) -> np.ndarray:
    return np.array([field.sample(step).copy() for step in range(steps)])


def test_white_gaussian_noise_is_the_sum_of_twenty_uniforms():
    values = samples(NoiseField([("a", (GAUSSIAN,))], seed=1), 20_000)[:, 0] - 1.0
    assert abs(values.mean()) < 3e-4
    np.testing.assert_allclose(values.std(), 0.2 / 20, rtol=0.02)
    assert np.abs(values).max() < 0.2 * 0.388
    kurtosis = np.mean(values**4) / values.var() ** 2
    np.testing.assert_allclose(kurtosis, 3 - 6 / 5 / 20, atol=0.1)


def test_white_noise_is_uniform_about_its_offset():
    values = samples(NoiseField([("a", (UNIFORM,))], seed=1), 20_000)[:, 0]
    assert values.min() >= -1.5
    assert values.max() <= -0.5
    counts, _ = np.histogram(values, bins=10)
    assert np.all(np.abs(counts - 2000) < 250)


def test_sources_add_up_and_a_quiet_device_stays_quiet():
    both = NoiseField([("a", (GAUSSIAN, UNIFORM)), ("b", ())], seed=1).sample(5).copy()
    gaussian = NoiseField([("a", (GAUSSIAN,))], seed=1).sample(5)[0]
    assert both[1] == 0.0
    assert both[0] != gaussian
    assert abs(both[0]) <= 0.6


def test_a_stream_depends_on_seed_and_device_and_on_no_other_device():
    alone = samples(NoiseField([("a", (GAUSSIAN,))], seed=7), 50)[:, 0]
    among = samples(NoiseField([("b", (UNIFORM,)), ("a", (GAUSSIAN,))], seed=7), 50)[:, 1]
    other = samples(NoiseField([("a", (GAUSSIAN,))], seed=8), 50)[:, 0]
    np.testing.assert_array_equal(alone, among)
    assert not np.any(alone == other)


def test_streams_of_two_devices_are_uncorrelated():
    values = samples(NoiseField([("a", (GAUSSIAN,)), ("b", (GAUSSIAN,))], seed=1), 10_000)
    assert abs(np.corrcoef(values.T)[0, 1]) < 0.03
    assert abs(np.corrcoef(values[1:, 0], values[:-1, 0])[0, 1]) < 0.03
