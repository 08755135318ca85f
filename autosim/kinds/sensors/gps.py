"""GPS receivers: an RMC sentence, renewed at the receiver's own rate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter, vector
from autosim.jit import compiled
from autosim.kinds.banks import (
    BankContext,
    Mounted,
    body_indices,
    vectors,
)
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.portable import arctan2, hypot
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import cross, plus, read, to_world
from autosim.simulation.nmea import RMC_TEMPLATE, write_sentence
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.simulation.tree import Field, FieldType
from autosim.world.geometry.projection import geographic

NMEA_BYTES = 88
"""Room for an NMEA 0183 sentence (at most 82 characters), in whole words."""


@dataclass(frozen=True, slots=True)
class GPSSensor(Device):
    """An NMEA 0183 RMC sentence, renewed `rate` [Hz] times a second; noise in metres."""

    position: Vector3 = (0.0, 0.0, 0.0)
    rate: float = 10.0


class GPSBank:
    """All GPS receivers; their rates are rounded to whole steps.

    A position may arrive late, and then says when it was measured.
    """

    def __init__(self, devices: Sequence[Mounted[GPSSensor]], context: BankContext) -> None:
        self._body = body_indices(devices)
        self._start = np.array([mounted.node.start for mounted in devices], dtype=np.int64)
        self._position = vectors([mounted.device.position for mounted in devices])
        rates = np.array([mounted.device.rate for mounted in devices])
        periods = np.round(1.0 / (rates * context.step_seconds))
        self._period = np.maximum(1, periods).astype(np.int64)
        self._north, self._longitude = context.projection.north, context.projection.origin[1]
        self._values = np.zeros((len(devices), len(_CHANNELS)))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the sentences that are due."""
        if not noise.memories and (state.step % self._period).all():
            return
        _measure(
            bodies.positions,
            bodies.rotations,
            bodies.velocities,
            bodies.angular_velocities,
            self._body,
            self._position,
            state.time,
            self._values,
        )
        noise(self._values.reshape(-1))
        _write(
            self._values,
            state.step,
            self._period,
            self._start,
            self._north,
            self._longitude,
            state.bytes,
        )


@compiled
def _measure(
    positions: Floats,
    rotations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
    body: Integers,
    position: Floats,
    seconds: float,
    values: Floats,
) -> None:
    """Writes into `values` (n, 5) where the antennas are, how they move, and when."""
    for i in range(body.size):
        k = body[i]
        arm = to_world(rotations[k], read(position[i]))
        velocity = plus(read(velocities[k]), cross(read(angular_velocities[k]), arm))
        values[i, 0], values[i, 1] = positions[k, 0] + arm[0], positions[k, 1] + arm[1]
        values[i, 2], values[i, 3], values[i, 4] = velocity[0], velocity[1], seconds


@compiled
def _write(
    values: Floats,
    step: int,
    period: Integers,
    start: Integers,
    north: float,
    longitude: float,
    memory: Bytes,
) -> None:
    """Writes the sentences that are due in `step`, each from its place in the state's `memory`."""
    for i in range(period.size):
        if step % period[i] == 0:
            place = geographic(values[i, 0], values[i, 1], north, longitude)
            speed = hypot(values[i, 2], values[i, 3])
            course = arctan2(values[i, 2], values[i, 3])
            text = memory[start[i] : start[i] + RMC_TEMPLATE.size]
            for k in range(text.size):
                text[k] = RMC_TEMPLATE[k]
            write_sentence(place[0], place[1], speed, course, values[i, 4], text)


_CHANNELS = (".east", ".north", ".east_speed", ".north_speed", ".time")

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
    fields=(Field("sentence", FieldType.TEXT, (NMEA_BYTES,)),),
    make_bank=GPSBank,
    channels=lambda receiver, step_seconds: _CHANNELS,
    stamps=_CHANNELS[2:],
)
