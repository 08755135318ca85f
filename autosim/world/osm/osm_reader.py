"""Reads OpenStreetMap files: by libosmium, and XML that it refuses by the tolerant reader.

Either way the result is one `OsmData` with the findings about the file, so that
nothing after this point knows how the map came in.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.config.diagnostics import Diagnostic
from autosim.isolated_reader import IsolatedReaderError
from autosim.world.osm.osm_data import OsmContent, OsmData, OsmWay
from autosim.world.osm.osm_libosmium import LibosmiumError, read_by_libosmium
from autosim.world.osm.osm_sniff import (
    OsmKind,
    UnusableFileError,
    check_size,
    check_xml,
    error,
    kind_of,
    refuse_other_packing,
)
from autosim.world.osm.osm_structure import MOST_LISTED, structure_findings
from autosim.world.osm.osm_tolerant import read_tolerant

MAX_WAY_NODES = 20_000
"""Largest number of nodes of a way: ten times the limit of OpenStreetMap's own API (version 0.6,
`waynodes maximum`). The time for a way grows with the square of their number."""


def read_osm(path: Path) -> OsmData:
    """Reads a map file (`.osm`, `.osm.gz`, `.osm.bz2`, `.osm.pbf`).

    Never raises for what is in the file: an unusable file gives data without content and an
    error among its findings. Ways with missing nodes are left out and reported; of ways with more
    than `MAX_WAY_NODES` nodes the rest is.
    """
    try:
        data = _read(path)
    except UnusableFileError as fault:
        data = OsmContent(findings=[fault.finding]).finish()
    return _without_incomplete_ways(_with_shortened_ways(data, path), path)


def check_osm(path: Path) -> list[Diagnostic]:
    """All findings about a map file; none means that it is sound."""
    data = read_osm(path)
    found = list(data.findings)
    has_errors = any(each.level == "error" for each in found)
    return found if has_errors else found + structure_findings(data, path)


def _read(path: Path) -> OsmData:
    check_size(path)
    kind = kind_of(path)
    refuse_other_packing(path, kind)
    if kind is OsmKind.PBF:
        return _read_pbf(path)
    data = _read_plain(path) if check_xml(path, kind) else None
    return read_tolerant(path, kind).finish() if data is None else data


def _read_plain(path: Path) -> OsmData | None:
    """XML as libosmium reads it; None where it finds faults, whose lines it does not know."""
    try:
        data = read_by_libosmium(path)
    except (IsolatedReaderError, LibosmiumError):
        return None
    return None if data.findings else data


def _read_pbf(path: Path) -> OsmData:
    try:
        return read_by_libosmium(path)
    except IsolatedReaderError as fault:
        raise error(path, str(fault)) from fault
    except LibosmiumError as fault:
        raise error(path, f"not a readable PBF file: {fault}") from fault


def _with_shortened_ways(data: OsmData, path: Path) -> OsmData:
    """The map with the first `MAX_WAY_NODES` nodes of each way, with a finding for each cut."""
    longer = [way for way in data.ways if len(way.refs) > MAX_WAY_NODES]
    if not longer:
        return data
    messages = [
        f"way {way.id}: {len(way.refs)} nodes, where OpenStreetMap allows 2000; "
        f"those after the first {MAX_WAY_NODES} are left out"
        for way in longer
    ]
    findings = [Diagnostic(path, 0, "warning", message) for message in messages[:MOST_LISTED]]
    ways = tuple(replace(way, refs=way.refs[:MAX_WAY_NODES]) for way in data.ways)
    return replace(data, ways=ways, findings=(*data.findings, *findings))


def _without_incomplete_ways(data: OsmData, path: Path) -> OsmData:
    """Leaves out ways that name nodes which the file does not hold, with a finding for each."""
    lengths = np.array([len(way.refs) for way in data.ways], dtype=np.int64)
    is_missing = data.rows(tuple(ref for way in data.ways for ref in way.refs)) < 0
    if not is_missing.any():
        return data
    of = np.repeat(np.arange(len(data.ways)), lengths)
    counts = np.bincount(of[is_missing], minlength=len(data.ways)).tolist()
    both = list(zip(data.ways, counts, strict=True))
    kept = [way for way, missing in both if not missing]
    incomplete = [(way, missing) for way, missing in both if missing]
    findings = (*data.findings, *_incomplete_findings(incomplete, path))
    return replace(data, ways=tuple(kept), findings=findings, incomplete_ways=len(incomplete))


def _incomplete_findings(ways: list[tuple[OsmWay, int]], path: Path) -> list[Diagnostic]:
    messages = [
        f"way {way.id}: {missing} of its {len(way.refs)} nodes are not in the file; left out"
        for way, missing in ways[:MOST_LISTED]
    ]
    if len(ways) > MOST_LISTED:
        messages.append(f"{len(ways) - MOST_LISTED} more ways have missing nodes; left out")
    return [Diagnostic(path, 0, "warning", message) for message in messages]
