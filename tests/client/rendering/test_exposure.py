"""What a sensor makes of light."""

import numpy as np
import pytest

from autosim.client.rendering.exposure import exposed, noisy_depths
from autosim.kinds.sensors.perception.camera import Camera

GREY = 128


def grey(value: int = GREY) -> np.ndarray:
    picture = np.full((200, 200, 4), value, dtype=np.uint8)
    picture[..., 3] = 255
    return picture


def record(picture: np.ndarray, *, seed: int = 0, step: int = 0, name: str = "a", **values):
    camera = Camera("eye", "box", **values)
    return exposed(picture, camera, name=name, seed=seed, step=step)


def test_a_stop_more_doubles_the_light():
    brighter = record(grey(100), exposure=1.0)
    assert brighter[0, 0].tolist() == [round(100 * 2**0.5)] * 3 + [255]
    assert record(grey(200), exposure=1.0)[0, 0].tolist() == [255] * 4
    assert record(grey(100), exposure=-2.0)[0, 0, 0] == 50


@pytest.mark.parametrize(("full_well", "read_noise"), [(1000.0, 0.0), (1000.0, 20.0)])
def test_the_noise_is_that_of_photons_and_of_reading(full_well, read_noise):
    """Of light L: variance (L F + r²) / F²; of its root, after Gauss, that divided by 4 L."""
    recorded = record(grey(), full_well=full_well, read_noise=read_noise)[..., :3] / 255.0
    light = (GREY / 255.0) ** 2
    variance = (light * full_well + read_noise**2) / full_well**2
    rounding = 1.0 / 255.0**2 / 12.0
    assert recorded.mean() == pytest.approx(GREY / 255.0, abs=2e-3)
    assert recorded.var() == pytest.approx(variance / (4.0 * light) + rounding, rel=0.03)


def test_noise_follows_from_seed_camera_and_step_alone():
    def noise(**values):
        return record(grey(), full_well=500.0, **values).tobytes()

    assert noise() == noise()
    others = {noise(seed=1), noise(step=1), noise(name="b")}
    assert len({noise(), *others}) == 4


def test_without_noise_and_exposure_a_picture_stays_as_it_is():
    picture = grey()
    assert record(picture) is picture


def test_the_error_of_depths_grows_with_their_square():
    camera = Camera("eye", "box", kinds=("depth",), depth_noise=0.002)
    depths = np.repeat([[1.0], [10.0], [np.inf]], 20_000, axis=1).astype(np.float32)
    found = noisy_depths(depths, camera, name="a", seed=1, step=5)
    assert found.dtype == np.float32
    near, far, nothing = found
    assert near.std() == pytest.approx(0.002, rel=0.03)
    assert far.std() == pytest.approx(0.2, rel=0.03)
    assert far.mean() == pytest.approx(10.0, abs=0.01)
    assert np.isinf(nothing).all()
    again = noisy_depths(depths, camera, name="a", seed=1, step=5)
    assert np.array_equal(found, again)
    assert not np.array_equal(found, noisy_depths(depths, camera, name="a", seed=2, step=5))
