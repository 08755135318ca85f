"""Builds a house list from the blocks of its file."""

from pathlib import Path

from autosim.config.descriptions import House, HouseList, ModelReference
from autosim.config.files.lookup import Roots
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.missing_models import check_models, parts_of
from autosim.config.reading.sources import Source, read_block
from autosim.config.schemas.house_list import HOUSE_LIST


def check_house_list(block: Block, faults: Faults) -> None:
    """Finds names that occur twice in one land use."""
    for section in block.children:
        check_unique(section.children, faults)


def build_house_list(block: Block, source: Path) -> HouseList:
    """The list that a `houses` block without errors describes."""
    houses = tuple(_house(each, use.tag) for use in block.children for each in use.children)
    return HouseList(source, houses)


def _house(block: Block, landuse: str) -> House:
    model = ModelReference(block.text("File", "path"), block.text("File", "type"))
    return House(block.name, landuse, model, size=block.vector("BoxSize"))


def read_house_list(source: Source, roots: Roots) -> HouseList | None:
    """The list that a file describes; None, with diagnostics, if it has errors.

    Args:
        source: the file.
        roots: where models are searched for; a missing one gives a warning.
    """
    block = read_block(source, HOUSE_LIST)
    if block is None:
        return None
    check_house_list(block, source.faults)
    check_models(parts_of(block), roots, source.faults, tag="File")
    return None if source.faults.has_errors else build_house_list(block, source.path)
