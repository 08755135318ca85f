"""SUMO as a library, which there is only where its extra is installed, and once in a process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from types import ModuleType

from autosim.errors import UserError


class SumoError(UserError):
    """SUMO is not there, or cannot do what it shall."""


def load_sumo() -> ModuleType:
    """The module `libsumo`.

    Raises:
        SumoError: it is not installed.
    """
    try:
        # It says something about packages that have nothing to do with it.
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            libsumo = import_module("libsumo")
    except ImportError as error:
        raise SumoError(
            f'<Traffic engine="sumo"> needs SUMO, which cannot be loaded ({error}); '
            "install it with:  pip install 'autosim[sumo]'"
        ) from error
    return libsumo
