"""Checks that several kinds share."""

from collections.abc import Collection
from functools import cached_property
from math import hypot

from autosim.config.descriptions import Vector3
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.xml_axes import body_direction

_PARALLEL = 1e-6
"""Sine of the angle between two directions below which they span no plane."""


_HANGING = ("RevoluteLink", "PrismaticLink", "FixedLink")
"""The kinds of links on which a part hangs."""


class RobotBlocks:
    """A robot's blocks, for the checks of its parts, links and devices.

    Args:
        robot: the block.
        part_tags: the names of the kinds of parts.

    `bodies`: its parts and links; `devices`: those on them.
    """

    def __init__(self, robot: Block, *, part_tags: Collection[str]) -> None:
        self._part_tags = part_tags
        self.bodies = robot.section("Parts").children
        self.devices = robot.section("Devices").children

    @cached_property
    def _part_blocks(self) -> list[Block]:
        return [each for each in self.bodies if each.tag in self._part_tags]

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of all parts."""
        return frozenset(each.name for each in self._part_blocks if each.name)

    @cached_property
    def motions(self) -> dict[str, str]:
        """The motion type of each part, by its name."""
        return {each.name: each.text("Motion") for each in self._part_blocks}

    @cached_property
    def hanging(self) -> dict[str, Block]:
        """The first link on which each part hangs, by the part's name."""
        links = [each for each in reversed(self.bodies) if each.tag in _HANGING]
        return {each.text("Child"): each for each in links}

    @cached_property
    def actuators(self) -> dict[str, dict[str, Block]]:
        """Of each name of a drive actuator, those that are so called, by their parts."""
        found: dict[str, dict[str, Block]] = {}
        for each in self.devices:
            if each.tag == "DriveActuator":
                found.setdefault(each.name, {}).setdefault(each.text("Part"), each)
        return found

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(each): place for place, each in enumerate(self.bodies)}

    @cached_property
    def _first_places(self) -> dict[str, int]:
        return {each.name: self._places[id(each)] for each in reversed(self.bodies)}

    def place_of(self, body: Block) -> int:
        """Number of parts and links in the file before `body`."""
        return self._places[id(body)]

    def stands_before(self, name: str, body: Block) -> bool:
        """Whether the part or link called `name` stands in the file before `body`."""
        return self._first_places[name] <= self._places[id(body)]


def check_reference(block: Block, tag: str, names: Collection[str], faults: Faults) -> None:
    """Notes a child `tag` that names none of the parts `names`."""
    name = block.text(tag)
    if name and name not in names:
        message = f"<{tag}> of {block.title} names '{name}', which is not a part of this robot"
        faults.error(block.line_of(tag), message + suggestion(name, names))


def check_link(link: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a link whose Parent and Child are not two parts that stand before it."""
    for end in ("Parent", "Child"):
        check_reference(link, end, robot.parts, faults)
        if link.text(end) in robot.parts and not robot.stands_before(link.text(end), link):
            faults.error(link, f"{link.title} must stand after its part '{link.text(end)}'")
    if link.text("Parent") and link.text("Parent") == link.text("Child"):
        faults.error(link, f"{link.title} links '{link.text('Child')}' to itself")


def check_axes(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a Direction and an UpVector that are parallel."""
    forward, up = vector_of(device, "Direction"), vector_of(device, "UpVector")
    if not forward or not up or not any(forward) or not any(up):
        return
    fx, fy, fz = body_direction(forward)
    ux, uy, uz = body_direction(up)
    if hypot(fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux) < _PARALLEL:
        message = f"<Direction> and <UpVector> of {device.title} are parallel"
        faults.error(device.line_of("Direction"), message)


def vector_of(block: Block, tag: str) -> Vector3 | None:
    """X, y, z of a child as in the file, None where one of them is not there."""
    x, y, z = (block.value(tag, axis) for axis in "xyz")
    return None if x is None or y is None or z is None else (float(x), float(y), float(z))
