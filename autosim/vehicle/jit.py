"""The one door to numba: a typed decorator for the kernels of the vehicle model."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compiles `function` at its first call and keeps the machine code on disk.

    Without `fastmath`: sums stay in the order written, so that the same input gives the same
    bits in every run. numba carries no types, hence the cast.
    """
    return cast(Function, njit(cache=True)(function))
