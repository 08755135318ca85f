"""Noise sources act on values as the robot file says, the same in every run."""

import numpy as np
import pytest

from autosim.config.noise_records import (
    Bias,
    Delay,
    Dropout,
    Hold,
    Outlier,
    Quantization,
    RandomWalk,
    Saturation,
    Scale,
    WhiteGaussianNoise,
    WhiteNoise,
)
from autosim.model.noise import NoiseField, NoisyValue

STEP = 1 / 200
GAUSSIAN = WhiteGaussianNoise(range=0.2, offset=1.0)
UNIFORM = WhiteNoise(range=0.5, offset=-1.0)


def field_of(*devices, seed=1, step=STEP) -> NoiseField:
    """The noise of devices with a value each, given as (name, sources)."""
    channels = [NoisyValue(name, name, "", sources) for name, sources in devices]
    return NoiseField(channels, seed=seed, step_seconds=step)


def arrivals(field: NoiseField, truth: np.ndarray) -> np.ndarray:
    """What arrives (steps, n) of true values (steps, n)."""
    rows = []
    for step, values in enumerate(truth):
        field.step = step
        rows.append(field(values.copy()))
    return np.array(rows)


def of_one(*sources, truth, **others) -> np.ndarray:
    return arrivals(field_of(("a", sources), **others), np.asarray(truth)[:, None])[:, 0]


def test_white_gaussian_noise_is_the_sum_of_twenty_uniforms():
    values = of_one(GAUSSIAN, truth=np.zeros(20_000)) - 1.0
    assert abs(values.mean()) < 3e-4
    np.testing.assert_allclose(values.std(), 0.2 / 20, rtol=0.02)
    assert np.abs(values).max() < 0.2 * 0.388
    kurtosis = np.mean(values**4) / values.var() ** 2
    np.testing.assert_allclose(kurtosis, 3 - 6 / 5 / 20, atol=0.1)


def test_the_noise_of_a_density_is_the_same_in_a_second_whatever_the_step():
    for step in (1 / 100, 1 / 400):
        values = of_one(WhiteGaussianNoise(density=0.03), truth=np.zeros(20_000), step=step)
        np.testing.assert_allclose(values.std(), 0.03 / np.sqrt(step), rtol=0.02)


def test_white_noise_is_uniform_about_its_offset():
    values = of_one(UNIFORM, truth=np.zeros(20_000))
    assert values.min() >= -1.5
    assert values.max() <= -0.5
    counts, _ = np.histogram(values, bins=10)
    assert np.all(np.abs(counts - 2000) < 250)


def test_sources_act_one_after_the_other_and_a_quiet_device_stays_quiet():
    truth = np.full((5, 2), 7.3)
    limits = Saturation(0.0, 5.0)
    first = arrivals(field_of(("a", (limits, GAUSSIAN)), ("b", ())), truth)
    last = arrivals(field_of(("a", (GAUSSIAN, limits)), ("b", ())), truth)
    assert np.all(first[:, 0] > 5.5)
    assert np.all(last[:, 0] == 5.0)
    assert np.all(first[:, 1] == 7.3)


def test_a_stream_depends_on_seed_and_device_and_on_no_other_device():
    zeros = np.zeros((50, 2))
    alone = arrivals(field_of(("a", (GAUSSIAN,)), seed=7), zeros[:, :1])[:, 0]
    among = arrivals(field_of(("b", (UNIFORM,)), ("a", (GAUSSIAN,)), seed=7), zeros)[:, 1]
    other = arrivals(field_of(("a", (GAUSSIAN,)), seed=8), zeros[:, :1])[:, 0]
    np.testing.assert_array_equal(alone, among)
    assert not np.any(alone == other)


def test_streams_of_two_devices_are_uncorrelated():
    both = field_of(("a", (GAUSSIAN,)), ("b", (GAUSSIAN,)))
    values = arrivals(both, np.zeros((10_000, 2)))
    assert abs(np.corrcoef(values.T)[0, 1]) < 0.03
    assert abs(np.corrcoef(values[1:, 0], values[:-1, 0])[0, 1]) < 0.03


@pytest.mark.parametrize(("kind", "truth"), [(Bias, 0.0), (Scale, 1.0)])
def test_bias_and_scale_stay_in_a_run_and_differ_between_runs(kind, truth):
    source = kind(0.5, 0.1)
    drawn = []
    for seed in range(400):
        values = of_one(source, truth=np.full(3, truth), seed=seed) - truth
        assert np.ptp(values) == 0.0
        drawn.append(values[0])
    np.testing.assert_allclose(np.mean(drawn), 0.5, atol=0.02)
    np.testing.assert_allclose(np.std(drawn), 0.1, rtol=0.1)


def test_a_random_walk_spreads_with_the_root_of_the_time_whatever_the_step():
    for step in (1 / 50, 1 / 200):
        walks = field_of(*((f"d{k}", (RandomWalk(0.2),)) for k in range(500)), step=step)
        ends = arrivals(walks, np.zeros((round(1 / step) + 1, 500)))
        np.testing.assert_allclose(ends[-1].std(), 0.2, rtol=0.1)


def test_a_random_walk_with_a_time_constant_stays_near():
    walks = field_of(*((f"d{k}", (RandomWalk(0.2, 0.5),)) for k in range(500)))
    ends = arrivals(walks, np.zeros((800, 500)))
    np.testing.assert_allclose(ends[-1].std(), 0.2 * np.sqrt(0.25), rtol=0.1)


def test_quantization_rounds_to_its_steps():
    values = of_one(Quantization(0.25), truth=[0.1, 0.13, -0.13, 1.0])
    np.testing.assert_array_equal(values, [0.0, 0.25, -0.25, 1.0])


def test_outliers_are_as_many_and_as_large_as_the_file_says():
    values = of_one(Outlier(0.1, 3.0), truth=np.zeros(20_000))
    assert (values != 0.0).mean() == pytest.approx(0.1, abs=0.01)
    assert 2.9 < np.abs(values).max() <= 3.0


def test_what_drops_out_leaves_the_value_before():
    truth = np.arange(10_000.0)
    late = truth - of_one(Dropout(0.25), truth=truth)
    assert late[0] == 0.0
    assert (late > 0).mean() == pytest.approx(0.25, abs=0.02)
    assert np.all(np.diff(late)[late[1:] > 0] == 1.0)


def test_a_delay_is_as_long_as_the_file_says_and_begins_with_the_first_value():
    truth = np.arange(100.0)
    values = of_one(Delay(5 * STEP), truth=truth)
    np.testing.assert_array_equal(values, np.maximum(truth - 5, 0.0))


def test_jitter_delays_some_more_and_none_overtakes_another():
    truth = np.arange(5_000.0)
    values = of_one(Delay(2 * STEP, 3 * STEP), truth=truth)
    late = (truth - values)[10:]
    assert set(late) == {3.0, 4.0, 5.0}
    assert np.all(np.diff(values) >= 0.0)


def test_what_is_held_is_renewed_at_its_rate_also_between_two_steps():
    truth = np.arange(1, 1001) * 1.0
    values = of_one(Hold(60.0), truth=truth)
    renewed = np.flatnonzero(np.diff(values))
    assert len(renewed) == pytest.approx(5 * 60, abs=1)
    assert set(np.diff(renewed)) == {3, 4}


def test_values_of_one_device_arrive_together_and_err_apart():
    sources = (WhiteNoise(0.1, field="x"), Dropout(0.5), Delay(0.0, 10 * STEP))
    channels = [NoisyValue(f"gps.{name}", "gps", name, sources) for name in "xy"]
    channels.append(NoisyValue("gps.time", "gps", "time", sources, is_stamp=True))
    field = NoiseField(channels, seed=3, step_seconds=STEP)
    truth = np.repeat(np.arange(500.0)[:, None], 3, axis=1)
    x, y, time = arrivals(field, truth).T
    np.testing.assert_array_equal(y, time)
    assert np.all((x != y) & (np.abs(x - y) <= 0.1))


def test_a_run_that_goes_on_in_another_gives_the_same():
    sources = (RandomWalk(1.0), Dropout(0.3), Delay(3 * STEP, 2 * STEP), Hold(50.0))
    truth = np.sin(np.arange(60.0))[:, None]
    whole = arrivals(field_of(("a", sources)), truth)
    begun, other = field_of(("a", sources)), field_of(("b", ()), ("a", sources))
    arrivals(begun, truth[:30])
    for memory, copy in zip(begun.memories, other.memories, strict=True):
        assert memory.names == copy.names
        copy.rows[:] = memory.rows
    rest = []
    for step in range(30, 60):
        other.step = step
        rest.append(other(np.array([0.0, truth[step, 0]]))[1])
    np.testing.assert_array_equal(rest, whole[30:, 0])


def test_noise_reaches_what_has_another_unit_only_by_its_name():
    """As the speed over ground of a receiver whose noise is in metres."""
    sources = (Bias(1.0), Bias(0.1, field="speed"))
    channels = [
        NoisyValue("a.gps.east", "a.gps", "east", sources),
        NoisyValue("a.gps.speed", "a.gps", "speed", sources, is_stamp=True),
    ]
    noise = NoiseField(channels, seed=1, step_seconds=0.01)
    np.testing.assert_allclose(noise(np.zeros(2)), [1.0, 0.1])
