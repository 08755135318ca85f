"""The one door to numba: typed decorators for kernels and for what they call.

Kernels may call the functions of `portable`; of `math` only what is exact, as `sqrt` is.

Code is kept beside the source or, where that cannot be written, in the user's cache, for each kind
of processor by itself. It is made anew when a source file of the package has changed.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numpy.typing as npt

from autosim import portable

_CALLED_BY_ALL = ("simulation", "rays", "tracks", "estimation", "traffic", "world/geometry")
"""Packages with functions that kernels of others call."""

Function = TypeVar("Function", bound=Callable[..., object])
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


_called: list[tuple[Callable[..., object], dict[str, str]]] = []
"""Functions that kernels call and numba does not know yet, each with the options it takes."""


class Kernel:
    """A function that is compiled at its first call.

    numba is not imported before: programs and checks of files import modules with kernels, and
    call none.
    """

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options

    def __call__(self, *arguments: Any) -> Any:
        """Calls the compiled function."""
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function; it carries no types."""
        from numba import njit
        from numba.extending import register_jitable

        while _called:
            called, options = _called.pop()
            register_jitable(no_cfunc_wrapper=True, **options)(called)
        try:
            kernel = njit(cache=True, no_cfunc_wrapper=True, **self._options)(self._function)
        except RuntimeError:
            # Neither the package's folder nor the user's cache can be written.
            return njit(no_cfunc_wrapper=True, **self._options)(self._function)
        # numba drops cached code when the function's own file changes. Kernels here call kernels of
        # other files, whose code is part of theirs: the stamp has to know all of them.
        kernel._cache._cache_file._source_stamp = source_stamp(
            Path(self._function.__code__.co_filename).parent
        )
        _let_disk_be_full(kernel._cache)
        return kernel


def compiled(function: Function) -> Function:
    """Compiles `function` at its first call and keeps the machine code on disk, where it can.

    Without `fastmath`: sums stay in the order written, so that the same input gives the same
    bits in every run.
    """
    return cast(Function, Kernel(function))


def vectorised(function: Function) -> Function:
    """As `compiled`, for loops over many numbers, which threads of Python may run side by side.

    It lets go of Python's lock. Divisions by zero give infinities and nan instead of an exception,
    and a loop without exceptions becomes instructions for several numbers at once.
    """
    return cast(Function, Kernel(function, nogil=True, error_model="numpy"))


def uncounted(function: Function) -> Function:
    """As `compiled`, for kernels that take records of dozens of arrays and make no array.

    It counts no references to them: else each call of a function, with such a record, takes longer
    than its work.
    """
    return cast(Function, Kernel(function, _nrt=False))


def bound(
    kernel: Callable[Arguments, Result], *values: Arguments.args, **_: Arguments.kwargs
) -> Callable[[], Result]:
    """A kernel with all its arguments: one call of it with the same arrays, again and again.

    It is compiled here, and finds out here what its arguments are. In each call of a kernel with
    dozens of arrays that takes longer than its work.
    """
    from numba import typeof

    types = tuple(typeof(value) for value in values)
    return partial(cast(Any, kernel).dispatcher.compile(types), *values)


def compilable(function: Function) -> Function:
    """What kernels call: compiled with each of them, and Python where Python calls it.

    So no machine code is made, nor kept, by which Python could call it.
    """
    _called.append((function, {}))
    return function


def inlined(function: Function) -> Function:
    """What kernels call, set into each of them as if it had been written there.

    For the innermost loops: LLVM leaves some calls as they are, and each counts the references to
    its arrays, which may take as long as what it computes.
    """
    _called.append((function, {"inline": "always"}))
    return function


for _function in (
    *(portable.sin_cos, portable.sin, portable.cos, portable.tan),
    *(portable.arctan2, portable.arctan, portable.hypot, portable.wrapped),
    *(portable.exp_parts, portable.exp_of),
    *(portable.log_of, portable.log_of_parts),
):
    compilable(_function)


def is_kept(kernel: Callable[..., object]) -> bool:
    """Whether machine code for this processor is on disk, or none can be put there."""
    dispatcher = cast(Any, kernel).dispatcher
    kept, codegen = dispatcher._cache, dispatcher.targetctx.codegen()
    if not hasattr(kept, "_cache_file"):
        return True
    processors = (processor for _, processor, _ in kept._cache_file._load_index())
    return codegen.magic_tuple() in processors


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that nobody writes: to kernels a mapped file and memory are then alike."""
    view = array.view()
    view.flags.writeable = False
    return view


def _let_disk_be_full(kept: Any) -> None:
    """Goes on with code that could not be kept: to the next process it is new again."""
    save = kept.save_overload

    def try_to_save(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    kept.save_overload = try_to_save


@cache
def source_stamp(package: Path) -> str:
    """SHA-256 (hex) over the source files of a package, and of those that all kernels call."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    folders = dict.fromkeys((package, *(here / name for name in _CALLED_BY_ALL)))
    called = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    for path in [*called, Path(portable.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()
