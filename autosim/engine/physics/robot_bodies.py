"""All bodies of the robots: put into the physics, read from it, written to the state."""

from collections.abc import Collection, Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.engine.physics.engine import PhysicsEngine, PlacedBody
from autosim.engine.physics.inventory import Inventory
from autosim.engine.physics.robot_joints import RobotJoints
from autosim.engine.physics.spawn_poses import SpawnPose
from autosim.kinds.kind import body_of, joint_of
from autosim.model.bodies import BodyStates
from autosim.model.rigid_bodies.joints import BallJoint
from autosim.model.state import State
from autosim.model.tree import WORD

_POSE_WORDS = 13
"""Number of words of a part's node: position 3, orientation 4, velocity 3, angular velocity 3."""


class RobotBodies:
    """The bodies in the order of the tree; `states` holds them as the last `read` found them.

    Args:
        inventory: their parts and links.
        physics: that they are put into.
        poses: of the robots, of the objects, and of the vehicles of traffic.
        step_seconds: length of a step [s].

    `joints`: of the links on which parts hang. `engine_moved` (k,): the numbers of the bodies that
    the physics moves; vehicles drive the others.
    """

    def __init__(
        self,
        inventory: Inventory,
        physics: PhysicsEngine,
        poses: Sequence[SpawnPose],
        *,
        step_seconds: float,
    ) -> None:
        self._physics = physics
        self._parts = tuple(inventory.own_parts())
        self.states = BodyStates(len(inventory.parts))
        self.robot = np.array([built.robot for built in inventory.parts], dtype=np.int64)
        starts = np.array([built.node.start for built in self._parts], dtype=np.int64)
        self._words = starts[:, None] // WORD + np.arange(_POSE_WORDS)
        self._poses = np.zeros(self._words.shape)
        self.joints = RobotJoints(inventory, physics, step_seconds=step_seconds)
        floating, driven = inventory.floating(), inventory.driven()
        self.engine_moved: Integers = np.array(
            [number for number in range(len(inventory.parts)) if number not in driven],
            dtype=np.int64,
        )
        placed = [
            PlacedBody(
                body_of(built.part),
                tuple(poses[built.robot].of_point(built.part.position)),
                poses[built.robot].orientation,
                built.robot in floating,
                may_rest=built.robot >= len(inventory.robots) and built.part.motion == "dynamic",
                is_driven=number in driven,
            )
            for number, built in enumerate(inventory.parts)
        ]
        physics.add_bodies(placed, self.joints.in_world(poses))
        for link in inventory.links:
            joint = joint_of(link.link)
            if isinstance(joint, BallJoint):
                ball = joint.in_world(poses[link.robot].of_point)
                physics.add_joint(ball, link.parent, link.child)

    def numbers_of(self, robot: int) -> list[int]:
        """The bodies of a robot."""
        return np.flatnonzero(self.robot == robot).tolist()

    def moved_places(self) -> Floats:
        """Positions (k, 3) [m] of the bodies that the physics moves and the world may support."""
        positions, moved = self.states.positions, self.engine_moved
        return positions if len(moved) == len(positions) else positions[moved]

    def heading(self, body: int) -> float:
        """The yaw [rad] of a body, from east to north, as the last `read` found it."""
        forward = self.states.rotations[body][:, 0]
        return float(portable.arctan2(forward[1], forward[0]))

    def place_at(self, body: int, pose: SpawnPose) -> Floats:
        """Centre (3,) [m] of a body while its robot is at `pose`."""
        return pose.of_point(self._parts[body].part.position)

    def put(
        self,
        robot: int,
        pose: SpawnPose,
        *,
        velocity: Sequence[float],
        angular_velocity: Sequence[float],
    ) -> None:
        """Puts the bodies of a robot together at `pose`, moving as one.

        Args:
            robot: its number.
            pose: of its origin.
            velocity: [m/s] of its origin, forward, left and up.
            angular_velocity: [rad/s] about these axes.
        """
        origin = pose.position
        linear = pose.of_point(velocity) - origin
        angular = pose.of_point(angular_velocity) - origin
        for number in self.numbers_of(robot):
            position = self.place_at(number, pose)
            self._physics.place(
                number,
                position=position,
                orientation=np.array(pose.orientation),
                velocity=linear + np.cross(angular, position - origin),
                angular_velocity=angular,
            )
        self.joints.reset(robot)

    def is_static(self, robot: int) -> bool:
        """Whether no body of a robot or an object ever moves."""
        return all(self._parts[each].part.motion == "static" for each in self.numbers_of(robot))

    def place(self, state: State, *, robots: Collection[str]) -> None:
        """Puts the bodies of `robots` where `state` says, with the velocities that it says."""
        for number, part in enumerate(self._parts):
            if part.node.name.split(".", 1)[0] in robots:
                values = state.floats[self._words[number]]
                self._physics.place(
                    number,
                    position=values[0:3],
                    orientation=values[3:7],
                    velocity=values[7:10],
                    angular_velocity=values[10:13],
                )
        self.joints.place(state, robots=robots)

    def read(self) -> None:
        """Takes the poses and velocities from the physics."""
        self.joints.read()
        states = self.states
        self._physics.read(
            states.positions, states.orientations, states.velocities, states.angular_velocities
        )
        states.update_rotations()

    def write(self, state: State) -> None:
        """Writes them into the nodes of the parts and links."""
        self.joints.write(state)
        states, rows = self.states, self._poses
        own = len(rows)
        rows[:, 0:3], rows[:, 3:7] = states.positions[:own], states.orientations[:own]
        rows[:, 7:10], rows[:, 10:13] = states.velocities[:own], states.angular_velocities[:own]
        state.floats[self._words] = rows
