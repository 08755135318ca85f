"""Base of the links that carry a part: one degree of freedom along an axis, or none."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeVar

from autosim.config.descriptions import Link, Vector3
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs
from autosim.config.schemas.common import direction, name_of, parameter, reference, vector
from autosim.kinds.checks import RobotBlocks, check_link
from autosim.kinds.kind import LinkKind
from autosim.model.rigid_bodies.joints import TreeJoint
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class AxisLink(Link):
    """A link along whose `axis` (unit vector in the robot's frame) its child can move.

    `position` [m] in the robot's frame is a point of the axis. The child's place on it, an angle
    [rad] or a way [m], is 0 as the robot is built, and stays within `limits`, the lower one and the
    upper one. `damping` [N m s/rad] or [N s/m].
    """

    position: Vector3
    axis: Vector3
    limits: tuple[float, float] = (-inf, inf)
    damping: float = 0.0


LinkT = TypeVar("LinkT", bound=AxisLink)


def axis_link_kind(
    record: type[LinkT], freedom: Literal["turn", "slide"], description: str
) -> LinkKind[LinkT]:
    """The kind of the links that `record` describes, which is called as that."""
    unit, rate, force = ("rad", "rad/s", "N m") if freedom == "turn" else ("m", "m/s", "N")
    damping = "N m s/rad" if freedom == "turn" else "N s/m"

    def joint(link: LinkT) -> TreeJoint:
        lower, upper = link.limits
        return TreeJoint(freedom, link.position, link.axis, lower, upper, link.damping)

    return LinkKind(
        record=record,
        element=Element(
            record.__name__,
            description + " It stands after both parts. A part hangs on one link at most.",
            (name_of("the link"),),
            (
                *ENDS,
                vector("Position", "A point of the axis, in the robot's frame.", required=True),
                direction("Axis", "The axis, in the robot's frame."),
                Element(
                    "Limits",
                    "How far the child moves from where it is built, which is 0; without them "
                    "nothing stops it.",
                    (
                        Attribute("lower", "0 or less.", unit=unit, required=True, interval=_BACK),
                        Attribute("upper", "0 or more.", unit=unit, required=True, interval=_AHEAD),
                    ),
                ),
                parameter(
                    "Damping",
                    "What brakes it, for each unit of speed. More than a step can hold is taken as "
                    "what it can: the inertia of the lighter side over the step.",
                    unit=damping,
                    default=0.0,
                    interval=Interval(0.0, 1e9),
                ),
            ),
            occurs=Occurs.ANY,
        ),
        fields=(
            Field("position", unit=unit),
            Field("velocity", unit=rate),
            Field("force", unit=force),
        ),
        codecs={"Limits": _limits},
        joint=joint,
        check=check_hanging,
    )


ENDS = (
    reference("Parent", "The part that it hangs on."),
    reference("Child", "The part that hangs on it."),
)
"""The parts of a link, as children of its element."""

_BACK, _AHEAD = Interval(-1e6, 0.0), Interval(0.0, 1e6)


def _limits(link: Block, tag: str) -> tuple[float, float]:
    if link.first(tag) is None:
        return -inf, inf
    return link.real(tag, "lower"), link.real(tag, "upper")


def check_hanging(link: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a link on which its child cannot hang."""
    check_link(link, robot, faults)
    child = link.text("Child")
    first = robot.hanging.get(child, link)
    if first is not link:
        message = f"{link.title}: the part '{child}' hangs on {first.title} in line {first.line}"
        faults.error(link.line_of("Child"), message + " already")
    ring = list(_above(link, robot))
    if ring and ring[-1] is link and link is max(ring, key=robot.place_of):
        faults.error(link, f"{link.title} closes a ring of links: parts have to hang in a tree")
    motion = robot.motions.get(child, "dynamic")
    if motion != "dynamic":
        message = f"{link.title}: its child '{child}' is {motion}: expected a dynamic one"
        faults.error(link.line_of("Child"), message)


def _above(link: Block, robot: RobotBlocks) -> Iterator[Block]:
    """The links above `link`, up to the root, or once around a ring: then `link` is the last."""
    seen: list[Block] = []
    above = robot.hanging.get(link.text("Parent"))
    while above is not None and above not in seen:
        yield above
        if above is link:
            return
        seen.append(above)
        above = robot.hanging.get(above.text("Parent"))


AXIS_LINKS = ("RevoluteLink", "PrismaticLink")
"""The kinds of links that devices move and measure."""


def check_axis_link(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a device whose Link is none that moves, or whose Part is not one of its two."""
    links = {each.name: each for each in robot.bodies if each.tag in AXIS_LINKS}
    name, part = device.text("Link"), device.text("Part")
    if name and name not in links:
        message = f"<Link> of {device.title} names '{name}', which is no {' or '.join(AXIS_LINKS)}"
        faults.error(device.line_of("Link"), message + suggestion(name, links))
    elif name and part not in (links[name].text("Parent"), links[name].text("Child")):
        message = f"{device.title} is on the part '{part}': expected one of the two of its link"
        faults.error(device.line_of("Part"), message)
