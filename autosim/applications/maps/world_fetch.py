"""Fetches a map from OpenStreetMap into a file."""

import bz2
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from autosim.applications.common.files import write_whole
from autosim.applications.common.terminal import tell
from autosim.applications.maps.osm_server import (
    BoundingBox,
    box_about,
    download_map,
    geocode,
)
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.osm_reader import read_osm

_PACKERS: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {".osm": bytes, ".osm.gz": gzip.compress, ".osm.bz2": bz2.compress}
)


def fetch_box(box: BoundingBox, out: Path, *, server: str) -> str:
    """Writes the map of a box to `out` (.osm, .osm.gz, .osm.bz2); returns what was written.

    Nothing is written unless the answer is a whole and readable map.

    Raises:
        UserError: it cannot be fetched, read or written.
    """
    pack = _packer(out)
    box.require_fit()
    tell(f"asking {server} for {box}")
    content = download_map(box, server=server)
    data = _read(content, server)
    write_whole(out, pack(content))
    return (
        f"wrote {out}: {len(data.node_ids)} nodes, {len(data.ways)} ways, "
        f"{len(data.relations)} relations; © OpenStreetMap contributors, ODbL 1.0"
    )


def fetch_place(name: str, out: Path, *, size: float, server: str, place_server: str) -> str:
    """Writes the map about the middle of a place, `size` [m] across; else as `fetch_box`."""
    _packer(out)
    place = geocode(name, server=place_server)
    tell(f"'{name}' is {place.name}")
    return fetch_box(box_about(place, size), out, server=server)


def _packer(out: Path) -> Callable[[bytes], bytes]:
    for suffix, pack in _PACKERS.items():
        if out.name.lower().endswith(suffix):
            return pack
    raise UserError(f"{out}: expected a name that ends in {', '.join(_PACKERS)}")


def _read(content: bytes, server: str) -> OsmData:
    """The map in an answer.

    Raises:
        UserError: it is not a map, was cut short, or is empty.
    """
    with ScratchFolder("map") as folder:
        path = folder / "answer.osm"
        path.write_bytes(content)
        data = read_osm(path)
    faults = [each for each in data.findings if each.level == "error"]
    if faults:
        raise UserError(f"{server} sent no usable map: line {faults[0].line}: {faults[0].message}")
    if not len(data.node_ids):
        raise UserError("nothing is mapped in this box")
    return data
