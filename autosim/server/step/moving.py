"""Puts a robot elsewhere while the simulation goes on, if it can stand there."""

from collections.abc import Sequence

from autosim.server.errors import PlacementError
from autosim.server.physics.bodies import Bodies
from autosim.server.physics.engine import STATIC, PhysicsEngine
from autosim.server.physics.placement import Pose
from autosim.server.physics.streaming import Streaming

DEEPEST = 0.1
"""How deep [m] a robot may be in something where it is put: a spring or a slope lets it out."""


class Moving:
    """Moves the bodies of robots.

    Args:
        names: of the robots, in the order of the tree.
        bodies: of all robots.
        physics: that holds them.
        streaming: brings the world in where they come to.
    """

    def __init__(
        self, names: Sequence[str], *, bodies: Bodies, physics: PhysicsEngine, streaming: Streaming
    ) -> None:
        self._names = tuple(names)
        self._bodies, self._physics, self._streaming = bodies, physics, streaming

    def stand(self, robot: int, pose: Pose) -> None:
        """Puts the bodies of a robot at `pose`, at rest.

        Raises:
            PlacementError: it would stand in something; nothing has changed.
        """
        numbers = self._bodies.numbers_of(robot)
        places = {number: self._bodies.place_at(number, pose) for number in numbers}
        # Obstacles have to be in the physics before a search for them.
        positions = self._bodies.states.positions.copy()
        positions[numbers] = list(places.values())
        self._streaming.follow(positions)
        for number, place in places.items():
            obstacle = self._obstacle(number, place.tolist(), pose)
            if obstacle:
                raise PlacementError(f"there it would stand in {obstacle}")
        self._bodies.stand(robot, pose)
        self._bodies.read()

    def _obstacle(self, body: int, place: Sequence[float], pose: Pose) -> str:
        """What a body would be stuck in, "" where it is free."""
        robot_of = self._bodies.robot
        for other in self._physics.stuck_in(
            body, position=place, orientation=pose.orientation, depth=DEEPEST
        ).tolist():
            if other == STATIC:
                return "the ground, a building or a tree"
            if robot_of[other] != robot_of[body]:
                return f"'{self._names[robot_of[other]]}'"
        return ""
