"""Weather, light, materials and sensor of a scene, all drawn from the seed."""

from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats32, Integers, Integers32
from autosim.client.rendering.exposure import exposed
from autosim.client.rendering.measured import Measured
from autosim.config.semantic_classes import CLASSES, class_number
from autosim.config.world_settings import CLEAR, SkyDescription
from autosim.kinds.sensors.perception.camera import Camera

_DAYLIGHT, _DAY = 0.7, (7.0, 18.0)
"""Share of scenes that are surely by day, and the hours [h] of these."""

_RAINY, _SNOWY, _FOGGY = 0.25, 0.1, 0.2
"""Shares of scenes with rain, with snow, and with a visibility below 3 km."""

_FOG = 80.0, 3000.0
"""Least and largest visibility [m] of these."""

_STOPS = 0.7
"""Largest difference of the exposure [stops] from the one that the sky has by default."""

_FULL_WELLS = 2000.0, 20000.0
"""Least and largest number of electrons in a white pixel: small and large pixels at low gain."""

_HUES = 0.3
"""Largest relative difference of a material's reflectance in one colour."""

_UNTINTED = ("unlabeled", "sky", "lane marking", "person")

_CONTRAST = log(20.0)
"""Extinction over the visibility, at which 5 % of the contrast is left (Koschmieder)."""


@dataclass(frozen=True, slots=True)
class SceneConditions:
    """Conditions of the frames of one scene.

    `sky`: day time and weather; `sensor`: exposure and noise of the camera; `materials`: number
    from which reflectances follow, 0: those of the world.
    """

    sky: SkyDescription
    sensor: Camera
    materials: int = 0

    def record(self, picture: Bytes, measured: Measured, *, step: int) -> Bytes:
        """The picture (h, w, 4) as the camera records it: tinted, exposed and with noise.

        Args:
            picture: of the renderer.
            measured: of the same view.
            step: of the state, on which the noise depends.
        """
        if self.materials:
            picture = tinted(picture, measured, self.materials, visibility=self.sky.visibility)
        return exposed(picture, self.sensor, name="dataset", seed=self.materials, step=step)


def conditions_of(
    scene: int, seed: int, world: SkyDescription, *, is_varied: bool
) -> SceneConditions:
    """The conditions of a scene: the same seed and scene have the same ones.

    Args:
        scene: its number.
        seed: of the data set.
        world: day time and weather of the world file, for data sets that do not vary.
        is_varied: whether anything differs from it.
    """
    if not is_varied:
        return SceneConditions(world, Camera("sensor", ""))
    numbers = np.random.Generator(np.random.Philox(key=[seed, scene]))
    hours = float(numbers.uniform(*(_DAY if numbers.random() < _DAYLIGHT else (0.0, 24.0))))
    rain = float(numbers.uniform(0.1, 1.0)) if numbers.random() < _RAINY else 0.0
    snow = float(numbers.uniform(0.1, 1.0)) if numbers.random() < _SNOWY and not rain else 0.0
    fog = float(np.exp(numbers.uniform(*np.log(_FOG))))
    sky = SkyDescription(
        hours=round(hours, 3),
        month=int(numbers.integers(1, 13)),
        day=int(numbers.integers(1, 29)),
        clouds=round(max(float(numbers.random()), 0.8 * float(rain + snow > 0.0)), 3),
        visibility=round(fog, 1) if numbers.random() < _FOGGY else CLEAR,
        rain=round(rain, 3),
        snow=round(snow, 3),
        wetness=round(max(rain, float(numbers.random() < _RAINY) * float(numbers.random())), 3),
        snow_cover=round(snow, 3),
    )
    sensor = Camera(
        "sensor",
        "",
        exposure=round(float(numbers.uniform(-_STOPS, _STOPS)), 3),
        full_well=round(float(np.exp(numbers.uniform(*np.log(_FULL_WELLS)))), 1),
        read_noise=round(float(numbers.uniform(1.0, 8.0)), 2),
    )
    return SceneConditions(sky, sensor, int(numbers.integers(1, 2**31)))


def tinted(picture: Bytes, measured: Measured, seed: int, *, visibility: float) -> Bytes:
    """A picture (h, w, 4) with other reflectances of materials.

    Light that a matt surface reflects is proportional to its reflectance, so that another one
    multiplies the light of its pixels; what haze adds on the way to the camera stays. Buildings and
    vehicles have one reflectance each, other classes one for all of a class.

    Args:
        picture: of the renderer; light is the square of its values.
        measured: depths, classes and instances of the same view.
        seed: of the reflectances.
        visibility: of the air [m].
    """
    with_own = np.isin(measured.classes, _OWN)
    keys = np.where(with_own, measured.instances, 0).astype(np.int64) * 64 + measured.classes
    found, places = np.unique(keys, return_inverse=True)
    factors = _factors(found, seed)
    reached = np.exp(-_CONTRAST / visibility * measured.depths)
    light = 1.0 + (factors[places.reshape(keys.shape)] - 1.0) * reached[..., None]
    result = picture.copy()
    result[..., :3] = np.minimum(picture[..., :3] * np.sqrt(light) + 0.5, 255.0)
    return result


_OWN: Integers32 = np.array(
    [each.number for each in CLASSES if each.has_instances and each.name != "vegetation"],
    dtype=np.int32,
)
Hashes: TypeAlias = npt.NDArray[np.uint64]

_PLAIN = [class_number(name) for name in _UNTINTED]


def _factors(keys: Integers, seed: int) -> Floats32:
    """Relative reflectances (n, 3) of materials (n,): a hash of each with the seed (splitmix64)."""
    each = np.multiply(keys, 3, dtype=np.int64)[:, None] + np.arange(3)
    z: Hashes = each.astype(np.uint64)
    z = (z + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    shares = (z >> np.uint64(40)).astype(np.float32) / np.float32(2**24)
    factors = 1.0 + np.float32(_HUES) * (2.0 * shares - 1.0)
    factors[np.isin(np.asarray(keys) % 64, _PLAIN)] = 1.0
    return np.asarray(factors, dtype=np.float32)
