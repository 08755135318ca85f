"""Puts off importing modules that others name but do not use.

SciPy begins with `from numpy import *`, and that imports all of NumPy that is otherwise imported
when it is asked for: its wrapper of Fortran, its tests, its old names. To compile a town takes none
of them, and a tenth of its time to import them.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType

UNUSED_BY_SCIPY = (
    "numpy.char",
    "numpy.core",
    "numpy.ctypeslib",
    "numpy.f2py",
    "numpy.matlib",
    "numpy.polynomial",
    "numpy.rec",
    "numpy.strings",
    "numpy.testing",
)
"""What SciPy names of NumPy; where it does use it, that is imported at once.

Masked arrays are not among it: `np.unique` asks for them, and they had better be there while the
processor has nothing else to do."""


@contextmanager
def put_off(*names: str) -> Iterator[None]:
    """Inside, `names` ("package.module") are imported when something of them is asked for.

    Afterwards those for which nobody has asked are as if they had never been named.
    """
    waiting = {name: _lazy(name) for name in names if name not in sys.modules}
    try:
        yield
    finally:
        for name, module in waiting.items():
            # A lazy module takes its own class when it is imported.
            if type(module) is not ModuleType and sys.modules.get(name) is module:
                package, _, own = name.rpartition(".")
                delattr(sys.modules[package], own)
                del sys.modules[name]


def _lazy(name: str) -> ModuleType:
    """A module that is imported when something of it is asked for."""
    package, _, own = name.rpartition(".")
    parent, spec = import_module(package), find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"there is no module {name}", name=name)
    spec.loader = LazyLoader(spec.loader)
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    # As the import statement does; a package that imports its modules on demand would do it again.
    setattr(parent, own, module)
    return module
