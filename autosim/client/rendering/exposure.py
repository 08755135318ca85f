"""Image sensor: exposure, and the noise of photons, of reading them, of depths.

The model is that of EMVA 1288 (4.0, 2021) without its dark current: the number of electrons of a
pixel is a Poisson number, here a normal one of the same mean and variance, and reading it out adds
normal noise. Light is the square of a picture's values, as in the programs that draw it.
"""

import hashlib

import numpy as np

from autosim.arrays import Bytes, Floats32
from autosim.kinds.sensors.perception.camera import Camera


def exposed(picture: Bytes, camera: Camera, *, name: str, seed: int, step: int) -> Bytes:
    """A picture (height, width, 4) as the sensor of `camera` records it.

    Args:
        picture: without noise.
        camera: with its exposure and noise.
        name: the camera's qualified name.
        seed: of the run.
        step: of the state that it shows: another step has other noise.
    """
    if camera.exposure == 0.0 and camera.full_well == 0.0:
        return picture
    light = (picture[..., :3].astype(np.float32) / 255.0) ** 2 * np.float32(2.0**camera.exposure)
    if camera.full_well > 0.0:
        electrons = light * camera.full_well
        deviation = np.sqrt(electrons + camera.read_noise**2)
        numbers = _generator(seed, name, step).standard_normal(light.shape, dtype=np.float32)
        light = (electrons + deviation * numbers) / camera.full_well
    recorded = np.empty_like(picture)
    recorded[..., :3] = np.sqrt(np.clip(light, 0.0, 1.0)) * 255.0 + 0.5
    recorded[..., 3] = 255
    return recorded


def noisy_depths(depths: Floats32, camera: Camera, *, name: str, seed: int, step: int) -> Floats32:
    """Depths (height, width) [m] as `camera` measures them.

    Their error grows with the square of the depth, as where the disparity of two pictures has a
    constant error (Khoshelham and Elberink 2012). The other arguments are those of `exposed`.
    """
    if camera.depth_noise == 0.0:
        return depths
    numbers = _generator(seed, f"{name}.depth", step).standard_normal(depths.shape, np.float32)
    finite = np.where(np.isfinite(depths), depths, np.float32(0.0))
    errors = np.float32(camera.depth_noise) * finite * finite * numbers
    return np.asarray(np.maximum(depths + errors, np.float32(0.0)), dtype=np.float32)


def _generator(seed: int, name: str, step: int) -> np.random.Generator:
    """Numbers that follow from the run, the camera and the step alone."""
    digest = hashlib.blake2b(f"{seed}\x1f{name}\x1f{step}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
