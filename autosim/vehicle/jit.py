"""The one door to numba: a typed decorator for the kernels of the vehicle model."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compiles `function` at its first call and keeps the machine code on disk.

    Without `fastmath`: sums stay in the order written, so that the same input gives the same
    bits in every run. numba carries no types, hence the cast.
    """
    kernel = njit(cache=True)(function)
    # numba drops cached code when the function's own file changes. Kernels here call kernels of
    # other files, whose code is part of theirs: the stamp has to know all of them.
    kernel._cache._cache_file._source_stamp = source_stamp()
    return cast(Function, kernel)


@cache
def source_stamp() -> str:
    """SHA-256 (hex) over the source files of this package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
