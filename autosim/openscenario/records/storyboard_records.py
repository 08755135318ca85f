"""The storyboard and the whole of a scenario."""

from dataclasses import dataclass
from pathlib import Path

from autosim.openscenario.records.action_records import ActionContent
from autosim.openscenario.records.condition_records import Trigger
from autosim.openscenario.records.entity_records import Entity, EntitySelection


@dataclass(frozen=True, slots=True)
class StoryAction:
    """An action; `entity` is set in the init phase, else it holds for the actors of its group."""

    name: str
    """Name in the file."""
    content: ActionContent
    """The content, by its kind."""
    entity: str = ""
    line: int = 0
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """An event: `priority` override, skip or parallel; `count` executions at most, 0 for all."""

    name: str
    """Name in the file."""
    priority: str
    count: int
    start: Trigger | None
    """Start trigger, None without one."""
    actions: tuple[StoryAction, ...]
    """Its actions."""


@dataclass(frozen=True, slots=True)
class Maneuver:
    """A maneuver."""

    name: str
    """Name in the file."""
    events: tuple[StoryEvent, ...]
    """Its events."""


@dataclass(frozen=True, slots=True)
class ManeuverGroup:
    """A maneuver group and its actors; `takes_triggering`: those that the start trigger names."""

    name: str
    """Name in the file."""
    count: int
    """Greatest number of executions, 0 for any."""
    actors: tuple[str, ...]
    takes_triggering: bool
    maneuvers: tuple[Maneuver, ...]
    """Its maneuvers."""


@dataclass(frozen=True, slots=True)
class Act:
    """An act; `start` and `stop` are None where the file states no trigger."""

    name: str
    """Name in the file."""
    groups: tuple[ManeuverGroup, ...]
    """Its maneuver groups."""
    start: Trigger | None
    stop: Trigger | None


@dataclass(frozen=True, slots=True)
class Story:
    """A story."""

    name: str
    """Name in the file."""
    acts: tuple[Act, ...]
    """Its acts."""


@dataclass(frozen=True, slots=True)
class SignalPhase:
    """A phase of a traffic signal controller: (signal, state) for a duration [s]."""

    name: str
    """Name in the file."""
    duration: float
    states: tuple[tuple[str, str], ...]
    """States of its signals."""


@dataclass(frozen=True, slots=True)
class SignalController:
    """A traffic signal controller; `delay` [s] after the one that it `follows`."""

    name: str
    """Name in the file."""
    delay: float
    follows: str
    phases: tuple[SignalPhase, ...]
    """Phases of signal controllers, by their names."""


@dataclass(frozen=True, slots=True)
class XoscScenario:
    """A scenario.

    `version` (major, minor). `map` is the text of LogicFile, "" without one. `parameters` and
    `variables` are values by name.
    """

    source: Path
    """The file."""
    version: tuple[int, int]
    description: str
    """Description in the header."""
    map: str
    parameters: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    entities: tuple[Entity, ...]
    """Its entities."""
    selections: tuple[EntitySelection, ...]
    """Groups of entities."""
    signals: tuple[SignalController, ...]
    """Signal controllers."""
    init: tuple[StoryAction, ...]
    """Actions of the init phase."""
    stories: tuple[Story, ...]
    """Its stories."""
    stop: Trigger
    """Trigger that ends the scenario."""
    monitors: tuple[str, ...] = ()
    """Names of monitors."""
