"""Boxes: rigid bodies, the parts of robots."""

from dataclasses import dataclass

from autosim.config.descriptions import Part, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.kinds.bodies.part import part_kind, size
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.element_reader import extent
from autosim.kinds.element_writer import extent_line
from autosim.model.rigid_bodies.shapes import Box, PlacedShape


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


KIND = part_kind(
    BoxPart,
    "Box",
    "A rigid box-shaped body.",
    size(),
    shapes=_shapes,
    codecs={"Size": extent},
    writers={"Size": extent_line},
    check=_check,
)
