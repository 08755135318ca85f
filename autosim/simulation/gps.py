"""GPS receivers: an RMC sentence, renewed at the receiver's own rate."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.config.descriptions import GPSSensor
from autosim.simulation.banks import Mounted, body_indices, vectors
from autosim.simulation.bodies import BodyStates, Floats, rotate
from autosim.simulation.fields import NMEA_BYTES
from autosim.simulation.nmea import write_rmc
from autosim.simulation.state import State

ToGeographic = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""(x, y) [m] in W to (latitude, longitude) [deg], arrays (n,)."""


class GPSBank:
    """All GPS receivers.

    Args:
        devices: the receivers.
        to_geographic: the projection of the world.
        step_seconds: length of a step; rates are rounded to whole steps.
    """

    def __init__(
        self,
        devices: Sequence[Mounted[GPSSensor]],
        *,
        to_geographic: ToGeographic,
        step_seconds: float,
    ) -> None:
        self._body = body_indices(devices)
        starts = np.array([mounted.node.start for mounted in devices], dtype=np.int64)
        self._bytes = starts[:, None] + np.arange(NMEA_BYTES)
        self._position = vectors([mounted.device.position for mounted in devices])
        rates = np.array([mounted.device.rate for mounted in devices])
        self._period = np.maximum(1, np.round(1.0 / (rates * step_seconds))).astype(np.int64)
        self._to_geographic = to_geographic

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the sentences that are due; `noise` (2 n,): east, then north [m]."""
        due = np.flatnonzero(state.step % self._period == 0)
        if not due.size:
            return
        body = self._body[due]
        arm = rotate(bodies.rotations[body], self._position[due])
        place = bodies.positions[body] + arm
        velocity = bodies.velocities[body] + np.cross(bodies.angular_velocities[body], arm)
        east, north = noise[: len(self._body)][due], noise[len(self._body) :][due]
        latitude, longitude = self._to_geographic(place[:, 0] + east, place[:, 1] + north)
        text = write_rmc(
            latitude,
            longitude,
            speed=np.hypot(velocity[:, 0], velocity[:, 1]),
            course=np.arctan2(velocity[:, 0], velocity[:, 1]),
            seconds=state.time,
        )
        state.bytes[self._bytes[due, : text.shape[1]]] = text
