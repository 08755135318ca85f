"""Finds, loads and compiles the world that a user names."""

from pathlib import Path

from autosim.applications.terminal import progress_bar, tell
from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import Diagnostics
from autosim.config.loader import load_world, world_for_osm
from autosim.world.cache import compile_world
from autosim.world.compiled import CompiledWorld

OSM_SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf", ".pbf")


def open_world(name: str | Path) -> WorldDescription:
    """The world that `name` describes: a world file, or an OpenStreetMap extract.

    Raises:
        ConfigError: it cannot be used; every fault is named.
    """
    if str(name).endswith(OSM_SUFFIXES):
        return world_for_osm(Path(name))
    return load_world(name)


def compile_with_progress(world: WorldDescription) -> CompiledWorld:
    """The compiled map of `world`, from the cache or made now, with a progress bar.

    Raises:
        ConfigError: the map's files cannot make a world.
    """
    diagnostics = Diagnostics()
    with progress_bar() as bar:
        task = bar.add_task("map", total=1.0)

        def show(step: str, share: float) -> None:
            bar.update(task, completed=share, description=f"map: {step}")

        compiled = compile_world(world.terrain, progress=show, diagnostics=diagnostics)
    for warning in diagnostics.warnings:
        tell(str(warning))
    return compiled
