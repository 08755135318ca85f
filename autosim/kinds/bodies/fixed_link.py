"""Links that let nothing move."""

from dataclasses import dataclass

from autosim.config.descriptions import Link, Vector3
from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import name_of, vector
from autosim.kinds.bodies.axis_links import ENDS, check_hanging
from autosim.kinds.elements import ORIGIN
from autosim.kinds.kind import LinkKind
from autosim.model.rigid_bodies.joints import TreeJoint


@dataclass(frozen=True, slots=True)
class FixedLink(Link):
    """Holds two parts together as they are built; `position` [m] in the robot's frame."""

    position: Vector3 = (0.0, 0.0, 0.0)


def _joint(link: FixedLink) -> TreeJoint:
    return TreeJoint("none", link.position)


KIND = LinkKind(
    record=FixedLink,
    element=Element(
        "FixedLink",
        "Holds two parts together as they are built. It stands after both parts. A part hangs on "
        "one link at most.",
        (name_of("the link"),),
        (
            *ENDS,
            vector("Position", "Where they meet, in the robot's frame.", default=ORIGIN),
        ),
        occurs=Occurs.ANY,
    ),
    joint=_joint,
    check=check_hanging,
)
