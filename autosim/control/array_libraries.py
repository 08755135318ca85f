"""An adapter for PyTorch, NumPy and CuPy, so that the same lines run on arrays of each.

PyTorch and CuPy are imported when they are asked for; AutoSim needs neither.
"""

import importlib
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats

Array = Any
"""An array of the library; none of the three has types that the others share."""


class ArrayLibrary(Protocol):
    """Functions that plans need in addition to operators."""

    def array(self, values: npt.ArrayLike) -> Array:
        """Values as an array of the library in double precision, on its device."""

    def whole(self, values: Array) -> Array:
        """Values without their fractions, as indices."""

    def limited(self, values: Array, least: Array, most: Array) -> Array:
        """Values, or the limit that they lie beyond."""

    def exp(self, values: Array) -> Array:
        """Powers of e."""

    def stacked(self, values: list[Array]) -> Array:
        """Arrays of one shape as one, along a new first axis."""

    def numpy(self, values: Array) -> Floats:
        """An array of NumPy with the same values."""


class NumpyLike:
    """NumPy itself, or CuPy."""

    def __init__(self, name: str) -> None:
        self._module = _imported(name, "pip install cupy-cuda12x")
        self._name = name

    def array(self, values: npt.ArrayLike) -> Array:
        """Values as an array in double precision."""
        return self._module.asarray(values, dtype=np.float64)

    def whole(self, values: Array) -> Array:
        """Values without their fractions."""
        return values.astype(np.int64)

    def limited(self, values: Array, least: Array, most: Array) -> Array:
        """Values, or the limit that they lie beyond."""
        return self._module.minimum(self._module.maximum(values, least), most)

    def exp(self, values: Array) -> Array:
        """Powers of e."""
        return self._module.exp(values)

    def stacked(self, values: list[Array]) -> Array:
        """Arrays as one."""
        return self._module.stack(values)

    def numpy(self, values: Array) -> Floats:
        """An array of NumPy."""
        return np.asarray(values.get() if self._name == "cupy" else values)


class Torch:
    """PyTorch on a device: "cpu", "cuda", or one of several, "cuda:1"."""

    def __init__(self, device: str) -> None:
        self._module = _imported("torch", "pip install torch")
        self._device = device

    def array(self, values: npt.ArrayLike) -> Array:
        """Values as a tensor in double precision, on the device."""
        torch = self._module
        if isinstance(values, torch.Tensor):
            return values.to(dtype=torch.float64, device=self._device)
        return torch.tensor(np.asarray(values), dtype=torch.float64, device=self._device)

    def whole(self, values: Array) -> Array:
        """Values without their fractions."""
        return values.long()

    def limited(self, values: Array, least: Array, most: Array) -> Array:
        """Values, or the limit that they lie beyond."""
        return self._module.minimum(
            self._module.maximum(values, self.array(least)), self.array(most)
        )

    def exp(self, values: Array) -> Array:
        """Powers of e."""
        return self._module.exp(values)

    def stacked(self, values: list[Array]) -> Array:
        """Tensors as one."""
        return self._module.stack(values)

    def numpy(self, values: Array) -> Floats:
        """An array of NumPy."""
        return np.asarray(values.cpu().numpy())


def array_library(name: str) -> ArrayLibrary:
    """The library of a name: `numpy`, `cupy`, `torch`, or `torch:` and a device, `torch:cuda`.

    Raises:
        ValueError: there is no such library, or it is not installed; the message says how to.
    """
    kind, _, device = name.partition(":")
    if kind in ("numpy", "cupy") and not device:
        return NumpyLike(kind)
    if kind == "torch":
        return Torch(device or "cpu")
    raise ValueError(
        f"there is no library {name!r} for plans: 'compiled', 'numpy', 'cupy', 'torch' and, "
        "with a device, 'torch:cuda' are known"
    )


def _imported(name: str, command: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(
            f"plans by {name} need {name}, which is not installed: {command}"
        ) from error
