"""A compiled world as a file: named arrays without objects, whole or not there at all."""

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import Building, CompiledWorld, Mesh, Props
from autosim.world.roads import RoadNetwork

Arrays = Mapping[str, npt.NDArray[Any]]

_MESHES = ("ground", "structures", "buildings", "markings", "rails", "obstacles")
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
)


class WorldFileError(Exception):
    """A compiled world's file cannot be read."""


def save_world(world: CompiledWorld, path: Path) -> None:
    """Writes a compiled world so that a reader finds either the whole file or none.

    Raises:
        OSError: the file cannot be written; nothing is left behind.
    """
    with _replacing(path) as stream:
        np.savez(stream, allow_pickle=False, **_to_arrays(world))


def file_in_memory(world: CompiledWorld) -> Path:
    """Writes a compiled world to memory; its path leads there while this process lives.

    Other processes of the same user can read it.
    """
    descriptor = os.memfd_create("autosim-world", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as stream:
        np.savez(stream, allow_pickle=False, **_to_arrays(world))
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file beside `path` that takes its place once it is complete."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield cast(BinaryIO, stream)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def load_world(path: Path) -> CompiledWorld:
    """Reads a compiled world.

    Raises:
        FileNotFoundError: there is no such file.
        WorldFileError: the file is damaged or not a compiled world.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return _from_arrays({name: file[name] for name in file.files})
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as fault:
        raise WorldFileError(f"{path} is not a compiled world: {fault}") from fault


def _to_arrays(world: CompiledWorld) -> dict[str, npt.NDArray[Any]]:
    texts = {name: getattr(world, name) for name in _TEXT_FIELDS}
    texts["houses"] = [asdict(house) for house in world.houses]
    arrays: dict[str, npt.NDArray[Any]] = {}
    arrays["texts"] = np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8)
    for part in _MESHES:
        mesh = getattr(world, part)
        arrays |= {f"{part}.{name}": getattr(mesh, name) for name in Mesh.__dataclass_fields__}
    arrays |= {f"props.{name}": getattr(world.props, name) for name in Props.__dataclass_fields__}
    arrays["building_tints"] = world.building_tints
    arrays["ground_friction"] = world.ground_friction
    return arrays | {f"roads.{name}": each for name, each in world.roads.to_arrays().items()}


def _from_arrays(arrays: Arrays) -> CompiledWorld:
    texts = json.loads(arrays["texts"].tobytes())
    return CompiledWorld(
        name=texts["name"],
        digest=texts["digest"],
        origin=tuple(texts["origin"]),
        bounds=tuple(texts["bounds"]),
        driving_side=texts["driving_side"],
        **{part: _mesh(arrays, part) for part in _MESHES},
        houses=tuple(_house(each) for each in texts["houses"]),
        roads=RoadNetwork.from_arrays(_below(arrays, "roads")),
        invariants=tuple((name, value) for name, value in texts["invariants"]),
        left_out=tuple((name, count) for name, count in texts["left_out"]),
        attribution=texts["attribution"],
        used=tuple((name, count) for name, count in texts["used"]),
        ignored=tuple((name, count) for name, count in texts["ignored"]),
        props=Props(**_below(arrays, "props")),
        building_tints=arrays["building_tints"],
        ground_friction=arrays["ground_friction"],
    )


def _mesh(arrays: Arrays, part: str) -> Mesh:
    return Mesh(**_below(arrays, part))


def _house(values: dict[str, Any]) -> Building:
    return Building(
        tuple(values["position"]), values["yaw"], tuple(values["size"]), values["model"]
    )


def _below(arrays: Arrays, part: str) -> dict[str, npt.NDArray[Any]]:
    prefix = part + "."
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
