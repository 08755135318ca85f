"""Reads the suites of the driving benchmark."""

from dataclasses import replace
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.files.lookup import PathError, find_file, locate, search_roots
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import check_unique
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.schemas.suite import SUITE
from autosim.config.suites import RouteGroup, Suite

SUITE_FOLDER = "suites"
"""Folder of suites below each root."""


def suite_path(name: str | Path) -> Path:
    """The file of a suite: a path, or the name of one in a folder `suites` of a root.

    Raises:
        PathError: there is no such file; the message lists the known suites.
    """
    path = Path(name)
    if path.suffix == ".xml":
        return locate(path, None)[0]
    try:
        return find_file(f"{SUITE_FOLDER}/{name}.xml", search_roots())
    except PathError as error:
        known = ", ".join(suite_names())
        raise PathError(f"there is no suite '{name}' (suites: {known}; or a file .xml)") from error


def suite_names() -> list[str]:
    """Names of all suites in the folders `suites` of the roots."""
    found = {
        file.stem for root in search_roots() for file in sorted((root / SUITE_FOLDER).glob("*.xml"))
    }
    return sorted(found)


def load_suite(name: str | Path) -> Suite:
    """Reads a suite by its name or file.

    Raises:
        ConfigError: it has faults; all are named with their lines.
        PathError: there is no such file.
    """
    found = Diagnostics()
    source = open_source(suite_path(name), found)
    suite = _read(source) if source else None
    if suite is None or found.errors:
        raise ConfigError(found.all)
    return suite


def _read(source: Source) -> Suite | None:
    block = read_block(source, SUITE)
    if block is None:
        return None
    blocks = [*block.all("Routes")]
    check_unique(blocks, source.faults)
    if not blocks:
        source.faults.error(block, "<Suite> has no <Routes>: add one element for each town")
    for each in blocks:
        text = each.get("waypoints")
        if text and not read_record(RouteGroup, each, line=each.line).waypoints:
            source.faults.error(each, "waypoints: expected two places or more, such as 0,0 80,12.5")
    if source.faults.has_errors:
        return None
    groups = tuple(_group(source.path.parent, each) for each in blocks)
    return read_record(Suite, block, groups=groups, source=source.path)


def _group(folder: Path, block: Block) -> RouteGroup:
    """A group, whose world is the file beside the suite where there is one."""
    group = read_record(RouteGroup, block, line=block.line)
    beside = folder / group.world
    return replace(group, world=beside) if beside.is_file() else group
