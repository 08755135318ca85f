"""Finds the faults of a map file of any kind without compiling it."""

from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics
from autosim.config.reading.map_kinds import MapKind, map_kind
from autosim.world.lanelets.commonroad_map import read_commonroad_map
from autosim.world.lanelets.lanelet2_reader import read_lanelet2
from autosim.world.opendrive.xodr_reader import read_xodr
from autosim.world.osm.osm_reader import check_osm


def check_map(path: Path) -> list[Diagnostic]:
    """All findings about a map file; none means that it is sound."""
    kind = map_kind(path)
    if kind is MapKind.OPENSTREETMAP:
        return check_osm(path)
    found = Diagnostics()
    try:
        if kind is MapKind.OPENDRIVE:
            read_xodr(path, found)
        elif kind is MapKind.LANELET2:
            read_lanelet2(path, found)
        else:
            read_commonroad_map(path, found)
    except ConfigError as error:
        return list(error.diagnostics)
    return list(found.all)
