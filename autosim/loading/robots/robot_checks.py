"""Checks the blocks of a robot file against one another."""

from collections.abc import Mapping, Sequence

from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reserved_names import STATES, reserved_reason
from autosim.kinds.checks import RobotBlocks, check_reference
from autosim.kinds.kind import DeviceKind, Kind
from autosim.kinds.registry import PARTS

_PART_TAGS = tuple(kind.name for kind in PARTS)


def check_robot(block: Block, kinds: Mapping[str, Kind[object]], faults: Faults) -> None:
    """Looks for names used twice, references to nothing, and what each kind has to say.

    `block` may lack the parts of the file that have errors.
    """
    robot = RobotBlocks(block, part_tags=_PART_TAGS)
    parts = block.first("Parts")
    if parts is not None and not any(parts.all(*_PART_TAGS)):
        names = ", ".join(f"<{tag}>" for tag in _PART_TAGS)
        faults.error(parts, f"<Parts> needs a part: {names}")
    check_unique(robot.bodies, faults)
    for each in robot.bodies:
        if each.name in STATES:
            faults.error(each, f"{each.title}: {reserved_reason(each.name)}")
    _check_owner(robot.devices, kinds, faults)
    check_unique(robot.devices, faults, scope=lambda device: device.text("Part"))
    for device in robot.devices:
        check_reference(device, "Part", robot.parts, faults)
    for each in (*robot.bodies, *robot.devices):
        check = kinds[each.tag].check
        if check is not None:
            check(each, robot, faults)


def _check_owner(
    devices: Sequence[Block], kinds: Mapping[str, Kind[object]], faults: Faults
) -> None:
    """Notes each device but the first that would keep the robot's belief up to date."""
    owners = [each for each in devices if _owns_state(kinds[each.tag])]
    for each in owners[1:]:
        message = (
            f"{each.title} in line {each.line} and {owners[0].title} in line {owners[0].line} both "
            "own what the robot believes, <robot>.state: leave one of them"
        )
        faults.error(each, message)


def _owns_state(kind: Kind[object]) -> bool:
    return isinstance(kind, DeviceKind) and kind.state_access is not None
