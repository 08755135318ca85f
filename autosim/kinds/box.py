"""Boxes: rigid bodies, the parts of robots."""

from typing import TypedDict, cast

from autosim.config.blocks import Block
from autosim.config.descriptions import PAINT, BoxPart, ModelReference, Motion, Vector3
from autosim.config.faults import Faults
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
from autosim.kinds.kind import Kind
from autosim.kinds.reading import extent, read_colour, read_model
from autosim.simulation.tree import Field


def _check(box: Block, robot: RobotBlocks, faults: Faults) -> None:
    sizes, offsets = vector_of(box, "Size"), vector_of(box, "CenterOfMass")
    if sizes and offsets and any(abs(c) > s / 2 for c, s in zip(offsets, sizes, strict=True)):
        line = box.line_of("CenterOfMass")
        faults.warning(line, f"the centre of mass of {box.title} lies outside its box")


class BodyValues(TypedDict):
    """What the bodies of robots and of objects have in common."""

    model: ModelReference | None
    colour: Vector3
    motion: Motion
    friction: float


def read_body(block: Block) -> BodyValues:
    """What the block of a body without errors says of it, be it a robot's part or an object."""
    return BodyValues(
        model=read_model(block, "Model"),
        colour=read_colour(block, "Colour"),
        motion=cast("Motion", block.text("Motion")),
        friction=block.real("Friction"),
    )


KIND = Kind(
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
        occurs=Occurs.SOME,
    ),
    fields=(
        Field("position", shape=(3,), unit="m"),
        Field("orientation", shape=(4,)),
        Field("velocity", shape=(3,), unit="m/s"),
        Field("angular_velocity", shape=(3,), unit="rad/s"),
    ),
    names={"CenterOfMass": "centre_of_mass"},
    codecs={"Size": extent},
    check=_check,
)
"""Positions and velocities are in W; orientation is the quaternion (x, y, z, w) of R_WB."""
