"""Compounds: rigid bodies of several shapes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autosim.config.descriptions import Part
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Occurs
from autosim.config.schemas.common import direction, vector
from autosim.config.xml_axes import body_direction, body_vector
from autosim.kinds.bodies.part import axis, length, part_kind, radius, size
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.element_reader import extent
from autosim.kinds.element_writer import element_line, extent_line, vector_line
from autosim.kinds.elements import FORWARD, ORIGIN, UP
from autosim.model.quaternions import matrix_of, turn_to_axes, turn_z_to
from autosim.model.rigid_bodies.shapes import (
    Box,
    Capsule,
    Cylinder,
    PlacedShape,
    Quaternion,
    Solid,
    Sphere,
)

MOST_SHAPES = 64
"""Number of shapes of a compound. Physics and rays look at each of them."""


@dataclass(frozen=True, slots=True)
class CompoundPart(Part):
    """Several shapes that are one body; `shapes` are placed relative to `position`."""

    shapes: tuple[PlacedShape, ...]


@dataclass(frozen=True, slots=True)
class _Member:
    """A shape of a compound: its element, the shape that its block describes, and how it turns."""

    element: Element
    shape: Callable[[Block], Solid]
    turn: Callable[[Block], Quaternion]


def _element(name: str, description: str, *children: Element) -> Element:
    place = vector("Position", "Its centre, relative to that of the part.", default=ORIGIN)
    return Element(name, description, (), (place, *children), occurs=Occurs.ANY)


def _along_axis(block: Block) -> Quaternion:
    return turn_z_to(body_direction(block.vector("Axis")))


def _along_axes(block: Block) -> Quaternion:
    forward, up = block.vector("Direction"), block.vector("UpVector")
    return turn_to_axes(body_direction(forward), body_direction(up))


_MEMBERS = (
    _Member(
        _element(
            "Box",
            "A box.",
            size(),
            direction("Direction", "Where its z axis points.", default=FORWARD),
            direction("UpVector", "Where its y axis points, as near as it comes.", default=UP),
        ),
        lambda block: Box(extent(block, "Size")),
        _along_axes,
    ),
    _Member(
        _element("Sphere", "A sphere.", radius()),
        lambda block: Sphere(block.real("Radius")),
        lambda block: (0.0, 0.0, 0.0, 1.0),
    ),
    _Member(
        _element("Capsule", "A capsule.", radius(), length("Between its caps' centres."), axis()),
        lambda block: Capsule(block.real("Radius"), block.real("Length")),
        _along_axis,
    ),
    _Member(
        _element("Cylinder", "A cylinder.", radius(), length("Between its ends."), axis()),
        lambda block: Cylinder(block.real("Radius"), block.real("Length")),
        _along_axis,
    ),
)
_MEMBER_OF = {each.element.name: each for each in _MEMBERS}


def _read(block: Block, tag: str) -> tuple[PlacedShape, ...]:
    return tuple(_placed(each) for each in block.section(tag).children)


def _placed(block: Block) -> PlacedShape:
    member = _MEMBER_OF[block.tag]
    place = body_vector(block.vector("Position"))
    return PlacedShape(member.shape(block), place, member.turn(block))


def _write(tag: str, shapes: tuple[PlacedShape, ...]) -> Iterator[str]:
    yield f"<{tag}>"
    for each in shapes:
        name = type(each.shape).__name__
        yield f"  <{name}>"
        yield from (f"    {text}" for text in _member_lines(each))
        yield f"  </{name}>"
    yield f"</{tag}>"


def _member_lines(placed: PlacedShape) -> Iterator[str]:
    shape = placed.shape
    forward, _, up = matrix_of(placed.orientation).T.tolist()
    yield from vector_line("Position", placed.position)
    if isinstance(shape, Box):
        yield from extent_line("Size", shape.size)
        yield from vector_line("Direction", forward)
        yield from vector_line("UpVector", up)
    if isinstance(shape, Sphere | Capsule | Cylinder):
        yield element_line("Radius", value=shape.radius)
    if isinstance(shape, Capsule | Cylinder):
        yield element_line("Length", value=shape.length)
        yield from vector_line("Axis", up)


def _check(compound: Block, robot: RobotBlocks, faults: Faults) -> None:
    shapes = compound.section("Shapes").children
    if not 0 < len(shapes) <= MOST_SHAPES:
        message = f"<Shapes> of {compound.title} has {len(shapes)} shapes: "
        faults.error(compound.line_of("Shapes"), f"{message}expected 1 to {MOST_SHAPES}")
    for each in shapes:
        if each.tag == "Box":
            check_axes(each, robot, faults)


KIND = part_kind(
    CompoundPart,
    "Compound",
    "A rigid body of several shapes. Its mass is spread evenly over their volumes, of which those "
    "that two of them share count twice.",
    Element(
        "Shapes",
        "The shapes that it consists of.",
        children=tuple(each.element for each in _MEMBERS),
        occurs=Occurs.ONCE,
        is_strict=True,
    ),
    shapes=lambda compound: compound.shapes,
    codecs={"Shapes": _read},
    writers={"Shapes": _write},
    check=_check,
)
