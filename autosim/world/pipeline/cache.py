"""Compiled worlds on disk, named by the digest of everything that went into them.

A world is compiled once; after that it is read in a fraction of a second. The cache only ever
saves time: a damaged file is compiled again, and a disk that is full or not ours is a warning.
"""

import os
from contextlib import suppress
from pathlib import Path

from autosim.config.descriptions import TerrainDescription
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_file import (
    WorldFileError,
    file_in_memory,
    load_compiled_world,
    save_compiled_world,
)
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.extent import Window
from autosim.world.pipeline.world_inputs import Progress, WorldInputs

ENDING = ".world"
"""Suffix of a compiled world, after its digest."""


def cache_directory() -> Path:
    """`$XDG_CACHE_HOME/autosim/worlds`, by default below `~/.cache`.

    Raises:
        OSError: this user has no home.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "autosim" / "worlds"
    except RuntimeError as fault:
        raise FileNotFoundError("this user has no home; $XDG_CACHE_HOME is not set") from fault


def compile_world(
    terrain: TerrainDescription,
    *,
    window: Window | None = None,
    progress: Progress | None = None,
    diagnostics: Diagnostics | None = None,
    directory: Path | None = None,
    sent: Path | None = None,
) -> CompiledWorld:
    """The compiled world of a map: out of the cache, or built and put there.

    Args:
        terrain: the map with its set-up.
        window: as for `build_world`.
        progress: as for `build_world`; called with "read from the cache" when nothing is built.
        diagnostics: receives the warnings, those of the build also where nothing is built.
        directory: where the cache is; `cache_directory()` by default.
        sent: a compiled world of the same inputs, as claimed by its sender. It is used instead of
            building one, and never put into the cache.

    Raises:
        ConfigError: the map cannot make a world.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    path = _cached_path(terrain, window, directory, found)
    kept = _kept_world(path, sent)
    if kept is not None:
        if progress is not None:
            progress("read from the cache", 1.0)
        _repeat_warnings(kept, terrain, found)
        return kept
    # Only here: what compiling needs takes longer to import than a compiled world to read.
    from autosim.world.pipeline.world_pipeline import build_world

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
            save_compiled_world(world, path)
        except OSError as fault:
            found.warning(path, 0, f"the compiled world is not kept for the next time: {fault}")
    return world


def _kept_world(path: Path | None, sent: Path | None) -> CompiledWorld | None:
    """The compiled world at its place in the cache, else the one that was sent; None: neither."""
    for file in (path, sent):
        if path is not None and file is not None:
            with suppress(WorldFileError, FileNotFoundError):
                world = load_compiled_world(file)
                if file is path or world.digest == path.name.removesuffix(ENDING):
                    return world
    return None


def _repeat_warnings(
    world: CompiledWorld, terrain: TerrainDescription, diagnostics: Diagnostics
) -> None:
    """Repeats the warnings of the build, with the current names of the files."""
    files = {path.name: path for path in (terrain.height_map, terrain.osm) if path is not None}
    for name, line, message in world.warnings:
        diagnostics.warning(files.get(name, Path(name)), line, message)


def compiled_path(
    terrain: TerrainDescription, directory: Path | None = None, *, window: Window | None = None
) -> Path:
    """Path of the compiled world of a map.

    Raises:
        OSError: one of the map's files cannot be read, or this user has no home.
    """
    digest = _inputs_of(terrain, window).digest()
    return (directory or cache_directory()) / (digest + ENDING)


def _inputs_of(terrain: TerrainDescription, window: Window | None) -> WorldInputs:
    return WorldInputs(terrain.osm, terrain.setup, terrain.height_map, terrain.driving_side, window)


def compiled_file(digest: str, directory: Path | None = None) -> Path | None:
    """The compiled world of that digest, None where the cache has none."""
    if not digest.isalnum():
        return None
    try:
        path = (directory or cache_directory()) / (digest + ENDING)
        return path if path.is_file() else None
    except OSError:
        return None


def file_of(world: CompiledWorld, *, sent: Path | None = None) -> Path:
    """A file of `world` for the programs that this process starts.

    It is that of the cache, or the one that was `sent` (see `compile_world`); where neither is
    there the world lies in memory, for as long as this process lives.
    """
    return compiled_file(world.digest) or sent or file_in_memory(world)


def _cached_path(
    terrain: TerrainDescription,
    window: Window | None,
    directory: Path | None,
    diagnostics: Diagnostics,
) -> Path | None:
    """The world's place in the cache; None when the inputs cannot be read, which building says."""
    try:
        folder = directory or cache_directory()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        place, why = Path(fault.filename or "~/.cache"), fault.strerror or fault
        diagnostics.warning(place, 0, f"there is no cache of compiled worlds: {why}")
        return None
    with suppress(OSError):
        return compiled_path(terrain, folder, window=window)
    return None
