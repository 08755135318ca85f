"""What robots believe of their poses, as shapes in W: a ghost of the part, and an error ellipse."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import WorldDescription
from autosim.kinds.actuators.belief import BeliefDevice
from autosim.kinds.kind import body_of
from autosim.simulation.rigid_body import RigidBody
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node, SimulationTree

QUANTILE = 2.447746830680816
"""Semi-axes of the ellipse in standard deviations: it holds 95 % of a normal distribution in the
plane, √(−2 ln 0.05)."""

_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_FACES = np.array(
    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
)
"""Numbers of the corners of each of the six sides, counter-clockwise from outside."""

_POINTS = 48
"""Number of points of an ellipse: chosen by eye, it looks round as large as a street."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """What one program believes.

    `corners` (8, 3) of the box around the part and `ellipse` (n, 3) on the height of its
    underside, both [m] in W; `believed` and `true` (3,) are the places of the part's centre; `name`
    is the device's.
    """

    name: str
    corners: Floats
    ellipse: Floats
    believed: Floats
    true: Floats

    @property
    def faces(self) -> Floats:
        """The six sides of the box (6, 4, 3) [m] in W, counter-clockwise from outside."""
        faces: Floats = self.corners[_FACES]
        return faces

    @property
    def label(self) -> Floats:
        """Where its name stands (3,) [m] in W: above the middle of the box."""
        top = float(self.corners[:, 2].max())
        return np.array([self.believed[0], self.believed[1], top + 0.3])

    @property
    def error(self) -> float:
        """Distance [m] between belief and truth."""
        return float(np.linalg.norm(self.believed - self.true))


class Beliefs:
    """The beliefs of all robots of a world."""

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        self._devices = tuple(_belief_devices(world, tree))

    def ghosts(self, state: State) -> list[Ghost]:
        """Those that a program has published in `state`: nobody believes nothing but zeros."""
        return [
            _ghost(node, part, body, state)
            for node, part, body in self._devices
            if state.floats[node.start // WORD : node.own_stop // WORD].any()
        ]


def _belief_devices(
    world: WorldDescription, tree: SimulationTree
) -> Iterator[tuple[Node, Node, RigidBody]]:
    for placed in world.robots:
        bodies = {part.name: body_of(part) for part in placed.robot.parts}
        for device in placed.robot.devices:
            if isinstance(device, BeliefDevice):
                part = tree.find(f"{placed.name}.{device.part}")
                node = tree.find(f"{placed.name}.{device.part}.{device.name}")
                assert part is not None
                assert node is not None
                yield node, part, bodies[device.part]


def _ghost(node: Node, part: Node, body: RigidBody, state: State) -> Ghost:
    values = state.floats[node.start // WORD : node.own_stop // WORD]
    place = part.field_offset("position") // WORD
    believed, heading = values[:3].copy(), float(values[3])
    corners = np.where(_CORNERS > 0.0, body.high, body.low)
    underside = believed + np.array([0.0, 0.0, body.low[2]])
    return Ghost(
        name=node.name,
        corners=believed + corners @ heading_matrix(heading).T,
        ellipse=underside + error_ellipse(values[4:6], float(values[8])),
        believed=believed,
        true=state.floats[place : place + 3].copy(),
    )


def heading_matrix(heading: float) -> Floats:
    """R_WB (3, 3) of a level body with that heading [rad], clockwise from north."""
    sin, cos = np.sin(heading), np.cos(heading)
    return np.array([[sin, -cos, 0.0], [cos, sin, 0.0], [0.0, 0.0, 1.0]])


def error_ellipse(deviations: Floats, correlation: float) -> Floats:
    """The ellipse (n, 3) [m] about the origin that holds 95 % of a normal distribution.

    Args:
        deviations: (2,) standard deviations to the east and to the north [m].
        correlation: of both, in [-1, 1].
    """
    east, north = np.abs(deviations)
    rho = float(np.clip(correlation, -1.0, 1.0))
    # The lower triangular square root (Cholesky) of the covariance maps the unit circle to it.
    root = np.array([[east, 0.0], [rho * north, np.sqrt(1.0 - rho * rho) * north]])
    angles = np.arange(_POINTS) / _POINTS * 2.0 * np.pi
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.column_stack([QUANTILE * circle @ root.T, np.zeros(_POINTS)])
