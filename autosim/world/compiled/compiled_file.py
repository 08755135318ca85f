"""Saves and loads a compiled world as a file of named arrays.

The arrays lie in the file as in memory, each at a multiple of 64 bytes, so that a reader can map
the file: a city may be larger than memory. Before them come `_MAGIC`, the length of the head, and
the head: JSON with the size and CRC-32 of the arrays, and the name, dtype, shape and offset of
each. A file may come from anywhere, so the reader trusts nothing in it. The writer replaces a file
at once, so that a reader finds either the whole file or none.
"""

import json
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast, get_args
from zlib import crc32

import numpy as np
import numpy.typing as npt

from autosim.config.descriptions import DrivingSide
from autosim.config.diagnostics import printable
from autosim.system_limits import named
from autosim.world.compiled.compiled_world import CompiledWorld, Props
from autosim.world.compiled.file_faults import find_fault
from autosim.world.compiled.file_texts import Texts
from autosim.world.compiled.paths import Paths
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.roads import RoadNetwork

Arrays = Mapping[str, npt.NDArray[Any]]

_MAGIC = b"AutoSimWorld 1\n"
_ALIGNMENT = 64
"""Alignment [bytes] of arrays in the file: a cache line, enough for every kernel."""

_KINDS = frozenset({"|b1", "|i1", "|u1", "<f4", "<f8", "<i4", "<i8"})
"""The dtypes of the arrays of a compiled world."""


_SHOWN = 200
"""Number of characters of a fault that an error message shows; the file may make it any longer."""

_MESHES = (
    "ground",
    "structures",
    "buildings",
    "house_boxes",
    "markings",
    "rails",
    "obstacles",
)
_TEXT_FIELDS = (
    "name",
    "digest",
    "origin",
    "bounds",
    "driving_side",
    "invariants",
    "left_out",
    "attribution",
    "used",
    "ignored",
    "worst_places",
    "worst_causes",
    "warnings",
)


class WorldFileError(Exception):
    """The file is damaged or is not a compiled world."""


def save_compiled_world(world: CompiledWorld, path: Path) -> None:
    """Writes a compiled world. A reader finds either the whole file or none.

    Raises:
        OSError: the file cannot be written; nothing is left behind.
    """
    with atomic_writer(path) as stream:
        _write_arrays(stream, _to_arrays(world))


def file_in_memory(world: CompiledWorld) -> Path:
    """Writes a compiled world to memory and returns a path to it.

    The path is valid while this process lives, also in other processes of the same user.

    Raises:
        OSError: there is no room; it names what was written.
    """
    descriptor = os.memfd_create("autosim-world", os.MFD_CLOEXEC)
    try:
        with (
            named(f"the compiled map of '{world.name}', in memory"),
            open(descriptor, "wb", closefd=False) as stream,
        ):
            _write_arrays(stream, _to_arrays(world))
    except OSError:
        os.close(descriptor)
        raise
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary file that replaces `path` once it is complete.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield cast(BinaryIO, stream)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def load_compiled_world(path: Path) -> CompiledWorld:
    """Maps a compiled world and checks that its numbers are safe to use.

    Raises:
        FileNotFoundError: there is no such file.
        WorldFileError: the file is damaged or not a compiled world.
    """
    try:
        with path.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        world = _from_arrays(_read_arrays(content))
        fault = find_fault(world)
    except FileNotFoundError:
        raise
    except Exception as error:  # JSON and NumPy raise many types for a hostile file
        fault, cause = printable(str(error) or type(error).__name__, _SHOWN), error
        raise WorldFileError(f"{path} is not a compiled world: {fault}") from cause
    if fault:
        raise WorldFileError(f"{path} is a damaged compiled world: {fault}")
    return world


def _write_arrays(stream: BinaryIO, arrays: Arrays) -> None:
    table, end, check = [], 0, 0
    for name, array in arrays.items():
        table.append((name, array.dtype.str, array.shape, _aligned(end)))
        check = crc32(_bytes_of(array), crc32(bytes(_aligned(end) - end), check))
        end = _aligned(end) + array.nbytes
    text = json.dumps({"size": end, "crc32": check, "arrays": table}).encode()
    stream.write(_MAGIC + len(text).to_bytes(8, "little") + text)
    # The arrays begin at a multiple of the alignment, so their offsets are aligned in the file too.
    for array in arrays.values():
        stream.write(bytes(_aligned(stream.tell()) - stream.tell()))
        stream.write(_bytes_of(array))


def _bytes_of(array: npt.NDArray[np.generic]) -> memoryview:
    """The bytes of an array in C order, without a copy where it has that order already."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _read_arrays(content: mmap.mmap) -> dict[str, npt.NDArray[np.generic]]:
    begin = len(_MAGIC) + 8
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it begins like a file of another kind")
    end = begin + int.from_bytes(content[len(_MAGIC) : begin], "little")
    head = json.loads(content[begin:end])
    first = _aligned(end)
    if len(content) != first + head["size"]:
        raise ValueError("it is not complete")
    with memoryview(content) as whole, whole[first:] as body:
        if crc32(body) != head["crc32"]:
            raise ValueError("its content has changed since it was written")
    arrays = {}
    for name, dtype, shape, start in head["arrays"]:
        if dtype not in _KINDS or not 0 <= start <= head["size"]:
            raise ValueError(f"{name} is not an array of numbers")
        arrays[name] = np.ndarray(shape, np.dtype(dtype), content, offset=first + start)
    return arrays


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _to_arrays(world: CompiledWorld) -> dict[str, npt.NDArray[np.generic]]:
    texts = {name: getattr(world, name) for name in _TEXT_FIELDS}
    texts["houses"] = [asdict(house) for house in world.houses]
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    arrays["texts"] = np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8)
    for part in _MESHES:
        mesh = getattr(world, part)
        arrays |= {f"{part}.{name}": getattr(mesh, name) for name in Mesh.__dataclass_fields__}
    arrays |= {f"props.{name}": getattr(world.props, name) for name in Props.__dataclass_fields__}
    arrays["building_tints"] = world.building_tints
    arrays["ground_friction"] = world.ground_friction
    arrays |= {f"paths.{name}": each for name, each in world.paths.to_arrays().items()}
    return arrays | {f"roads.{name}": each for name, each in world.roads.to_arrays().items()}


def _from_arrays(arrays: Arrays) -> CompiledWorld:
    texts = Texts(json.loads(arrays["texts"].tobytes()))
    return CompiledWorld(
        name=texts.value("name", str),
        digest=texts.value("digest", str),
        origin=texts.row("origin", float, float),
        bounds=texts.row("bounds", float, float, float, float),
        driving_side=texts.choice("driving_side", get_args(DrivingSide)),
        **{part: _mesh(arrays, part) for part in _MESHES},
        houses=texts.houses("houses"),
        roads=RoadNetwork.from_arrays(_below(arrays, "roads")),
        invariants=texts.rows("invariants", str, float),
        left_out=texts.rows("left_out", str, int),
        attribution=texts.value("attribution", str),
        used=texts.rows("used", str, int),
        ignored=texts.rows("ignored", str, int),
        worst_places=texts.rows("worst_places", str, float, float),
        worst_causes=texts.rows("worst_causes", str, str),
        warnings=texts.rows("warnings", str, int, str),
        props=Props(**_below(arrays, "props")),
        building_tints=arrays["building_tints"],
        ground_friction=arrays["ground_friction"],
        paths=Paths.from_arrays(_below(arrays, "paths")),
    )


def _mesh(arrays: Arrays, part: str) -> Mesh:
    return Mesh(**_below(arrays, part))


def _below(arrays: Arrays, part: str) -> dict[str, npt.NDArray[Any]]:
    prefix = part + "."
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
