"""Boxes: rigid bodies, the parts of robots."""

from dataclasses import dataclass

from autosim.config.descriptions import PAINT, Part, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import (
    body_friction,
    body_mass,
    body_motion,
    body_size,
    colour,
    model,
    name_of,
    vector,
)
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.elements import ORIGIN
from autosim.kinds.kind import PartKind
from autosim.kinds.reading import extent
from autosim.simulation.shapes import Box, PlacedShape


@dataclass(frozen=True, slots=True)
class BoxPart(Part):
    """A box-shaped body. `size` [m] is the full extent along B's x (length), y (width), z (height).

    `position` is that of its centre, and `centre_of_mass` is relative to it.
    """

    size: Vector3


def _shapes(box: BoxPart) -> tuple[PlacedShape, ...]:
    return (PlacedShape(Box(box.size)),)


def _check(box: Block, robot: RobotBlocks, faults: Faults) -> None:
    sizes, offsets = vector_of(box, "Size"), vector_of(box, "CenterOfMass")
    if sizes and offsets and any(abs(c) > s / 2 for c, s in zip(offsets, sizes, strict=True)):
        line = box.line_of("CenterOfMass")
        faults.warning(line, f"the centre of mass of {box.title} lies outside its box")


KIND = PartKind(
    record=BoxPart,
    element=Element(
        "Box",
        "A rigid box-shaped body.",
        (name_of("the part"),),
        (
            vector(
                "Position",
                "Centre of the box at construction, in the robot's frame.",
                default=ORIGIN,
            ),
            body_size(),
            body_mass(),
            vector(
                "CenterOfMass",
                "Centre of mass, relative to the centre of the box.",
                default=ORIGIN,
            ),
            body_motion(),
            body_friction(),
            model("Model", "How it looks; a plain box when not given."),
            colour("Colour of the plain box, as shown on a screen (sRGB).", PAINT),
        ),
        occurs=Occurs.ANY,
    ),
    shapes=_shapes,
    names={"CenterOfMass": "centre_of_mass"},
    codecs={"Size": extent},
    check=_check,
)
