"""Networks of ways on disk, next to the compiled worlds in which they were found.

Finding the ways of a city takes seconds, reading them milliseconds. As with compiled worlds, the
cache only saves time: if it is missing, damaged, or written by other code, the ways are found
again, with the same bytes.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np

from autosim.traffic.ways.network_builder import WalkableWorld, find_ride_network, find_walk_network
from autosim.traffic.ways.walk_network import WalkNetwork
from autosim.world.compiled.compiled_file import atomic_writer
from autosim.world.pipeline.cache import cache_directory

_ENDING = ".ways"

_CHECKSUM = 32
"""Bytes of SHA-256 before the arrays."""


class _DamagedError(Exception):
    """A file is not what was written."""


def cached_walk_network(site: WalkableWorld) -> WalkNetwork:
    """Network of ways for pedestrians, see `find_walk_network`."""
    return _kept("walk", site, find_walk_network)


def cached_ride_network(site: WalkableWorld) -> WalkNetwork:
    """Network of ways for bicycles beside streets, see `find_ride_network`."""
    return _kept("ride", site, find_ride_network)


def _kept(
    kind: str, site: WalkableWorld, find: Callable[[WalkableWorld], WalkNetwork]
) -> WalkNetwork:
    stem = f"{site.world.digest}.{kind}-"
    with suppress(OSError, _DamagedError):
        return _read(cache_directory() / f"{stem}{_digest_of_code()}{_ENDING}")
    network = find(site)
    # Without a home or on a full disk there is none: of that the compiled world has told.
    with suppress(OSError):
        _write(network, cache_directory(), stem)
    return network


def _read(path: Path) -> WalkNetwork:
    content = path.read_bytes()
    if sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        raise _DamagedError
    with np.load(BytesIO(content[_CHECKSUM:])) as arrays:
        return WalkNetwork(**{each.name: arrays[each.name] for each in fields(WalkNetwork)})


def _write(network: WalkNetwork, folder: Path, stem: str) -> None:
    arrays = BytesIO()
    np.savez(arrays, **{each.name: getattr(network, each.name) for each in fields(network)})
    with atomic_writer(folder / f"{stem}{_digest_of_code()}{_ENDING}") as stream:
        stream.write(sha256(arrays.getvalue()).digest() + arrays.getvalue())
    for older in folder.glob(f"{stem}*{_ENDING}"):
        if _digest_of_code() not in older.name:
            older.unlink(missing_ok=True)


@cache
def _digest_of_code() -> str:
    """Of the modules that find ways: others may find other ways in the same world."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()[:16]
