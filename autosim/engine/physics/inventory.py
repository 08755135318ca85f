"""Builder: bodies, joints, vehicles and banks from a world's description."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from autosim.arrays import Integers
from autosim.config.descriptions import Device, Link, Part, PlacedObject, PlacedRobot
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.flat_tyre import FlatTyre
from autosim.kinds.actuators.floats import Float
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.banks import MountedDevice, word_indices
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.bodies.capsule import CapsulePart
from autosim.kinds.director import Builder
from autosim.kinds.kind import body_of, kind_of
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.model.tree import WORD, TreeNode
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.traffic.pedestrians.pedestrian_bodies import LENGTH, RADIUS
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, VehicleKind
from autosim.traffic.vehicles.vehicle_pool import kinds_of_pool
from autosim.vehicle.wheels.wheel_arrays import MountedWheel, mount_wheels

PERSON_MASS = 75.0
"""Mass [kg] of a person in traffic, in the middle of what adults weigh."""

DeviceT = TypeVar("DeviceT", bound=Device)


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """A body in the tree; its index is its place in `Inventory.parts`.

    `robot` is the number of its robot; objects count on from the robots.
    """

    node: TreeNode
    """Its node in the tree."""
    part: Part
    """Its description, with shape and mass."""
    robot: int


@dataclass(frozen=True, slots=True)
class BuiltLink:
    """A link in the tree between the bodies `parent` and `child`."""

    node: TreeNode
    """Its node in the tree."""
    link: Link
    robot: int
    """Number of its robot."""
    parent: int
    child: int


@dataclass(slots=True)
class Inventory(Builder):
    """Everything in the tree by kind, each list in the order of construction.

    Attributes:
        robots: (r,) the node and the description of each.
        objects: (o,) the node and the description of each.
        parts: (b,) the bodies of robots and objects; the place of each is its body index.
        links: (l,) in the order of construction.
        traffic: body indices of the vehicles and people of traffic, then of actors.
        devices: devices by class.
    """

    robots: list[tuple[TreeNode, PlacedRobot]] = field(default_factory=list)
    objects: list[tuple[TreeNode, PlacedObject]] = field(default_factory=list)
    parts: list[BuiltPart] = field(default_factory=list)
    links: list[BuiltLink] = field(default_factory=list)
    traffic: list[int] = field(default_factory=list)
    devices: dict[type[Device], list[MountedDevice[Device]]] = field(default_factory=dict)
    _bodies: dict[str, int] = field(default_factory=dict)

    def build_robot(self, node: TreeNode, robot: PlacedRobot) -> None:
        """Takes note of a robot."""
        self.robots.append((node, robot))

    def build_part(self, node: TreeNode, part: Part, robot: PlacedRobot) -> None:
        """Gives the part the next body index."""
        self._bodies[node.name] = len(self.parts)
        self.parts.append(BuiltPart(node, part, len(self.robots) - 1))

    def build_object(self, node: TreeNode, thing: PlacedObject) -> None:
        """Gives the object the next body index."""
        self.parts.append(BuiltPart(node, thing.body, len(self.robots) + len(self.objects)))
        self.objects.append((node, thing))

    def build_traffic(self, node: TreeNode, traffic: TrafficDescription) -> None:
        """Gives each place of the pools of vehicles and people, then each actor, a body index."""
        for kind in kinds_of_pool(traffic.vehicles, traffic.shares).tolist():
            self._add_vehicle(node, FLEET[kind])
        for _ in range(traffic.people):
            self._add_person(node)
        if traffic.scenario:
            for actor in traffic.scenario.vehicles:
                self._add_vehicle(node, FLEET[KIND_NAMES.index(actor.kind)])
            for _ in traffic.scenario.people:
                self._add_person(node)

    def _add_vehicle(self, node: TreeNode, vehicle: VehicleKind) -> None:
        size = (vehicle.length, vehicle.width, vehicle.height)
        part = BoxPart(
            *(vehicle.name, (0.0, 0.0, 0.0)), size=size, mass=vehicle.mass, motion="kinematic"
        )
        self._add_to_traffic(TreeNode(f"a {vehicle.name}", node.kind), part)

    def _add_person(self, node: TreeNode) -> None:
        person = CapsulePart(
            *("person", (0.0, 0.0, 0.0)),
            radius=RADIUS,
            length=LENGTH,
            mass=PERSON_MASS,
            motion="kinematic",
        )
        self._add_to_traffic(TreeNode("a person", node.kind), person)

    def _add_to_traffic(self, node: TreeNode, part: Part) -> None:
        self.traffic.append(len(self.parts))
        number = len(self.robots) + len(self.objects) + len(self.traffic) - 1
        self.parts.append(BuiltPart(node, part, number))

    def own_parts(self) -> list[BuiltPart]:
        """The bodies of robots and objects; those of traffic come after them."""
        return self.parts[: len(self.parts) - len(self.traffic)]

    def build_link(self, node: TreeNode, link: Link, robot: PlacedRobot) -> None:
        """Takes note of a link."""
        parent, child = (self._bodies[f"{robot.name}.{name}"] for name in (link.parent, link.child))
        self.links.append(BuiltLink(node, link, len(self.robots) - 1, parent, child))

    def build_device(self, node: TreeNode, device: Device, robot: PlacedRobot) -> None:
        """Sorts the device by its kind."""
        body = self._bodies[f"{robot.name}.{device.part}"]
        self.devices.setdefault(type(device), []).append(MountedDevice(node, device, body))

    def names(self) -> tuple[str, ...]:
        """The names of the robots, then those of the objects."""
        return tuple(node.name for node, _ in (*self.robots, *self.objects))

    def of(self, kind: type[DeviceT]) -> list[MountedDevice[DeviceT]]:
        """The devices of one kind."""
        return cast(list[MountedDevice[DeviceT]], self.devices.get(kind, []))

    def floating(self) -> frozenset[int]:
        """The numbers of the robots that float."""
        return frozenset(self.parts[mounted.body].robot for mounted in self.of(Float))

    def driven(self) -> frozenset[int]:
        """The bodies that kinematic vehicles and traffic drive."""
        return frozenset(mounted.body for mounted in self.kinematic_vehicles()) | frozenset(
            self.traffic
        )

    def kinematic_vehicles(self) -> list[MountedDevice[KinematicVehicle]]:
        """The devices that drive bodies: the first of each body."""
        first = {mounted.body: mounted for mounted in reversed(self.of(KinematicVehicle))}
        return [each for each in self.of(KinematicVehicle) if first[each.body] is each]

    def words(self, kind: type[Device]) -> Integers:
        """Addresses of the values of one kind's devices in `State.floats`, a row each."""
        plain = kind("", "")
        width = sum(field.size for field in kind_of(plain).fields_of(plain)) // WORD
        return word_indices(self.of(kind))[:, None] + np.arange(width)

    def rests(self) -> dict[str, tuple[float | None, ...]]:
        """Values of actuators without a command, by the names of their nodes."""
        mounted = (each for devices in self.devices.values() for each in devices)
        rests = ((each.node.name, kind_of(each.device).rest_of(each.device)) for each in mounted)
        return {name: rest for name, rest in rests if rest}

    def flat_tyres(self) -> list[int]:
        """The number among all wheels of the one that each `FlatTyre` acts on."""
        wheels = [(each.body, each.device.name) for each in self.of(WheelDevice)]
        return [wheels.index((each.body, each.device.wheel)) for each in self.of(FlatTyre)]

    def wheels(self) -> list[MountedWheel]:
        """All wheels, each with the indices of its body and of its drive actuator."""
        wheels: list[MountedWheel] = []
        body = actuator = 0
        for _, placed in self.robots:
            robot = placed.robot
            wheels += mount_wheels(robot, first_body=body, first_actuator=actuator)
            body += len(robot.parts)
            actuator += sum(isinstance(device, DriveActuator) for device in robot.devices)
        return wheels


def max_reach(parts: Sequence[BuiltPart]) -> float:
    """Reach [m] of each body from its centre, doubled for the bodies that it may meet."""
    return max((2.0 * body_of(built.part).reach for built in parts), default=0.0)


def ray_caster(scene: RayScene, parts: Sequence[BuiltPart]) -> RayCaster:
    """The scene for rays of sensors: a world, and the shapes of all bodies."""
    bodies = [body_of(built.part) for built in parts]
    return RayCaster(scene, bodies, np.array([built.robot for built in parts], dtype=np.int64))
