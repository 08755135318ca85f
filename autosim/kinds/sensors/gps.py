"""GPS receivers: an RMC sentence, renewed at the receiver's own rate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter, vector
from autosim.kinds.banks import (
    BankContext,
    Mounted,
    body_indices,
    vectors,
)
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.angles import directions
from autosim.simulation.bodies import BodyStates, rotate
from autosim.simulation.nmea import write_rmc
from autosim.simulation.state import State
from autosim.simulation.tree import Field, FieldType

NMEA_BYTES = 88
"""Room for an NMEA 0183 sentence (at most 82 characters), in whole words."""


@dataclass(frozen=True, slots=True)
class GPSSensor(Device):
    """An NMEA 0183 RMC sentence, renewed `rate` [Hz] times a second; noise in metres."""

    position: Vector3 = (0.0, 0.0, 0.0)
    rate: float = 10.0


class GPSBank:
    """All GPS receivers; their rates are rounded to whole steps."""

    def __init__(self, devices: Sequence[Mounted[GPSSensor]], context: BankContext) -> None:
        self._body = body_indices(devices)
        starts = np.array([mounted.node.start for mounted in devices], dtype=np.int64)
        self._bytes = starts[:, None] + np.arange(NMEA_BYTES)
        self._position = vectors([mounted.device.position for mounted in devices])
        rates = np.array([mounted.device.rate for mounted in devices])
        self._period = np.maximum(1, np.round(1.0 / (rates * context.step_seconds))).astype(
            np.int64
        )
        self._projection = context.projection

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the sentences that are due; `noise` (2 n,): east and north [m] of each."""
        due = np.flatnonzero(state.step % self._period == 0)
        if not due.size:
            return
        body = self._body[due]
        arm = rotate(bodies.rotations[body], self._position[due])
        place = bodies.positions[body] + arm
        velocity = bodies.velocities[body] + np.cross(bodies.angular_velocities[body], arm)
        error = noise.reshape(-1, 2)[due]
        geographic = self._projection.to_geographic(place[:, :2] + error)
        text = write_rmc(
            geographic[:, 0],
            geographic[:, 1],
            speed=portable.hypot(velocity[:, 0], velocity[:, 1]),
            course=directions(velocity[:, 0], velocity[:, 1]),
            seconds=state.time,
        )
        state.bytes[self._bytes[due, : text.shape[1]]] = text


KIND = DeviceKind(
    record=GPSSensor,
    element=device_element(
        "GPSSensor",
        "A receiver of the Global Positioning System: an NMEA 0183 RMC sentence. Noise is in "
        "metres.",
        vector("Position", "Place of the antenna, relative to the part's centre.", default=ORIGIN),
        parameter(
            "Rate",
            "New sentences in a second.",
            unit="Hz",
            default=10.0,
            interval=Interval(0.001, 10000.0),
        ),
        *NOISES,
    ),
    fields=(
        Field("sentence", FieldType.TEXT, (NMEA_BYTES,), meaning="The newest NMEA 0183 sentence."),
    ),
    make_bank=GPSBank,
    channels=lambda receiver, step_seconds: (".east", ".north"),
)
