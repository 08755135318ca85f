"""What a user program imports; and how user programs are run in processes of their own."""

from autosim.config.semantic_classes import CLASSES
from autosim.simulation.belief import StateEstimate
from autosim.simulation.commands import DeviceError, DeviceErrorCode, DeviceState
from autosim.userprogram.api import (
    NoProgramError,
    describe,
    explain,
    get_data,
    get_image,
    get_image_height,
    get_image_width,
    get_instances,
    get_origin,
    get_pictures,
    get_points,
    get_roads,
    get_state,
    get_state_estimate,
    get_state_truth,
    get_time,
    measure,
    set_data,
    set_state_estimate,
    to_local,
    unlock_image,
    wait,
)
from autosim.userprogram.exchange.images import Picture
from autosim.userprogram.session.session import ProgramStopped

__all__ = [
    "CLASSES",
    "DeviceError",
    "DeviceErrorCode",
    "DeviceState",
    "NoProgramError",
    "Picture",
    "ProgramStopped",
    "StateEstimate",
    "describe",
    "explain",
    "get_data",
    "get_image",
    "get_image_height",
    "get_image_width",
    "get_instances",
    "get_origin",
    "get_pictures",
    "get_points",
    "get_roads",
    "get_state",
    "get_state_estimate",
    "get_state_truth",
    "get_time",
    "measure",
    "set_data",
    "set_state_estimate",
    "to_local",
    "unlock_image",
    "wait",
]
