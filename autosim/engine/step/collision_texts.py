"""Puts a collision into words: which part of a robot has hit which thing."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.engine.physics.engine import STATIC, ContactPoint
from autosim.engine.physics.tile_streaming import TileStreamer
from autosim.rays.ray_scene import colliding
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.geometry.meshes import Mesh

COLLIDED = "has collided"
"""Beginning of every message on a collision."""

STEM_METRES = 1.0
"""A contact with an obstacle this near to a prop [m], in plan, is one with its stem."""

CAR_METRES = 2.0
"""Additional reach [m] of a parked car from its middle."""

_PROPS = {
    PropKind.BROADLEAF: "a tree",
    PropKind.CONIFER: "a tree",
    PropKind.LAMP: "a lamp post",
    PropKind.BENCH: "a bench",
    PropKind.PARKED_CAR: "a parked car",
    PropKind.PARKED_VAN: "a parked van",
}


class CollisionTexts:
    """Names what robots collide with.

    Args:
        parts: the qualified names of the bodies' parts, in the order of the bodies.
        robots: the names of the robots, then those of the objects.
        robot_of_body: (n,) index of each body's robot or object.
        touches: where they touch, in the physics and beside it (`KinematicCollisions`).
        streaming: has the meshes of the world in the physics.
        world: that they are of.
    """

    def __init__(
        self,
        parts: Sequence[str],
        *,
        robots: Sequence[str],
        robot_of_body: Sequence[int],
        touches: Callable[[], Sequence[ContactPoint]],
        streaming: TileStreamer,
        world: CompiledWorld,
    ) -> None:
        self._parts, self._robots = tuple(parts), tuple(robots)
        self._robot_of_body = {STATIC: len(self._robots)} | dict(enumerate(robot_of_body))
        self._owners = {owner: body for body, owner in reversed(list(enumerate(robot_of_body)))}
        self._touches, self._streaming, self._world = touches, streaming, world

    def describe(self, robot: int, other: int) -> str:
        """Collisions of a robot in the last step.

        Args:
            robot: its number.
            other: that of another robot or an object; how many there are stands for the world.
        """
        found = [each for each in self._touches() if self._is_of(each, robot, other)]
        if not found:
            # People, and the vehicles that kinematic robots meet, touch beside the physics.
            name = f" with {self._first_part_of(other)}" if other in self._owners else ""
            return f"{COLLIDED}{name}"
        deepest = max(found, key=lambda touch: touch.depth)
        mine, theirs = deepest.first, deepest.second
        if self._robot_of_body[mine] != robot:
            mine, theirs = theirs, mine
        part = self._parts[mine].split(".", 1)[1]
        thing = self._thing(deepest) if theirs == STATIC else self._part_of_other(theirs)
        return f"{COLLIDED}: {part} with {thing}"

    def _is_of(self, touch: ContactPoint, robot: int, other: int) -> bool:
        pair = {self._robot_of_body[touch.first], self._robot_of_body[touch.second]}
        return pair == {robot, other}

    def _first_part_of(self, owner: int) -> str:
        return self._part_of_other(self._owners[owner])

    def _part_of_other(self, body: int) -> str:
        owner, _, part = self._parts[body].partition(".")
        return f"{owner}'s {part}" if part else owner

    def _thing(self, touch: ContactPoint) -> str:
        """The thing in a contact with a mesh."""
        place, world = touch.place, self._world
        if touch.mesh < STATIC:
            mesh: Mesh | None = colliding(world)[-2 - touch.mesh]
        else:
            mesh = self._streaming.mesh_of(touch.mesh)
        if mesh is world.buildings:
            return "a building"
        if mesh is world.structures:
            return "a bridge or tunnel"
        if mesh is world.house_boxes:
            return self._placed_house(place)
        if mesh is world.obstacles:
            return self._obstacle(place)
        return "the ground"

    def _placed_house(self, place: Floats) -> str:
        places = np.array([house.position[:2] for house in self._world.houses])
        nearest = np.linalg.norm(places - place[:2], axis=1).argmin()
        return "a tree" if "tree" in self._world.houses[nearest].model else "a house"

    def _obstacle(self, place: Floats) -> str:
        props = self._world.props
        is_car = np.isin(props.kinds, (PropKind.PARKED_CAR, PropKind.PARKED_VAN))
        distances = np.linalg.norm(props.positions[:, :2] - place[:2], axis=1)
        distances -= np.where(is_car, CAR_METRES, 0.0)
        # Hedges of gardens are drawn only.
        distances[props.kinds == PropKind.HEDGE] = np.inf
        if not len(distances) or distances.min() > STEM_METRES:
            return "a wall or fence"
        return _PROPS[PropKind(props.kinds[distances.argmin()])]
