"""Compiled worlds on disk, named by the digest of everything that went into them.

A world is compiled once; after that it is read in a fraction of a second. The cache only ever
saves time: a damaged file is made anew, and a disk that is full or not ours is a warning.
"""

import os
from contextlib import suppress
from pathlib import Path

from autosim.config.descriptions import TerrainDescription
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled import CompiledWorld
from autosim.world.pipeline import Inputs, Progress, build_world
from autosim.world.window import Window
from autosim.world.world_file import WorldFileError, load_world, save_world

_ENDING = ".world.npz"


def cache_directory() -> Path:
    """`$XDG_CACHE_HOME/autosim/worlds`, by default below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "autosim" / "worlds"


def compile_world(
    terrain: TerrainDescription,
    *,
    window: Window | None = None,
    progress: Progress | None = None,
    diagnostics: Diagnostics | None = None,
    directory: Path | None = None,
) -> CompiledWorld:
    """The compiled world of a map: out of the cache, or built and put there.

    Args:
        terrain: the map with its set-up.
        window: as for `build_world`.
        progress: as for `build_world`; called with "read from the cache" when nothing is built.
        diagnostics: receives warnings.
        directory: where the cache is; `cache_directory()` by default.

    Raises:
        ConfigError: the map cannot make a world.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    path = _cached_path(terrain, window, directory or cache_directory(), found)
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
        window=window,
        progress=progress,
        diagnostics=found,
    )
    if path is not None:
        try:
            save_world(world, path)
        except OSError as fault:
            found.warning(path, 0, f"the compiled world is not kept for the next time: {fault}")
    return world


def compiled_path(
    terrain: TerrainDescription, directory: Path | None = None, *, window: Window | None = None
) -> Path:
    """Where the compiled world of a map is kept.

    Raises:
        OSError: one of the map's files cannot be read.
    """
    inputs = Inputs(terrain.osm, terrain.setup, terrain.height_map, terrain.driving_side, window)
    return (directory or cache_directory()) / (inputs.digest() + _ENDING)


def compiled_file(digest: str, directory: Path | None = None) -> Path | None:
    """The compiled world of that digest, None where the cache has none."""
    if not digest.isalnum():
        return None
    path = (directory or cache_directory()) / (digest + _ENDING)
    return path if path.is_file() else None


def _cached_path(
    terrain: TerrainDescription, window: Window | None, directory: Path, diagnostics: Diagnostics
) -> Path | None:
    """The world's place in the cache; None when the inputs cannot be read, which building says."""
    try:
        path = compiled_path(terrain, directory, window=window)
    except OSError:
        return None
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        diagnostics.warning(directory, 0, f"there is no cache of compiled worlds: {fault}")
        return None
    return path
