"""What a user program imports; and how user programs are run in processes of their own."""

from autosim.config.semantic_classes import CLASSES
from autosim.simulation.belief import StateEstimate
from autosim.simulation.commands import DeviceError, DeviceErrorCode, DeviceState
from autosim.simulation.nmea import Fix, NmeaError, SatelliteFix, read_gga, read_rmc
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
    order_signal,
    set_data,
    set_state_estimate,
    to_local,
    unlock_image,
    wait,
)
from autosim.userprogram.exchange.images import Picture
from autosim.userprogram.session.session import ProgramStopped
from autosim.world.lanes.routing import route
from autosim.world.lanes.traffic_arrays import Control, SignalState

__all__ = [
    "CLASSES",
    "Control",
    "DeviceError",
    "DeviceErrorCode",
    "DeviceState",
    "Fix",
    "NmeaError",
    "NoProgramError",
    "Picture",
    "ProgramStopped",
    "SatelliteFix",
    "SignalState",
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
    "order_signal",
    "read_gga",
    "read_rmc",
    "route",
    "set_data",
    "set_state_estimate",
    "to_local",
    "unlock_image",
    "wait",
]
