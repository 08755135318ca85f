"""Traffic in the physics: it sees the robots, moves its vehicles, and lets robots meet them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import WorldDescription
from autosim.engine.physics.engine import PhysicsEngine
from autosim.engine.physics.inventory import PERSON_MASS, BuiltPart, Inventory
from autosim.engine.physics.robot_bodies import RobotBodies
from autosim.jit import bind_arguments, compiled_without_refcounts
from autosim.kinds.kind import body_of
from autosim.model.bodies import BodyForces
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.portable import arctan2
from autosim.traffic.road_users import BOX, B
from autosim.traffic.signals.running_signals import RunningSignals
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.vehicle.kinematic.ground_following import mark_near_bodies
from autosim.world.compiled.compiled_world import CompiledWorld

if TYPE_CHECKING:
    from autosim.traffic.world_traffic import Traffic

_NEAR = 6.0
"""Gap [m] to a body that forces move at which a vehicle comes into the physics: more than both go
in several steps."""

_FAST = 0.4
"""Speed [m/s] of a robot above which people near it are not in the physics: a pedestrian
that is hit falls."""

_HIP = 0.9
"""Height [m] at which a pedestrian meets what hits them: that of the centre of mass."""

_MOST_PAIRS = 64
"""Number of contacts of kinematic vehicles with traffic that are reported in a step: in a heap all
collide anyway."""


class TrafficBodies:
    """The vehicles of traffic as bodies.

    Args:
        traffic: moves them.
        inventory: has a body for each place of the pool, after all others.
        physics: that has the bodies, as driven ones, after those of kinematic vehicles.
        bodies: as the last `read` found them.
        step_seconds: length of a step [s].

    `memories`: what traffic keeps from step to step.
    """

    def __init__(
        self,
        traffic: "Traffic",
        inventory: Inventory,
        physics: PhysicsEngine,
        bodies: RobotBodies,
        *,
        step_seconds: float,
    ) -> None:
        self._traffic, self._physics, self._states = traffic, physics, bodies.states
        own, names = inventory.own_parts(), inventory.names()
        self._first_body, self._first_robot = len(own), len(names)
        driven = inventory.driven() - set(inventory.traffic)
        self._first_driven = len(driven)
        self._first_parts, self._outlines = _outlines_of(own, len(names))
        self._seconds = step_seconds
        self._masses = _masses_of(own, len(names))
        self._all = np.arange(len(self._first_parts))
        self._kinematic = np.flatnonzero(np.isin(self._first_parts, sorted(driven)))
        self.memories: tuple[Memory, ...] = traffic.memories
        motions = traffic.motions
        self._near, self._pairs = np.zeros(len(motions)), np.zeros((_MOST_PAIRS, 2), np.int64)
        reaches = np.array([body_of(each.part).reach for each in inventory.parts])
        self._find_near = bind_arguments(
            mark_near_bodies,
            motions,
            reaches[inventory.traffic],
            bodies.engine_moved,
            self._states.positions,
            reaches[bodies.engine_moved],
            _NEAR,
            self._near,
        )
        self._see_robots()
        traffic.begin()
        self._drive()

    @property
    def shortage(self) -> str:
        """As `Traffic.shortage`."""
        return self._traffic.shortage

    def actuate(self, state: State) -> None:
        """Moves traffic on by a step."""
        if self._traffic.is_due(state.step):
            self._see_robots()
        self._traffic.advance(state.step)
        self._drive()

    def apply_forces(self, forces: BodyForces) -> None:
        """Applies the impulse of pedestrians that robots have just hit: both move on together.

        In the physics they do not meet, since a body of a kinematic person would stop a car like a
        post; so each hit is a force for one step.
        """
        people = self._traffic.people
        for number in np.flatnonzero(people.rows["hit_by"] > 0).tolist():
            row, box = people.rows[number], people.boxes[number]
            robot = row.hit_by - 1
            row.hit_by = 0
            if robot >= len(self._first_parts):
                continue
            mass = self._masses[robot] * PERSON_MASS / (self._masses[robot] + PERSON_MASS)
            force = np.array([[-row.hit_x, -row.hit_y, 0.0]]) * mass / self._seconds
            place = np.array([[box[B.x], box[B.y], box[B.z] + _HIP]])
            forces.add_forces(self._states, self._first_parts[robot : robot + 1], force, place)

    def restore(self) -> None:
        """Continues from a restored snapshot."""
        self._see_robots()
        self._traffic.restore()
        self._drive()

    def contacts(self) -> Integers:
        """Pairs (n, 2) of touching bodies of robots and traffic that the physics omits.

        The physics reports no contacts of kinematic vehicles, and none of pedestrians.
        """
        self._see_robots()
        vehicles, people = self._traffic.vehicles, self._traffic.people
        first, robots, found = self._first_body, vehicles.robots, self._pairs
        count = _find_contacts(
            *(robots, self._kinematic, self._first_parts, vehicles.boxes, first, found)
        )
        first += len(vehicles.boxes)
        others = found[count:]
        count += _find_contacts(
            *(robots, self._all, self._first_parts, people.boxes, first, others)
        )
        first += len(people.boxes)
        for boxes, chosen in self._boxes_of_actors():
            count += _find_contacts(
                *(robots, chosen, self._first_parts, boxes, first, found[count:])
            )
            first += len(boxes)
        return found[:count]

    def _boxes_of_actors(self) -> list[tuple[Floats, Integers]]:
        """The boxes (a, 8) of a scenario's vehicles and of its people, with whom each may meet."""
        scenario = self._traffic.scenario
        if scenario is None:
            return []
        vehicles = len(scenario.scenario.vehicles)
        return [
            (scenario.boxes[:vehicles], self._kinematic),
            (scenario.boxes[vehicles:], self._all),
        ]

    def count(self, other: int) -> None:
        """Counts a collision of a robot, if the other one is of traffic."""
        if self._first_robot <= other < self._first_robot + len(self._near):
            self._traffic.count_collision()

    def _drive(self) -> None:
        self._find_near()
        is_met = self._near > 0.0
        first, people = len(self._traffic.vehicles.boxes), self._traffic.people.boxes
        self._spare(people, is_met[first : first + len(people)])
        scenario = self._traffic.scenario
        if scenario:
            walkers = scenario.boxes[len(scenario.scenario.vehicles) :]
            self._spare(walkers, is_met[len(is_met) - len(walkers) :])
        self._physics.move_prescribed(self._traffic.motions, is_met, first=self._first_driven)

    def _spare(self, people: Floats, are_met: Booleans) -> None:
        """Keeps people, of boxes (p, 8), out of the physics whom a robot is about to throw down.

        A body would stop it like a post.
        """
        if len(people):
            robots = self._traffic.vehicles.robots[: len(self._first_parts)]
            _spare_thrown(robots, people, are_met)

    def _see_robots(self) -> None:
        states = self._states
        _write_boxes(
            self._first_parts,
            self._outlines,
            states.positions,
            states.rotations,
            states.velocities,
            self._traffic.vehicles.robots,
        )


def make_world_traffic(
    description: WorldDescription,
    world: CompiledWorld,
    inventory: Inventory,
    physics: PhysicsEngine,
    bodies: RobotBodies,
    state: State,
    *,
    signals: RunningSignals | None,
    seed: int,
) -> TrafficBodies | None:
    """The traffic of a world, None where it has none."""
    arrays = traffic_arrays_of(state)
    if description.traffic is None or arrays is None or signals is None:
        return None
    # Imported here: worlds without traffic do without SciPy, a third of what a server imports.
    from autosim.traffic.world_traffic import Traffic

    traffic = Traffic(
        description.traffic,
        world,
        arrays,
        signals,
        sky=description.graphics.sky,
        step_seconds=description.physics.step_seconds,
        seed=seed,
        robots=inventory.names(),
    )
    seconds = description.physics.step_seconds
    return TrafficBodies(traffic, inventory, physics, bodies, step_seconds=seconds)


def _masses_of(parts: Sequence[BuiltPart], robots: int) -> Floats:
    """The mass (n,) [kg] of each robot and object."""
    masses = np.zeros(robots)
    for each in parts:
        masses[each.robot] += body_of(each.part).mass
    return masses


def warm_up_bodies() -> None:
    """Compiles what the bodies of traffic need in each step."""
    numbers, boxes, reaches = np.zeros(0, dtype=np.int64), np.zeros((0, BOX)), np.zeros(0)
    places, rotations = np.zeros((0, 3)), np.zeros((0, 3, 3))
    _write_boxes(numbers, np.zeros((0, 5)), places, rotations, places, boxes)
    _find_contacts(boxes, numbers, numbers, boxes, 0, np.zeros((0, 2), np.int64))
    _spare_thrown(boxes, boxes, np.zeros(0, np.bool_))
    mark_near_bodies(np.zeros((0, 13)), reaches, numbers, places, reaches, _NEAR, reaches)


def _outlines_of(parts: Sequence[BuiltPart], robots: int) -> tuple[Integers, Floats]:
    """The first body (n,) of each robot and object, and their outlines in its axes.

    An outline (n, 5) m is the middle of the foot, half the length and half the width.
    """
    first, outlines = np.zeros(robots, dtype=np.int64), np.zeros((robots, 5))
    for robot in range(robots):
        own = [number for number, each in enumerate(parts) if each.robot == robot]
        first[robot] = own[0]
        origin = np.array(parts[own[0]].part.position)
        shapes = [(np.array(parts[k].part.position), body_of(parts[k].part)) for k in own]
        low = np.min([place - origin + body.low for place, body in shapes], axis=0)
        high = np.max([place - origin + body.high for place, body in shapes], axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        outlines[robot] = middle[0], middle[1], low[2], half[0], half[1]
    return first, outlines


@compiled_without_refcounts
def _write_boxes(
    bodies: Integers,
    outlines: Floats,
    positions: Floats,
    rotations: Floats,
    velocities: Floats,
    boxes: Floats,
) -> None:
    """Writes the boxes (n, 8) of robots, see `Surroundings`."""
    for n in range(bodies.size):
        body, outline, box = bodies[n], outlines[n], boxes[n]
        R, p = rotations[body], positions[body]
        for k in range(3):
            box[k] = p[k] + R[k, 0] * outline[0] + R[k, 1] * outline[1] + R[k, 2] * outline[2]
        box[B.yaw] = arctan2(R[1, 0], R[0, 0])
        box[B.half_length], box[B.half_width] = outline[3], outline[4]
        box[B.speed_x], box[B.speed_y] = velocities[body, 0], velocities[body, 1]


@compiled_without_refcounts
def _spare_thrown(robots: Floats, people: Floats, are_met: Booleans) -> None:
    for n in range(len(robots)):
        robot = robots[n]
        if max(abs(robot[B.speed_x]), abs(robot[B.speed_y])) <= _FAST:
            continue
        reach = robot[B.half_length] + 2.0 * _NEAR
        for i in range(len(people)):
            x, y = people[i, B.x] - robot[B.x], people[i, B.y] - robot[B.y]
            if not x * x + y * y > reach * reach:
                are_met[i] = False


@compiled_without_refcounts
def _find_contacts(
    robots: Floats,
    chosen: Integers,
    bodies: Integers,
    vehicles: Floats,
    first: int,
    pairs: Integers,
) -> int:
    """Writes the bodies of chosen robots and of vehicles whose boxes overlap; how many pairs."""
    count = 0
    for n in range(chosen.size):
        for i in range(len(vehicles)):
            if count == len(pairs):
                return count
            if vehicles[i, B.half_length] > 0.0 and do_overlap(robots[chosen[n]], vehicles[i]):
                pairs[count, 0], pairs[count, 1] = bodies[chosen[n]], first + i
                count += 1
    return count
