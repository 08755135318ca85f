"""Lamps of robots: what was set, or what a drive actuator makes of them, is how bright they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3, WorldDescription
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, ValueType
from autosim.config.schemas.common import POSITIVE_LENGTH, colour, direction, parameter, vector
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import FORWARD, ORIGIN, SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.state import State
from autosim.model.tree import WORD, Access, Field, SimulationTree, TreeNode


@dataclass(frozen=True, slots=True)
class Follows:
    """The drive actuator that also switches a light: while it brakes, or is to drive backwards."""

    actuator: str
    function: Literal["brake", "reverse"]
    """The state of the vehicle that switches the light on."""


@dataclass(frozen=True, slots=True)
class LightDevice(Device):
    """A lamp that is seen.

    `position` [m], in B relative to the part's centre, is the middle of its round glass of
    `diameter` [m]; it shines along `direction` (unit vector in B). `colour` is sRGB in 0..1. In
    pictures it is at least as bright as `automatic` (0..1) wherever it is dark.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    diameter: float = 0.1
    colour: Vector3 = (1.0, 1.0, 1.0)
    follows: Follows | None = None
    """Actuator that switches it, None: commands alone."""
    automatic: float = 0.0


@dataclass(frozen=True, slots=True)
class HeadLightDevice(LightDevice):
    """A lamp that lights what is before it.

    `cone_angle` [rad] is between the axis and the edge; at `range` [m] its light has ended.
    """

    cone_angle: float = 0.5
    range: float = 60.0


def _follows(block: Block, tag: str) -> Follows | None:
    if block.first(tag) is None:
        return None
    function = cast('Literal["brake", "reverse"]', block.text(tag, "function"))
    return Follows(block.text(tag), function)


def _check(light: Block, robot: RobotBlocks, faults: Faults) -> None:
    name = light.text("Follows") if light.first("Follows") else ""
    if name and name not in robot.actuators:
        message = f"<Follows> of {light.title} names '{name}', which is no DriveActuator"
        faults.error(light.line_of("Follows"), message + suggestion(name, robot.actuators))


_LAMP = (
    vector("Position", "Centre of the glass, relative to the part's centre.", default=ORIGIN),
    direction("Direction", "Where it shines.", default=FORWARD),
    parameter(
        "Diameter", "Diameter of the glass.", unit="m", default=0.1, interval=POSITIVE_LENGTH
    ),
    colour("Colour of the light at full intensity, as shown on a screen (sRGB).", (1.0, 1.0, 1.0)),
    parameter(
        "Automatic",
        "Intensity with which it shines by itself in pictures, whatever was set: from dusk to "
        "dawn, in fog, and in tunnels.",
        default=0.0,
        interval=SHARE,
    ),
    Element(
        "Follows",
        "A DriveActuator of the robot that also switches the light: while it brakes, or while it "
        "is to drive backwards: in reverse, or with a negative acceleration in the gear forward.",
        (
            Attribute("name", "The actuator.", ValueType.NAME, required=True),
            Attribute(
                "function",
                "What the light shows.",
                ValueType.TEXT,
                required=True,
                allowed=("brake", "reverse"),
            ),
        ),
    ),
)

LIGHT = DeviceKind(
    record=LightDevice,
    element=device_element(
        "LightDevice",
        "A lamp that is seen: a tail light, a brake light, an indicator. `set_data` sets its "
        "intensity from 0 to 1.",
        *_LAMP,
    ),
    fields=(Field("intensity", limits=SHARE, meaning="Share of its full brightness."),),
    codecs={"Follows": _follows},
    access=Access.DRIVE,
    check=_check,
)

HEAD_LIGHT = DeviceKind(
    record=HeadLightDevice,
    element=device_element(
        "HeadLightDevice",
        "A lamp that also lights what is before it, in a cone. `set_data` sets its intensity from "
        "0 to 1.",
        *_LAMP,
        parameter(
            "ConeAngle",
            "Angle between the axis and the edge of the cone.",
            unit="rad",
            default=0.5,
            interval=Interval(0.01, 1.5),
        ),
        parameter(
            "Range",
            "Distance at which nothing is left of its light.",
            unit="m",
            default=60.0,
            interval=Interval(0.1, 1000.0),
        ),
    ),
    fields=(Field("intensity", limits=SHARE, meaning="Share of its full brightness."),),
    codecs={"Follows": _follows},
    access=Access.DRIVE,
    check=_check,
)


@dataclass(frozen=True, slots=True)
class PlacedLight:
    """A light of a robot in the world: `node` in the tree, `part` that carries it."""

    node: TreeNode
    part: TreeNode
    light: LightDevice


def placed_lights(world: WorldDescription, tree: SimulationTree) -> tuple[PlacedLight, ...]:
    """All lights, robot by robot, in the order of the files."""
    return tuple(_placed(world, tree))


def _placed(world: WorldDescription, tree: SimulationTree) -> Iterator[PlacedLight]:
    for placed in world.robots:
        for device in placed.robot.devices:
            if isinstance(device, LightDevice):
                part = _found(tree, f"{placed.name}.{device.part}")
                yield PlacedLight(_found(tree, f"{part.name}.{device.name}"), part, device)


class Brightness:
    """The brightness of n lights in any state.

    A light shines with the intensity that was set. One that follows a drive actuator shines with
    all its intensity while the actuator brakes (brake > 0), or is to drive backwards (in reverse,
    or acceleration < 0 in the gear forward).

    Args:
        lights: of one tree.
        tree: with the robots' drive actuators.
    """

    def __init__(self, lights: tuple[PlacedLight, ...], tree: SimulationTree) -> None:
        self._words = np.array([each.node.start // WORD for each in lights], dtype=np.int64)
        actuators = _actuators(tree)
        braking: list[tuple[int, int]] = []
        reversing: list[tuple[int, int, int]] = []
        for row, each in enumerate(lights):
            if each.light.follows is not None:
                robot = each.node.name.split(".", 1)[0]
                actuator = actuators[robot, each.light.follows.actuator]
                brake, acceleration, gear = (
                    actuator.field_offset(name) // WORD
                    for name in ("brake", "acceleration", "gear")
                )
                if each.light.follows.function == "brake":
                    braking.append((row, brake))
                else:
                    reversing.append((row, acceleration, gear))
        self._braking = np.array(braking, dtype=np.int64).reshape(-1, 2).T
        self._reversing = np.array(reversing, dtype=np.int64).reshape(-1, 3).T

    def of(self, state: State) -> Floats:
        """Brightness (n,) in 0..1, in the order of the lights."""
        brightness: Floats = np.clip(state.floats[self._words], 0.0, 1.0)
        rows, brake = self._braking
        brightness[rows[state.floats[brake] > 0.0]] = 1.0
        rows, acceleration, gear = self._reversing
        gears = state.floats[gear]
        is_backwards = (gears < 0.0) | (gears * state.floats[acceleration] < 0.0)
        brightness[rows[is_backwards]] = 1.0
        return brightness


def _actuators(tree: SimulationTree) -> dict[tuple[str, str], TreeNode]:
    """The drive actuators by the robot's name and their own: it is the only one of that name."""
    found = {}
    for node in tree.walk():
        if node.kind == "DriveActuator":
            robot, _, name = node.name.split(".")
            found[robot, name] = node
    return found


def _found(tree: SimulationTree, name: str) -> TreeNode:
    node = tree.find(name)
    if node is None:
        raise ValueError(f"the tree has no node '{name}'")
    return node
