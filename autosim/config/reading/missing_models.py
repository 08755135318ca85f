"""Warns of missing models, instead of which a plain shape is drawn."""

from collections.abc import Iterable
from pathlib import Path

from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults


def check_models(
    parts: Iterable[Block], roots: Roots, faults: Faults, *, tag: str = "Model"
) -> None:
    """Warns once of each model whose folder has no `LOD0/model.*`.

    Args:
        parts: blocks that may have a model.
        roots: where models are searched for.
        faults: receives the warnings.
        tag: element of a part that holds the `path` of its model.
    """
    missing: set[str] = set()
    for part in parts:
        path = part.text(tag, "path") if part.first(tag) else ""
        if path and path not in missing and not _is_model(path, roots):
            missing.add(path)
            message = f"found no '{path}/LOD0/model.*': a plain shape is drawn"
            faults.warning(part.line_of(tag), message)


def parts_of(block: Block) -> Iterable[Block]:
    """The children of the sections of a file's root."""
    return (each for section in block.children for each in section.children)


def _is_model(path: str, roots: Roots) -> bool:
    try:
        folder: Path = find_file(f"{path}/LOD0", roots)
        return any(each.stem == "model" for each in folder.iterdir())
    except (PathError, OSError):
        return False
