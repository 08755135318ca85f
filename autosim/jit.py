"""The one door to numba: typed decorators for kernels and for what they call.

Kernels may call the functions of `portable`; of `math` only what is exact, as `sqrt` is.

Machine code is cached next to the source or, where that cannot be written, in the user's cache, per
kind of processor. It is compiled again when the source of anything that it calls has changed.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property, partial, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from autosim import portable

Function = TypeVar("Function", bound=Callable[..., object])
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

Scalar = TypeVar("Scalar", bound=np.generic)


_called: list[tuple[Callable[..., object], dict[str, str]]] = []
"""Functions that kernels call and numba does not know yet, each with the options it takes."""

_lowerings: dict[Callable[..., object], str] = {}
"""Functions whose machine code a module writes by hand, and the names of those modules."""

_waiting_lowerings: list[str] = []
"""Modules of lowerings that are not imported yet."""

_callable: set[Callable[..., object]] = set()
"""All functions that kernels may call."""


class Kernel:
    """A function that is compiled at its first call.

    numba is not imported before: programs and checks of files import modules with kernels, and
    call none.
    """

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options

    def __call__(self, *arguments: object) -> Any:
        """Calls the compiled function."""
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """The function as numba's dispatcher, which carries no types."""
        from numba import njit
        from numba.extending import register_jitable

        _import_without_blas()
        while _waiting_lowerings:
            import_module(_waiting_lowerings.pop())
        while _called:
            called, options = _called.pop()
            register_jitable(no_cfunc_wrapper=True, **options)(called)
        try:
            kernel = njit(cache=True, no_cfunc_wrapper=True, **self._options)(self._function)
        except RuntimeError:
            # Neither the package's folder nor the user's cache can be written.
            return njit(no_cfunc_wrapper=True, **self._options)(self._function)
        # numba drops cached code when the function's own file changes. Kernels here call functions
        # of other files, whose code is part of theirs: the stamp has to know all of them. It stands
        # for the version as well, since the index of another one may name types that are gone.
        kept = kernel._cache._cache_file
        kept._source_stamp = kept._version = f"{kept._version} {source_stamp(self._function)}"
        _let_disk_be_full(kernel._cache)
        _let_types_be_gone(kernel._cache._cache_file)
        return kernel


@cache
def _import_without_blas() -> None:
    """Imports numba's functions of arrays without SciPy's linear algebra.

    numba imports it only to check that it is there, and again when a kernel that calls it is
    compiled; none of ours does. The import takes a fifth of the start of a simulation.
    """
    from numba.np import linalg

    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = check


def compiled(function: Function) -> Function:
    """Compiles `function` at its first call and keeps the machine code on disk, where it can.

    Without `fastmath`: sums stay in the order written, so that the same input gives the same
    bits in every run.
    """
    return cast(Function, Kernel(function))


def vectorised(function: Function) -> Function:
    """As `compiled`, for loops over many numbers, which threads of Python may run in parallel.

    It releases the GIL. Divisions by zero give infinities and nan instead of an exception, and a
    loop without exceptions becomes instructions for several numbers at once.
    """
    return cast(Function, Kernel(function, nogil=True, error_model="numpy"))


def compiled_nogil(function: Function) -> Function:
    """As `compiled`, and threads of Python may run it in parallel: it releases the GIL."""
    return cast(Function, Kernel(function, nogil=True))


def compiled_without_refcounts(function: Function) -> Function:
    """As `compiled`, for kernels that take records of dozens of arrays and make no array.

    It counts no references to them: else each call of a function, with such a record, takes longer
    than its work.
    """
    return cast(Function, Kernel(function, _nrt=False))


def bind_arguments(
    kernel: Callable[Arguments, Result], *values: Arguments.args, **_: Arguments.kwargs
) -> Callable[[], Result]:
    """A kernel with all its arguments: one call of it with the same arrays, again and again.

    It is compiled here, and finds out here what its arguments are. In each call of a kernel with
    dozens of arrays that takes longer than its work.
    """
    types = tuple(_type_of(value) for value in values)
    return partial(cast(Kernel, kernel).dispatcher.compile(types), *values)


def bind_leading_arguments(
    kernel: Callable[..., Result], *values: object, like: tuple[object, ...]
) -> Callable[..., Result]:
    """As `bind_arguments`, of a kernel whose last arguments are given with each call.

    Args:
        kernel: as of `bind_arguments`.
        values: all arguments but the last ones.
        like: of the types of those.
    """
    types = tuple(_type_of(value) for value in (*values, *like))
    return partial(cast(Kernel, kernel).dispatcher.compile(types), *values)


def _type_of(value: object) -> object:
    """Numba's type of a value, cached: finding it takes a tenth of a millisecond."""
    from numba import typeof

    key = _kind_of(value)
    if key is None:
        return typeof(value)
    if key not in _types:
        _types[key] = typeof(value)
    return _types[key]


def _kind_of(value: object) -> tuple[object, ...] | None:
    """Key of the type of an array, or of a tuple of arrays; None for anything else."""
    if type(value) is np.ndarray:
        flags = value.flags
        is_rows, is_columns = flags.c_contiguous, flags.f_contiguous
        return value.dtype, value.ndim, is_rows, is_columns, flags.writeable, flags.aligned
    if type(value) is float:
        return (float,)
    if isinstance(value, tuple):
        kinds = tuple(_kind_of(each) for each in value)
        return None if None in kinds else (type(value), kinds)
    return None


_types: dict[tuple[object, ...], object] = {}
"""Numba's types, by what they follow from."""


def jitable(function: Function) -> Function:
    """Marks a function for calls by kernels: compiled with each of them, Python elsewhere.

    So no machine code for calls by Python is made or cached.
    """
    return _to_be_called(function)


def inlined(function: Function) -> Function:
    """Marks a function for calls by kernels, inlined into each of them.

    For the innermost loops: LLVM does not inline some calls, and each counts the references to its
    arrays, which may take as long as what it computes.
    """
    return _to_be_called(function, inline="always")


def lowered_by(module: str) -> Callable[[Function], Function]:
    """Marks a function for calls by kernels whose machine code a module writes by hand.

    Args:
        module: its name. It imports numba and is imported before the first kernel is compiled.
    """

    def add(function: Function) -> Function:
        _lowerings[function] = module
        _waiting_lowerings.append(module)
        _callable.add(function)
        return function

    return add


def _to_be_called(function: Function, **options: str) -> Function:
    _called.append((function, options))
    _callable.add(function)
    return function


for _function in (
    *(portable.sin_cos, portable.sin, portable.cos, portable.tan),
    *(portable.arctan2, portable.arctan, portable.hypot, portable.wrapped),
    *(portable.exp_parts, portable.exp_of),
    *(portable.log_of, portable.log_of_parts),
):
    jitable(_function)


def is_cached(kernel: Callable[..., object]) -> bool:
    """Whether machine code for this processor is here, on disk, or none can be put there."""
    dispatcher = cast(Kernel, kernel).dispatcher
    if dispatcher.overloads:
        return True
    kept, codegen = dispatcher._cache, dispatcher.targetctx.codegen()
    if not hasattr(kept, "_cache_file"):
        return True
    processors = (processor for _, processor, _ in kept._cache_file._load_index())
    return codegen.magic_tuple() in processors


def read_only(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """A read-only view: to kernels a mapped file and memory then have the same type."""
    view = array.view()
    view.flags.writeable = False
    return view


class _KernelCache(Protocol):
    """The used part of numba's cache of the code of a kernel."""

    save_overload: Callable[..., None]
    _load_index: Callable[[], object]


def _let_disk_be_full(kept: _KernelCache) -> None:
    """Ignores failures to cache code: the next process compiles it again."""
    save = kept.save_overload

    def try_to_save(*arguments: object) -> None:
        with suppress(OSError):
            save(*arguments)

    kept.save_overload = try_to_save


def _let_types_be_gone(kept: _KernelCache) -> None:
    """Compiles again where the cached code is for types that no longer exist.

    The stamp does not include them: they may be in a field of a record that a kernel takes.
    """
    load = kept._load_index

    def try_to_load() -> object:
        try:
            return load()
        except (ImportError, AttributeError):
            return {}

    kept._load_index = try_to_load


def source_stamp(function: Callable[..., object]) -> str:
    """SHA-256 (hex) over all that goes into the machine code of a kernel.

    These are the files of the functions that it calls and that those call, and the values of the
    constants that they name.
    """
    digest = hashlib.sha256()
    files: set[Path] = set()
    for each in _reached(cast(FunctionType, function)):
        files.add(Path(each.__code__.co_filename))
        if each in _lowerings:
            files.add(_file_of(_lowerings[each]))
        for value in _named(each):
            digest.update(_bytes_of(value))
    for path in sorted(files):
        digest.update(_content(path))
    return digest.hexdigest()


def _reached(function: FunctionType) -> Iterator[FunctionType]:
    """A function and all that it calls, in a fixed order."""
    found: dict[FunctionType, None] = {function: None}
    waiting = [function]
    while waiting:
        for value in _named(waiting.pop()):
            called = value._function if isinstance(value, Kernel) else value
            if (
                isinstance(called, FunctionType)
                and (called is not value or called in _callable)
                and called not in found
            ):
                found[called] = None
                waiting.append(called)
    yield from found


def _named(function: FunctionType) -> Iterator[object]:
    """The values of the names that a function's code has, its module's and those of others."""
    names = dict.fromkeys(_names_in(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from (getattr(value, each, None) for each in names)
        else:
            yield value


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _bytes_of(value: object) -> bytes:
    """Bytes of a value that machine code depends on: constants, fields of named tuples."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return b"".join(_bytes_of(each) for each in value)
    if isinstance(value, bool | int | float | str | np.generic):
        return repr(value).encode()
    return repr(getattr(value, "_fields", "")).encode()


def _file_of(module: str) -> Path:
    """The source of a module, which is not imported for it."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named '{module}'")
    return Path(spec.origin)


@cache
def _content(path: Path) -> bytes:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).digest()
