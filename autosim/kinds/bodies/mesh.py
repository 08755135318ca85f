"""Meshes: bodies of the shape that a model file has."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autosim.config.descriptions import Part, PartFile
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import path_of, switch
from autosim.kinds.bodies.mesh_file import read_mesh
from autosim.kinds.bodies.part import part_kind
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.element_writer import element_line
from autosim.model.rigid_bodies.shapes import MeshShape, PlacedShape


@dataclass(frozen=True, slots=True)
class MeshPart(Part):
    """A body with the triangles of a file, whose origin is at `position`.

    `is_convex`: it is their convex hull; else it is hollow, and static.
    """

    file: PartFile
    is_convex: bool = True


@cache
def _mesh(content: bytes, is_convex: bool) -> MeshShape:
    return read_mesh(content, is_convex=is_convex)


def _shapes(part: MeshPart) -> tuple[PlacedShape, ...]:
    return (PlacedShape(_mesh(part.file.content, part.is_convex)),)


def _file(block: Block, tag: str) -> PartFile:
    name = block.text(tag, "path")
    return PartFile(name, Path(name))


def _check(mesh: Block, robot: RobotBlocks, faults: Faults) -> None:
    motion = mesh.text("Motion")
    if not mesh.is_true("Convex") and motion != "static":
        message = f"{mesh.title} is not convex and {motion}: expected a static one"
        faults.error(mesh.line_of("Motion"), message)


KIND = part_kind(
    MeshPart,
    "Mesh",
    "A rigid body of the shape that a model file has.",
    path_of(
        "File",
        "A Wavefront OBJ file (`.obj`), in metres, with the axes of models: x left, y up, z "
        "forward. Only its vertices and faces count.",
        required=True,
    ),
    switch(
        "Convex",
        "Whether the body is the convex hull of its vertices. Without it the body has every hollow "
        "of the file, and has to be static.",
        default=True,
    ),
    shapes=_shapes,
    names={"Convex": "is_convex"},
    codecs={"File": _file},
    writers={"File": lambda tag, file: [element_line(tag, path=file.name)]},
    check=_check,
)
