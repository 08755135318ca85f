"""Boxes: rigid bodies, the parts of robots."""

from autosim.config.descriptions import PAINT, BoxPart
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
from autosim.kinds.kind import Kind
from autosim.kinds.reading import extent
from autosim.simulation.tree import Field


def _check(box: Block, robot: RobotBlocks, faults: Faults) -> None:
    sizes, offsets = vector_of(box, "Size"), vector_of(box, "CenterOfMass")
    if sizes and offsets and any(abs(c) > s / 2 for c, s in zip(offsets, sizes, strict=True)):
        line = box.line_of("CenterOfMass")
        faults.warning(line, f"the centre of mass of {box.title} lies outside its box")


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
        Field("position", shape=(3,), unit="m", meaning="Of its centre: east, north, up."),
        Field(
            "orientation",
            shape=(4,),
            meaning="Quaternion x, y, z, w: turns from forward, left, up to east, north, up.",
        ),
        Field("velocity", shape=(3,), unit="m/s", meaning="Of its centre: east, north, up."),
        Field(
            "angular_velocity",
            shape=(3,),
            unit="rad/s",
            meaning="About the axes that point east, north and up.",
        ),
    ),
    names={"CenterOfMass": "centre_of_mass"},
    codecs={"Size": extent},
    check=_check,
)
"""Positions and velocities are in W; orientation is the quaternion (x, y, z, w) of R_WB."""
