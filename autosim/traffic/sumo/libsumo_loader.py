"""SUMO as a library, which there is only where its extra is installed, and once in a process."""

import io
import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from types import ModuleType

from autosim.errors import UserError

_PROJ = ("PROJ_LIB", "PROJ_DATA")
"""Variables that SUMO sets to its own projections, in which rasterio would not find its own."""


class SumoError(UserError):
    """SUMO is not available, or cannot do what was requested."""


def load_sumo() -> ModuleType:
    """The module `libsumo`.

    Raises:
        SumoError: it is not installed.
    """
    known = {name: os.environ.get(name) for name in _PROJ}
    try:
        # It says something about packages that have nothing to do with it.
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            libsumo = import_module("libsumo")
    except ImportError as error:
        raise SumoError(
            f'<Traffic engine="sumo"> needs SUMO, which cannot be loaded ({error}); '
            "install it with:  pip install 'autosim[sumo]'"
        ) from error
    finally:
        _restore(known)
    return libsumo


def _restore(known: Mapping[str, str | None]) -> None:
    """Sets variables of the environment as they were."""
    for name, value in known.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
