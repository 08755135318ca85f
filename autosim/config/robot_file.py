"""Makes a robot's description of a robot file's blocks."""

from pathlib import Path

from autosim.config.blocks import Block
from autosim.config.descriptions import RobotDescription
from autosim.config.lookup import Roots
from autosim.config.models import check_models
from autosim.config.robot_checks import check_robot
from autosim.config.schemas.robot import ROBOT
from autosim.config.sources import Source, read_block
from autosim.kinds import box, spherical_link
from autosim.kinds.registry import BUILT_IN, PARTS

_BODIES = {kind.name: kind for kind in PARTS}
_KINDS = {kind.name: kind for kind in BUILT_IN}


def build_robot(block: Block, source: Path) -> RobotDescription:
    """The robot that a `Robot` block without errors describes."""
    parts = block.section("Parts")
    devices = block.section("Devices").children
    return RobotDescription(
        name=block.name,
        source=source,
        parts=tuple(box.KIND.read(each) for each in parts.all(box.KIND.name)),
        links=tuple(spherical_link.KIND.read(each) for each in parts.all(spherical_link.KIND.name)),
        devices=tuple(_KINDS[each.tag].read(each) for each in devices),
    )


def read_robot(source: Source, roots: Roots) -> RobotDescription | None:
    """The robot that a file describes; None, with diagnostics, where it has errors."""
    block = read_block(source, ROBOT)
    if block is None:
        return None
    check_robot(block, {**_KINDS, **_BODIES}, source.faults)
    check_models(block, roots, source.faults)
    return None if source.faults.has_errors else build_robot(block, source.path)
