"""Ball joints between two parts."""

from autosim.config.descriptions import SphericalLink
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import name_of, reference, vector
from autosim.kinds.checks import RobotBlocks, check_reference
from autosim.kinds.kind import Kind


def _check(link: Block, robot: RobotBlocks, faults: Faults) -> None:
    for end in ("Parent", "Child"):
        check_reference(link, end, robot.parts, faults)
        if link.text(end) in robot.parts and not robot.stands_before(link.text(end), link):
            faults.error(link, f"{link.title} must stand after its part '{link.text(end)}'")
    if link.text("Parent") and link.text("Parent") == link.text("Child"):
        faults.error(link, f"{link.title} links '{link.text('Child')}' to itself")


KIND = Kind(
    record=SphericalLink,
    element=Element(
        "SphericalLink",
        "A ball joint between two parts. It stands after both of them.",
        (name_of("the link"),),
        (
            reference("Parent", "One part."),
            reference("Child", "The other part."),
            vector("Position", "Centre of the ball, in the robot's frame.", required=True),
        ),
        occurs=Occurs.ANY,
    ),
    check=_check,
)
