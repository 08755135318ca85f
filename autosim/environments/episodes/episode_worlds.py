"""Worlds of episodes as `reset(options=…)` chooses them: another file, or settings as of sweeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from lxml import etree

from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.sources import open_source
from autosim.config.studies import WORLD_FILE, Setting
from autosim.environments.agent import Agent
from autosim.environments.episodes.episode_pictures import EpisodePictures
from autosim.environments.episodes.episode_runs import EpisodeRun
from autosim.environments.tasks import Task
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.loading.loader import load_world
from autosim.loading.studies.study_inputs import inputs_of
from autosim.loading.world_writer import roots_of, write_world, written_name
from autosim.tracks.lane_paths import PathArrays

WORLD_OPTIONS = ("world", "settings")
"""Options that choose the world of an episode."""

MOST_WORLDS = 8
"""Number of other worlds that stay open: each holds a compiled map and an agent."""


class EpisodeParts(NamedTuple):
    """The parts of an environment that depend on the world.

    Attributes:
        car: name of the robot.
        run: executes the episodes.
        task: that of the car.
        paths: those of the task.
        agent: the car.
        pictures: draws them.
    """

    car: str
    run: EpisodeRun
    task: Task
    paths: PathArrays
    agent: Agent
    pictures: EpisodePictures


class WorldEnvironment(Protocol):
    """An environment in one world: `DrivingEnv`."""

    @property
    def parts(self) -> EpisodeParts:
        """Its parts that depend on the world."""

    def close(self) -> None:
        """Frees its simulation."""


Reopen = Callable[[str | Path | WorldDescription], WorldEnvironment]
"""Makes the same environment in another world."""


class OpenWorlds:
    """Environments in other worlds, whose parts stand in for those of the first world.

    The option `world` is a world file or extract, or a description; `settings` are values of
    attributes in the files of the world: `{"world:Physics/Dynamics/Gravity": 1.6}`, see
    `settings_in`.

    Args:
        world: the first one.
        reopen: makes the same environment in another world; None: it cannot.
    """

    def __init__(self, world: WorldDescription, reopen: Reopen | None) -> None:
        self._world, self._reopen = world, reopen
        self._first: EpisodeParts | None = None
        self._open: dict[object, WorldEnvironment] = {}
        self._folder: ScratchFolder | None = None
        self._written = 0

    def enter(self, here: EpisodeParts, options: Mapping[str, object]) -> EpisodeParts:
        """The parts in the world of an episode.

        Args:
            here: the present ones.
            options: of the episode.

        Raises:
            ConfigError: a file has faults.
            UserError: a setting leads nowhere, or its value is not valid.
            ValueError: the world is not a world, its environment observes other numbers, or the
                environment runs in a server.
        """
        self._first = self._first or here
        world, settings = options.get("world"), options.get("settings")
        if world is None and not settings:
            return self._first
        if self._reopen is None:
            raise ValueError("world and settings are those of the server: load another world there")
        if world is not None and not isinstance(world, str | Path | WorldDescription):
            raise ValueError(f"world: expected a file or a WorldDescription, not {world!r}")
        changes = settings_in(settings)
        key = (id(world) if isinstance(world, WorldDescription) else str(world), changes)
        if key not in self._open:
            chosen = world or self._world
            self._make_room()
            changed = with_settings(chosen, changes, self._new_folder()) if changes else chosen
            self._open[key] = self._checked(self._reopen(changed), here)
        self._open[key] = found = self._open.pop(key)  # the last one in use is the last to go
        return found.parts

    def _checked(self, made: WorldEnvironment, here: EpisodeParts) -> WorldEnvironment:
        if made.parts.agent.observation_space != here.agent.observation_space:
            name = made.parts.run.world.name
            made.close()
            raise ValueError(
                f"world '{name}' has another observation space: its car has other devices"
            )
        return made

    def _make_room(self) -> None:
        while len(self._open) >= MOST_WORLDS:
            self._open.pop(next(iter(self._open))).close()

    def _new_folder(self) -> Path:
        """A folder for the files of a changed world, which are needed as long as it is open."""
        if self._folder is None:
            self._folder = ScratchFolder("episodes")
        self._written += 1
        place = self._folder.path / str(self._written)
        place.mkdir()
        return place

    def close(self) -> None:
        """Closes all environments but the first one."""
        while self._open:
            self._open.popitem()[1].close()
        if self._folder is not None:
            self._folder.close()
            self._folder = None


def settings_in(given: object) -> tuple[tuple[str, str], ...]:
    """Settings as pairs of an address and a text.

    An address begins with `world:`, `scenario:` or the name of a robot's file and a colon, as in
    `robots/impreza.xml:Devices/WheelDevice/Friction`; behind it are the steps to the attribute as
    in studies of `autosim sweep`.

    Raises:
        ValueError: they are not a mapping of addresses to numbers or texts.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ValueError(f"settings: expected a mapping of addresses to values, not {given!r}")
    for address, value in given.items():
        if not (isinstance(address, str) and ":" in address):
            raise ValueError(
                f"settings: expected an address such as 'world:Physics/Dynamics/Gravity', not "
                f"{address!r}"
            )
        if not isinstance(value, str | int | float):
            raise ValueError(f"settings: expected a number or a text, not {value!r}")
    return tuple(
        (str(address), value if isinstance(value, str) else f"{value:.12g}")
        for address, value in given.items()
    )


def with_settings(
    world: str | Path | WorldDescription, changes: tuple[tuple[str, str], ...], folder: Path
) -> WorldDescription:
    """A world with other values in its files.

    Args:
        world: a file, or a description whose robots come from files.
        changes: addresses and texts, see `settings_in`.
        folder: empty; the changed files are written there.

    Raises:
        ConfigError: a file has faults.
        UserError: an address leads nowhere, or its value is not valid.
    """
    described = world if isinstance(world, WorldDescription) else load_world(world)
    roots = roots_of(described)
    written = folder / written_name(described)
    written.write_text(write_world(described, roots), encoding="utf-8")
    found = Diagnostics()
    source = open_source(written, found)
    assert source is not None
    inputs = inputs_of(described, source, roots, found)
    found.raise_if_errors()
    trees: dict[str, etree._Element] = {}
    for address, text in changes:
        file, _, steps = address.partition(":")
        inputs.apply(Setting(file, steps, text), text, trees)
    for name, tree in trees.items():
        target = written if name == WORLD_FILE else folder / inputs.files[name].name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(etree.tostring(tree, xml_declaration=True, encoding="utf-8"))
    return load_world(written, roots=(folder, *roots))
