"""Warns of missing models, instead of which a plain shape is drawn."""

from pathlib import Path

from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults


def check_models(block: Block, roots: Roots, faults: Faults) -> None:
    """Warns once of each `Model` below `block` whose folder has no `LOD0/model.*`."""
    missing: set[str] = set()
    for part in (each for section in block.children for each in section.children):
        path = part.text("Model", "path") if part.first("Model") else ""
        if path and path not in missing and not _is_model(path, roots):
            missing.add(path)
            message = f"found no '{path}/LOD0/model.*': a plain shape is drawn"
            faults.warning(part.line_of("Model"), message)


def _is_model(path: str, roots: Roots) -> bool:
    try:
        folder: Path = find_file(f"{path}/LOD0", roots)
        return any(each.stem == "model" for each in folder.iterdir())
    except (PathError, OSError):
        return False
