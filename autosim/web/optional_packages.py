"""The optional packages of a gateway, checked before its modules are imported."""

from importlib.util import find_spec

from autosim.errors import UserError

_PACKAGES = ("aiohttp", "segno")


def has_packages() -> bool:
    """Whether the packages of the extra `web` are installed."""
    return all(find_spec(name) is not None for name in _PACKAGES)


def require_packages() -> None:
    """Requires the packages of the extra `web`.

    Raises:
        UserError: one of them is not installed; the message says how to install it.
    """
    for name in _PACKAGES:
        if find_spec(name) is None:
            raise UserError(
                f"serving browsers needs the optional package {name}: pip install 'autosim[web]'"
            )
