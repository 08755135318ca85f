"""Elements common to all kinds of parts, whatever their shape."""

from collections.abc import Callable, Mapping, Sequence

from autosim.config.descriptions import PAINT, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Interval, Occurs
from autosim.config.schemas.common import (
    POSITIVE_LENGTH,
    body_friction,
    body_mass,
    body_motion,
    body_restitution,
    colour,
    direction,
    model,
    name_of,
    parameter,
    vector,
)
from autosim.config.xml_axes import body_extent
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.element_reader import Codec
from autosim.kinds.element_writer import Writer, extent_line
from autosim.kinds.elements import ORIGIN, UP
from autosim.kinds.kind import PLACE, PartKind, PartT
from autosim.model.rigid_bodies.shapes import PlacedShape

_TRIANGLE = 1.0 + 1e-6
"""Factor by which a moment of inertia may be larger than the two others together: rounding."""


def part_kind(
    record: type[PartT],
    name: str,
    description: str,
    *shape: Element,
    shapes: Callable[[PartT], tuple[PlacedShape, ...]],
    names: Mapping[str, str] | None = None,
    codecs: Mapping[str, Codec] | None = None,
    writers: Mapping[str, Writer] | None = None,
    check: Callable[[Block, RobotBlocks, Faults], None] | None = None,
) -> PartKind[PartT]:
    """A kind of part.

    Args:
        record: of the part.
        name: of its element.
        description: of its element.
        shape: the children that say which shape it has.
        shapes: makes them of a record.
        names: of fields that are not the name of a child of `shape`.
        codecs: of those of `shape` that need one.
        writers: of the same.
        check: of what `shape` says.
    """

    def check_part(part: Block, robot: RobotBlocks, faults: Faults) -> None:
        _check_inertia(part, faults)
        if check is not None:
            check(part, robot, faults)

    return PartKind(
        record=record,
        element=Element(
            name, description, (name_of("the part"),), _children(shape), occurs=Occurs.ANY
        ),
        shapes=shapes,
        names={"CenterOfMass": "centre_of_mass", **(names or {})},
        codecs={"Inertia": _moments, **(codecs or {})},
        writers={"Inertia": extent_line, **(writers or {})},
        check=check_part,
    )


def radius() -> Element:
    """The radius of a round shape."""
    return parameter("Radius", "Radius.", unit="m", required=True, interval=POSITIVE_LENGTH)


def length(description: str) -> Element:
    """The length of a shape that has an axis."""
    return parameter("Length", description, unit="m", required=True, interval=POSITIVE_LENGTH)


def axis() -> Element:
    """The direction of a shape's axis."""
    return direction(
        "Axis", "Direction of its axis; the axes of the part stay those of the robot.", default=UP
    )


def size() -> Element:
    """The size of a box."""
    return vector("Size", "Full extent of the box.", required=True, interval=POSITIVE_LENGTH)


def _children(shape: Sequence[Element]) -> tuple[Element, ...]:
    place = "Centre of the part at construction, in the robot's frame."
    return (
        vector(PLACE, place, default=ORIGIN),
        *shape,
        body_mass(),
        vector(
            "CenterOfMass",
            "Centre of mass, relative to the centre of the part; that of a homogeneous body when "
            "not given.",
        ),
        vector(
            "Inertia",
            "Moments of inertia about these axes through the centre of mass; those of a "
            "homogeneous body when not given.",
            unit="kg m²",
            interval=Interval(0.0, 1e9, low_open=True),
        ),
        body_motion(),
        body_friction(),
        body_restitution(),
        model("Model", "How it looks; its plain shape when not given."),
        colour("Colour of the plain shape, as shown on a screen (sRGB).", PAINT),
    )


def _moments(block: Block, tag: str) -> Vector3 | None:
    return body_extent(block.vector(tag)) if block.first(tag) else None


def _check_inertia(part: Block, faults: Faults) -> None:
    moments = vector_of(part, "Inertia")
    if moments and 2.0 * max(moments) > _TRIANGLE * sum(moments):
        message = f"<Inertia> of {part.title} is that of no body: "
        message += "no moment is larger than the two others together"
        faults.error(part.line_of("Inertia"), message)
