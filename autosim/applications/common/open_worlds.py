"""Finds, loads and compiles the world that a user names."""

from pathlib import Path

from autosim.applications.common.terminal import progress_bar, tell
from autosim.applications.common.warning_lines import shortened_warnings
from autosim.client.link.world_fetching import FetchedWorld, fetch_world
from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.map_kinds import is_map_file
from autosim.errors import UserError
from autosim.loading.loader import load_world, world_for_osm
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.extent import Window
from autosim.world.pipeline.cache import compile_world


def open_named_world(name: str | Path) -> WorldDescription:
    """The world that `name` describes: a world file, or a map.

    Raises:
        ConfigError: it cannot be used; every fault is named.
    """
    if is_map_file(Path(name)):
        return world_for_osm(Path(name))
    return load_world(name)


def fetch_with_progress(address: str) -> FetchedWorld:
    """The world of the server at `address` (HOST:PORT), fetched with a progress bar.

    Raises:
        UserError: the server is not there or has none, or there is no room for it here.
    """
    with progress_bar() as bar:
        task = bar.add_task("world", total=1.0)
        told = ""

        def report(text: str) -> None:
            nonlocal told
            told = text
            tell(text)

        def show(name: str, share: float) -> None:
            bar.update(task, completed=share, description=f"world: {name}")
            if bar.disable and share == 0.0 and not told.startswith(name):
                report(name)

        try:
            return fetch_world(address, progress=show, report=report)
        except OSError as error:
            raise UserError(f"the server's world cannot be kept here: {error}") from error


def open_served(address: str) -> WorldDescription:
    """The world of the server at `address` (HOST:PORT), with its robots as it describes them.

    Raises:
        UserError: as `fetch_with_progress`.
    """
    fetched = fetch_with_progress(address)
    return load_world(fetched.file, told=fetched.robots)


def compile_with_progress(
    world: WorldDescription, *, window: Window | None = None, sent: Path | None = None
) -> CompiledWorld:
    """The compiled map of `world`, from the cache or made now, with a progress bar.

    With a `window`, only that part of it; `sent` as `compile_world` takes it.

    Raises:
        ConfigError: the map's files cannot make a world.
    """
    diagnostics = Diagnostics()
    with progress_bar(has_thread=False) as bar:
        task = bar.add_task("map", total=1.0)

        def show(step: str, share: float) -> None:
            bar.update(task, completed=share, description=f"map: {step}")

        compiled = compile_world(
            world.terrain, window=window, progress=show, diagnostics=diagnostics, sent=sent
        )
    warnings, note = shortened_warnings(diagnostics.warnings, world.terrain.osm)
    for warning in warnings:
        tell(str(warning))
    if note:
        tell(f"{world.terrain.osm}: note: {note}")
    return compiled
