"""The optional packages for OSI, checked before their modules are imported."""

from importlib.util import find_spec

from autosim.errors import UserError


def require_osi(*, is_live: bool = False) -> None:
    """Requires the packages of OSI; with `is_live`, that of live connections as well.

    Raises:
        UserError: one of them is not installed; the message says how to install it.
    """
    for name in ("osi3", "foxglove") if is_live else ("osi3",):
        if find_spec(name) is None:
            extra = "osi,foxglove" if is_live else "osi"
            raise UserError(
                f"this needs the optional package {name}: pip install 'autosim[{extra}]'"
            )
