"""The reader of `.osm.pbf`: block by block, and the places of nodes in arrays.

libosmium returns one object after the other, and querying each takes five times as
long. It reads every kind of such file; this reader handles the common kinds, and leaves
the others, and broken files, to libosmium.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO

import numpy as np
from google.protobuf.message import DecodeError

from autosim.arrays import Integers
from autosim.world.osm import osm_pbf_pb2 as pb
from autosim.world.osm.osm_data import (
    MAX_NODES,
    OsmContent,
    OsmNode,
    OsmRelation,
    OsmWay,
    are_members_kept,
)

_MOST_OF_HEADER, _MOST_OF_BLOCK = 1 << 16, 1 << 25
"""Numbers of bytes of a header and of a block: the limits of the PBF format, 64 KiB and 32 MiB."""

_FEATURES = frozenset({"OsmSchema-V0.6", "DenseNodes"})
_MEMBER_TYPES = ("node", "way", "relation")
_PER_UNIT, _PER_DEGREE = 100, 10_000_000
"""libosmium knows places in units of 100 nanodegrees, of which a degree has ten millions."""


class UncommonPbfError(Exception):
    """The file is broken, or holds what this reader does not know."""


def read_pbf(path: Path) -> OsmContent:
    """Reads a common `.osm.pbf` file, to what libosmium reads in it.

    Raises:
        UncommonPbfError: the file is for libosmium.
    """
    content = OsmContent()
    try:
        with path.open("rb") as file:
            blocks = _blocks(file)
            content.bounds = _bounds(_of_type("OSMHeader", *next(blocks, ("", b""))))
            for kind, data in blocks:
                _add_block(content, pb.PrimitiveBlock.FromString(_of_type("OSMData", kind, data)))
    except (DecodeError, zlib.error, ValueError, LookupError, OSError) as fault:
        raise UncommonPbfError(str(fault)) from fault
    return content


def _blocks(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """The type and content of each block of a file."""
    while size := file.read(4):
        header = pb.BlobHeader.FromString(_read(file, int.from_bytes(size), _MOST_OF_HEADER))
        blob = pb.Blob.FromString(_read(file, header.datasize, _MOST_OF_BLOCK))
        yield header.type, _unpacked(blob)


def _read(file: BinaryIO, size: int, most: int) -> bytes:
    if not 0 <= size <= most:
        raise ValueError("a block is too large")
    data = file.read(size)
    if len(data) != size:
        raise ValueError("the file ends in the middle")
    return data


def _unpacked(blob: Any) -> bytes:
    if blob.HasField("raw"):
        raw: bytes = blob.raw
        return raw
    if not (blob.HasField("zlib_data") and 0 <= blob.raw_size <= _MOST_OF_BLOCK):
        raise ValueError("a block is packed in another way, or too large")
    # No more than was announced: a few bytes may be made to unpack to more than there is memory.
    data = zlib.decompressobj().decompress(blob.zlib_data, blob.raw_size + 1)
    if len(data) != blob.raw_size:
        raise ValueError("a block does not have its size")
    return data


def _of_type(wanted: str, kind: str, data: bytes) -> bytes:
    if kind != wanted:
        raise ValueError(f"found a block {kind!r} instead of {wanted}")
    return data


def _bounds(data: bytes) -> tuple[float, float, float, float] | None:
    """The file's own south, west, north and east [deg], if its header says them."""
    header = pb.HeaderBlock.FromString(data)
    if not _FEATURES.issuperset(header.required_features):
        raise ValueError("the file needs more than this reader knows")
    if not header.HasField("bbox"):
        return None
    box = header.bbox
    edges = _units(np.array([box.bottom, box.left, box.top, box.right], dtype=np.int64))
    _check_places(edges[::2], edges[1::2])
    if (edges[:2] > edges[2:]).any():
        raise ValueError("the file's bounds are the wrong way round")
    south, west, north, east = (edges / _PER_DEGREE).tolist()
    return (south, west, north, east)


def _add_block(content: OsmContent, block: Any) -> None:
    words = [intern(word.decode()) for word in block.stringtable.s]
    for group in block.primitivegroup:
        if group.HasField("dense"):
            _add_dense_nodes(content, block, group.dense, words)
        _add_nodes(content, block, group.nodes, words)
        content.ways.extend(
            OsmWay(way.id, tuple(accumulate(way.refs)), _tags(way, words)) for way in group.ways
        )
        content.relations.extend(_relation(each, words) for each in group.relations)
        if len(content.ids) > MAX_NODES:
            raise ValueError(f"more than {MAX_NODES} nodes")


def _add_dense_nodes(content: OsmContent, block: Any, dense: Any, words: Sequence[str]) -> None:
    ids = np.cumsum(np.array(dense.id, dtype=np.int64))
    latitudes, longitudes = (np.cumsum(np.array(d, dtype=np.int64)) for d in (dense.lat, dense.lon))
    all_tags = _dense_tags(dense.keys_vals, words, count=len(ids))
    _add_places(content, block, (ids, latitudes, longitudes), all_tags)


def _dense_tags(
    keys_vals: Sequence[int], words: Sequence[str], *, count: int
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of those of `count` nodes that have tags, and these."""
    if not keys_vals:
        return
    ends = np.flatnonzero(np.array(keys_vals) == 0)
    if len(ends) != count:
        raise ValueError("nodes and their tags are not as many")
    starts = np.concatenate([[0], ends[:-1] + 1])
    rows = np.flatnonzero(ends > starts)
    texts = [words[number] for number in keys_vals]
    for row, a, b in np.column_stack([rows, starts[rows], ends[rows]]).tolist():
        yield row, dict(zip(texts[a:b:2], texts[a + 1 : b : 2], strict=True))


def _add_nodes(content: OsmContent, block: Any, nodes: Sequence[Any], words: Sequence[str]) -> None:
    ids, latitudes, longitudes = (
        np.array([getattr(node, name) for node in nodes], dtype=np.int64)
        for name in ("id", "lat", "lon")
    )
    all_tags = ((row, _tags(node, words)) for row, node in enumerate(nodes) if len(node.keys))
    _add_places(content, block, (ids, latitudes, longitudes), all_tags)


def _add_places(
    content: OsmContent,
    block: Any,
    columns: tuple[Integers, Integers, Integers],
    all_tags: Iterable[tuple[int, dict[str, str]]],
) -> None:
    """Adds nodes.

    Args:
        content: to which they are added.
        block: in which they are.
        columns: (n,) ids; latitudes and longitudes, as they are in the block.
        all_tags: of those that have any, their rows and tags.
    """
    ids = columns[0]
    latitudes = _units(block.lat_offset + block.granularity * columns[1])
    longitudes = _units(block.lon_offset + block.granularity * columns[2])
    _check_places(latitudes, longitudes)
    north, east = latitudes / _PER_DEGREE, longitudes / _PER_DEGREE
    content.add_places(ids, north, east)
    content.tagged_nodes.extend(
        OsmNode(int(ids[row]), float(north[row]), float(east[row]), tags) for row, tags in all_tags
    )


def _units(nanodegrees: Integers) -> Integers:
    """Units (n,) of nanodegrees (n,): as libosmium does it, what is left over goes."""
    return (nanodegrees - np.fmod(nanodegrees, _PER_UNIT)) // _PER_UNIT


def _check_places(latitudes: Integers, longitudes: Integers) -> None:
    is_there = (np.abs(latitudes) <= 90 * _PER_DEGREE) & (np.abs(longitudes) <= 180 * _PER_DEGREE)
    if not is_there.all():
        raise ValueError("a place is not on Earth")


def _relation(relation: Any, words: Sequence[str]) -> OsmRelation:
    tags = _tags(relation, words)
    if not are_members_kept(tags):
        return OsmRelation(relation.id, (), tags)
    kinds = [_MEMBER_TYPES[kind] for kind in relation.types]
    roles = [words[number] for number in relation.roles_sid]
    members = tuple(zip(kinds, accumulate(relation.memids), roles, strict=True))
    return OsmRelation(relation.id, members, tags)


def _tags(item: Any, words: Sequence[str]) -> dict[str, str]:
    word = words.__getitem__
    return dict(zip(map(word, item.keys), map(word, item.vals), strict=True))
