"""The optional packages of bridges, checked before their modules are imported."""

from importlib.util import find_spec
from typing import Literal

from autosim.errors import UserError

_MODULES = {"ros2": ("zenoh", "rosbags"), "foxglove": ("foxglove", "rosbags")}


def require_packages(extra: Literal["ros2", "foxglove"] = "ros2") -> None:
    """Requires the packages of an extra of AutoSim.

    Raises:
        UserError: one of them is not installed; the message says how to install it.
    """
    for name in _MODULES[extra]:
        if find_spec(name) is None:
            raise UserError(
                f"this needs the optional package {name}: pip install 'autosim[{extra}]'"
            )
