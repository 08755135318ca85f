"""Ball joints between two parts."""

from dataclasses import dataclass

from autosim.config.descriptions import Link, Vector3
from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import name_of, reference, vector
from autosim.kinds.checks import check_link
from autosim.kinds.kind import LinkKind
from autosim.model.rigid_bodies.joints import BallJoint


@dataclass(frozen=True, slots=True)
class SphericalLink(Link):
    """A ball joint between two parts; `position` [m] in the robot's frame."""

    position: Vector3


def _joint(link: SphericalLink) -> BallJoint:
    return BallJoint(link.position)


KIND = LinkKind(
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
    joint=_joint,
    check=check_link,
)
