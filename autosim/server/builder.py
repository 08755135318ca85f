"""What the server makes of a world's description: bodies, joints, vehicles and banks."""

from dataclasses import dataclass, field

from autosim.config.descriptions import BoxPart, Device, PlacedRobot, SphericalLink
from autosim.simulation.banks import Mounted
from autosim.simulation.director import Builder
from autosim.simulation.tree import Node


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """A part in the tree; its body's index is its place in `Inventory.parts`."""

    node: Node
    part: BoxPart
    robot: int


@dataclass(frozen=True, slots=True)
class BuiltLink:
    """A link between the bodies `parent` and `child`."""

    link: SphericalLink
    robot: int
    parent: int
    child: int


@dataclass(slots=True)
class Inventory(Builder):
    """Everything in the tree by kind, each list in the order of construction."""

    robots: list[tuple[Node, PlacedRobot]] = field(default_factory=list)
    parts: list[BuiltPart] = field(default_factory=list)
    links: list[BuiltLink] = field(default_factory=list)
    devices: dict[type[Device], list[Mounted[Device]]] = field(default_factory=dict)
    _bodies: dict[str, int] = field(default_factory=dict)

    def build_robot(self, node: Node, robot: PlacedRobot) -> None:
        """Takes note of a robot."""
        self.robots.append((node, robot))

    def build_part(self, node: Node, part: BoxPart, robot: PlacedRobot) -> None:
        """Gives the part the next body index."""
        self._bodies[node.name] = len(self.parts)
        self.parts.append(BuiltPart(node, part, len(self.robots) - 1))

    def build_link(self, node: Node, link: SphericalLink, robot: PlacedRobot) -> None:
        """Takes note of a link."""
        parent, child = (self._bodies[f"{robot.name}.{name}"] for name in (link.parent, link.child))
        self.links.append(BuiltLink(link, len(self.robots) - 1, parent, child))

    def build_device(self, node: Node, device: Device, robot: PlacedRobot) -> None:
        """Sorts the device by its kind."""
        body = self._bodies[f"{robot.name}.{device.part}"]
        self.devices.setdefault(type(device), []).append(Mounted(node, device, body))
