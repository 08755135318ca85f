"""Moves a robot or an object during the simulation, if there is room for it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.engine.engine_errors import PlacementError
from autosim.engine.physics.engine import STATIC
from autosim.engine.physics.spawn_poses import SpawnPose, pose_at
from autosim.engine.step.device_memories import rows_of
from autosim.engine.step.placement import Placement, as_vector
from autosim.engine.step.systems import Systems
from autosim.model.notices import Notice
from autosim.model.snapshot import Snapshot
from autosim.model.state import State
from autosim.world.compiled.compiled_world import CompiledWorld

DEEPEST = 0.1
"""Depth [m] to which a moved robot may overlap something: springs or slopes push it out."""


class Relocation:
    """Moves the bodies of robots and objects.

    Args:
        systems: have the bodies, and what moves and senses them.
        state: of all of them.
        world: that they stand on.
        wheel_words: (n_wheels, 7) where the values of the wheels are in `state.floats`.
        snapshot: takes one of the simulation.
        report: takes messages for the user.
    """

    def __init__(
        self,
        systems: Systems,
        state: State,
        *,
        world: CompiledWorld,
        wheel_words: Integers,
        snapshot: Callable[[], Snapshot],
        report: Callable[[Notice], None],
    ) -> None:
        self._systems, self._state, self._world = systems, state, world
        self._wheel_words, self._snapshot, self._report = wheel_words, snapshot, report

    def check_name(self, name: str) -> None:
        """Checks that there is a robot or an object of that name.

        Raises:
            PlacementError: there is none.
        """
        self._number_of(name)

    def move(
        self,
        name: str,
        place: Sequence[float],
        *,
        yaw: float | None,
        height: float | None,
        velocity: Sequence[float],
        angular_velocity: Sequence[float],
    ) -> Placement:
        """Puts a robot or an object elsewhere: see `Simulation.place`."""
        number, bodies = self._number_of(name), self._systems.bodies
        first = bodies.numbers_of(number)[0]
        near = bodies.states.positions[first, 2] if height is None else height
        heading = bodies.heading(first) if yaw is None else yaw
        try:
            linear = as_vector("velocity", velocity)
            angular = as_vector("angular velocity", angular_velocity)
            if bodies.is_static(number) and any((*linear, *angular)):
                raise PlacementError("it is static, and has no velocity")
            pose = pose_at(
                self._world,
                (*place, near),
                yaw=heading,
                rest_height=self._systems.rest_heights[number],
            )
            self._check(number, pose)
        except PlacementError as error:
            raise PlacementError(f"'{name}' cannot be moved: {error}") from error
        x, y, z = pose.position.tolist()
        placement = Placement(name, (x, y, z), pose.yaw, pose.pitch, linear, angular)
        self._put(placement)
        speed = portable.length(linear)
        text = f"was moved to x={place[0]:.2f} m, y={place[1]:.2f} m"
        text += f", at {speed:.2f} m/s" if speed else ""
        self._report(Notice("info", name, self._state.step, text))
        return placement

    def apply(self, placement: Placement) -> None:
        """Does what another run did, without a look at whether something is in the way."""
        self._bring_in_world(self._number_of(placement.name), placement.pose)
        self._put(placement)

    def _number_of(self, name: str) -> int:
        if name not in self._systems.names:
            raise PlacementError(f"there is no robot or object '{name}'")
        return self._systems.names.index(name)

    def _put(self, placement: Placement) -> None:
        """Carries out a placement where the world is there, and lets its robot sense where it is.

        The others have sensed this step already: they are as before.
        """
        name, state, systems = placement.name, self._state, self._systems
        whole = self._snapshot()
        others = replace(whole, robots=tuple(each for each in whole.robots if each.name != name))
        systems.bodies.put(
            self._number_of(name),
            placement.pose,
            velocity=placement.velocity,
            angular_velocity=placement.angular_velocity,
        )
        systems.bodies.read()
        wheels = rows_of(name, systems.wheel_names)
        systems.vehicles.roll_wheels(wheels, [placement.velocity[0]] * len(wheels))
        state.floats[self._wheel_words] = systems.vehicles.wheel_output
        systems.memories.forget(name)
        systems.bodies.write(state)
        systems.kinematic.follow_bodies()
        systems.kinematic.sense(state)
        systems.beliefs.write(systems.bodies.states, state, is_moved=True)
        systems.devices.sense(systems.bodies.states, state)
        others.restore(state)
        systems.memories.restore(others, robots=[robot.name for robot in others.robots])

    def _check(self, robot: int, pose: SpawnPose) -> None:
        """Checks that a robot can be placed at `pose`.

        Raises:
            PlacementError: it would overlap something.
        """
        for number, place in self._bring_in_world(robot, pose).items():
            obstacle = self._obstacle(number, place.tolist(), pose)
            if obstacle:
                raise PlacementError(f"there it would stand in {obstacle}")

    def _bring_in_world(self, robot: int, pose: SpawnPose) -> dict[int, Floats]:
        """Has the world be there around a robot that is to be put at `pose`.

        Returns:
            Where the centre (3,) [m] of each of its bodies will be.
        """
        bodies = self._systems.bodies
        numbers = bodies.numbers_of(robot)
        places = {number: bodies.place_at(number, pose) for number in numbers}
        positions = bodies.states.positions.copy()
        positions[numbers] = list(places.values())
        self._systems.streaming.follow(positions)
        return places

    def _obstacle(self, body: int, place: Sequence[float], pose: SpawnPose) -> str:
        """The thing in which a body would be stuck, "" where it is free."""
        robot_of = self._systems.bodies.robot
        for other in self._systems.physics.penetrating_bodies(
            body, position=place, orientation=pose.orientation, depth=DEEPEST
        ).tolist():
            if other == STATIC:
                return "the ground, a building or a tree"
            if robot_of[other] != robot_of[body]:
                names, number = self._systems.names, robot_of[other]
                return f"'{names[number]}'" if number < len(names) else "a road user of the traffic"
        return ""
