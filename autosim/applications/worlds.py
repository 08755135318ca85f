"""Finds, loads and compiles the world that a user names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

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


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on the error output, gone when it is done."""
    columns = (TextColumn("{task.description:<28}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield bar


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
    console = Console(stderr=True)
    for warning in diagnostics.warnings:
        console.print(str(warning), markup=False, highlight=False)
    return compiled
