"""What a user program imports; and how user programs are run in processes of their own."""

from autosim.simulation.commands import DeviceError, DeviceErrorCode, DeviceState
from autosim.userprogram.api import (
    NoProgramError,
    describe,
    get_data,
    get_image,
    get_image_height,
    get_image_width,
    get_origin,
    get_points,
    get_roads,
    get_state,
    get_time,
    measure,
    set_data,
    to_local,
    unlock_image,
    wait,
)
from autosim.userprogram.session.session import ProgramStopped

__all__ = [
    "DeviceError",
    "DeviceErrorCode",
    "DeviceState",
    "NoProgramError",
    "ProgramStopped",
    "describe",
    "get_data",
    "get_image",
    "get_image_height",
    "get_image_width",
    "get_origin",
    "get_points",
    "get_roads",
    "get_state",
    "get_time",
    "measure",
    "set_data",
    "to_local",
    "unlock_image",
    "wait",
]
