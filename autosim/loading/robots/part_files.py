"""The files that say which shape parts have, found among the roots and read once."""

from collections.abc import Iterable
from dataclasses import replace

from autosim.config.descriptions import Part, PartFile
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.errors import UserError
from autosim.kinds.bodies import mesh
from autosim.kinds.bodies.mesh_file import MeshError, read_mesh
from autosim.kinds.kind import PartT

_TAG = "File"


def check_part_files(parts: Iterable[Block], roots: Roots, faults: Faults) -> None:
    """Notes each mesh among `parts` whose file is not there or holds no such mesh."""
    for part in parts:
        name = part.text(_TAG, "path") if part.tag == mesh.KIND.name else ""
        if not name:
            continue
        try:
            content = found_file(name, roots).content
            read_mesh(content, is_convex=part.is_true("Convex"))
        except UserError as error:
            reason = f"'{name}': {error}" if isinstance(error, MeshError) else str(error)
            faults.error(part.line_of(_TAG), f"<{_TAG}> of {part.title}: {reason}")


def with_file(part: PartT, roots: Roots) -> PartT:
    """`part` with the content of its file, which `check_part_files` has found without fault."""
    if not isinstance(part, mesh.MeshPart):
        return part
    return replace(part, file=found_file(part.file.name, roots))


def files_of(parts: Iterable[Part]) -> list[PartFile]:
    """The files of `parts`, each once."""
    files = {part.file.name: part.file for part in parts if isinstance(part, mesh.MeshPart)}
    return list(files.values())


def found_file(name: str, roots: Roots) -> PartFile:
    """The file called `name` among the roots, with its content.

    Raises:
        PathError: it is not there, or cannot be read.
    """
    path = find_file(name, roots)
    try:
        return PartFile(name, path, path.read_bytes())
    except OSError as error:
        raise PathError(f"'{name}' cannot be read: {error.strerror}") from error
