"""Compiled worlds on disk, named by the digest of everything that went into them.

A world is compiled once; after that it is read in a fraction of a second. The cache only ever
saves time: a damaged file is made anew, and a disk that is full or not ours is a warning.
"""

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

from autosim.config.descriptions import TerrainDescription
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled import Building, CompiledWorld, Mesh
from autosim.world.pipeline import Inputs, Progress, build_world
from autosim.world.roads import RoadNetwork

Arrays = Mapping[str, npt.NDArray[Any]]

_ENDING = ".world.npz"
_TEXT_FIELDS = (
    "name",
    "digest",
    "origin",
    "bounds",
    "driving_side",
    "invariants",
    "left_out",
    "attribution",
)


class WorldFileError(Exception):
    """A compiled world's file cannot be read."""


def cache_directory() -> Path:
    """`$XDG_CACHE_HOME/autosim/worlds`, by default below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "autosim" / "worlds"


def compile_world(
    terrain: TerrainDescription,
    *,
    progress: Progress | None = None,
    diagnostics: Diagnostics | None = None,
    directory: Path | None = None,
) -> CompiledWorld:
    """The compiled world of a map: out of the cache, or built and put there.

    Args:
        terrain: the map with its set-up.
        progress: as for `build_world`; called with "read from the cache" when nothing is built.
        diagnostics: receives warnings.
        directory: where the cache is; `cache_directory()` by default.

    Raises:
        ConfigError: the map cannot make a world.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    path = _cached_path(terrain, directory or cache_directory(), found)
    if path is not None:
        with suppress(WorldFileError, FileNotFoundError):
            world = load_world(path)
            if progress is not None:
                progress("read from the cache", 1.0)
            return world
    world = build_world(
        terrain.osm,
        setup=terrain.setup,
        height_map=terrain.height_map,
        driving_side=terrain.driving_side,
        progress=progress,
        diagnostics=found,
    )
    if path is not None:
        try:
            save_world(world, path)
        except OSError as fault:
            found.warning(path, 0, f"the compiled world is not kept for the next time: {fault}")
    return world


def compiled_path(terrain: TerrainDescription, directory: Path | None = None) -> Path:
    """Where the compiled world of a map is kept.

    Raises:
        OSError: one of the map's files cannot be read.
    """
    inputs = Inputs(terrain.osm, terrain.setup, terrain.height_map, terrain.driving_side)
    return (directory or cache_directory()) / (inputs.digest() + _ENDING)


def _cached_path(
    terrain: TerrainDescription, directory: Path, diagnostics: Diagnostics
) -> Path | None:
    """The world's place in the cache; None when the inputs cannot be read, which building says."""
    try:
        path = compiled_path(terrain, directory)
    except OSError:
        return None
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        diagnostics.warning(directory, 0, f"there is no cache of compiled worlds: {fault}")
        return None
    return path


def save_world(world: CompiledWorld, path: Path) -> None:
    """Writes a compiled world so that a reader finds either the whole file or none.

    Raises:
        OSError: the file cannot be written; nothing is left behind.
    """
    with _replacing(path) as stream:
        np.savez(stream, allow_pickle=False, **_to_arrays(world))


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
    arrays = {"texts": np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8)}
    for part, mesh in (("ground", world.ground), ("buildings", world.buildings)):
        arrays |= {f"{part}.{name}": getattr(mesh, name) for name in Mesh.__dataclass_fields__}
    return arrays | {f"roads.{name}": each for name, each in world.roads.to_arrays().items()}


def _from_arrays(arrays: Arrays) -> CompiledWorld:
    texts = json.loads(arrays["texts"].tobytes())
    return CompiledWorld(
        name=texts["name"],
        digest=texts["digest"],
        origin=tuple(texts["origin"]),
        bounds=tuple(texts["bounds"]),
        driving_side=texts["driving_side"],
        ground=_mesh(arrays, "ground"),
        buildings=_mesh(arrays, "buildings"),
        houses=tuple(_house(each) for each in texts["houses"]),
        roads=RoadNetwork.from_arrays(_below(arrays, "roads")),
        invariants=tuple((name, value) for name, value in texts["invariants"]),
        left_out=tuple((name, count) for name, count in texts["left_out"]),
        attribution=texts["attribution"],
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
