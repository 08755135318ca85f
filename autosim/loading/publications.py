"""The lists that user programs publish under a robot, as the world file declares them."""

from collections.abc import Iterable, Sequence

from autosim.config.descriptions import (
    MOST_PUBLISHED,
    Publication,
    PublishedColumn,
    RobotDescription,
)
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.record_reader import read_record
from autosim.config.reserved_names import STATES, reserved_reason


def publications_of(blocks: Iterable[Block]) -> tuple[Publication, ...]:
    """The publications that blocks without errors declare."""
    return tuple(_publication(each) for each in blocks)


def _publication(block: Block) -> Publication:
    columns = tuple(read_record(PublishedColumn, each) for each in block.all("Column"))
    return read_record(Publication, block, columns=columns)


def check_publications(
    blocks: Sequence[Block], robot: RobotDescription | None, faults: Faults
) -> None:
    """Looks for names used twice, publications that are too large, and what cannot be drawn.

    Args:
        blocks: the publications of one robot; they may hold less than the file.
        robot: whose parts and links have names already; None where its file has errors.
        faults: takes what is found.
    """
    check_unique(blocks, faults)
    bodies: set[str] = set()
    if robot:
        bodies = {part.name for part in robot.parts} | {link.name for link in robot.links}
    for block in blocks:
        if block.name in bodies:
            faults.error(block, f"{block.title} has the name of a part or link of the robot")
        if block.name in STATES:
            faults.error(block, f"{block.title}: {reserved_reason(block.name)}")
        columns = list(block.all("Column"))
        check_unique(columns, faults)
        _check_size(block, len(columns), faults)
        if block.get("drawn") in ("points", "line"):
            _check_drawn(block, columns, faults)


def _check_size(block: Block, columns: int, faults: Faults) -> None:
    capacity = block.get("capacity")
    if isinstance(capacity, int) and capacity * columns > MOST_PUBLISHED:
        message = (
            f"{block.title} has {capacity} rows of {columns} columns: expected at most "
            f"{MOST_PUBLISHED} numbers"
        )
        faults.error(block, message)


def _check_drawn(block: Block, columns: Sequence[Block], faults: Faults) -> None:
    named = {each.name: each for each in columns}
    for name in ("x", "y"):
        if name not in named:
            faults.error(block, f"{block.title} is drawn: expected a column '{name}'")
    for name in ("x", "y", "z"):
        if name in named and named[name].get("unit") != "m":
            message = f"{block.title} is drawn: expected unit=\"m\" of its column '{name}'"
            faults.error(named[name], message)
