"""GPS receivers: an RMC sentence, renewed at the receiver's own rate."""

from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import GPSSensor
from autosim.simulation.angles import directions
from autosim.simulation.banks import Mounted, body_indices, vectors
from autosim.simulation.bodies import BodyStates, rotate
from autosim.simulation.fields import NMEA_BYTES
from autosim.simulation.nmea import write_rmc
from autosim.simulation.state import State
from autosim.world.geometry.projection import Projection


class GPSBank:
    """All GPS receivers.

    Args:
        devices: the receivers.
        projection: of the world.
        step_seconds: length of a step; rates are rounded to whole steps.
    """

    def __init__(
        self,
        devices: Sequence[Mounted[GPSSensor]],
        *,
        projection: Projection,
        step_seconds: float,
    ) -> None:
        self._body = body_indices(devices)
        starts = np.array([mounted.node.start for mounted in devices], dtype=np.int64)
        self._bytes = starts[:, None] + np.arange(NMEA_BYTES)
        self._position = vectors([mounted.device.position for mounted in devices])
        rates = np.array([mounted.device.rate for mounted in devices])
        self._period = np.maximum(1, np.round(1.0 / (rates * step_seconds))).astype(np.int64)
        self._projection = projection

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the sentences that are due; `noise` (2 n,): east, then north [m]."""
        due = np.flatnonzero(state.step % self._period == 0)
        if not due.size:
            return
        body = self._body[due]
        arm = rotate(bodies.rotations[body], self._position[due])
        place = bodies.positions[body] + arm
        velocity = bodies.velocities[body] + np.cross(bodies.angular_velocities[body], arm)
        error = noise.reshape(2, -1).T[due]
        geographic = self._projection.to_geographic(place[:, :2] + error)
        text = write_rmc(
            geographic[:, 0],
            geographic[:, 1],
            speed=portable.hypot(velocity[:, 0], velocity[:, 1]),
            course=directions(velocity[:, 0], velocity[:, 1]),
            seconds=state.time,
        )
        state.bytes[self._bytes[due, : text.shape[1]]] = text
