"""What the front process and the simulation process say to each other."""

from dataclasses import dataclass
from enum import IntEnum

from autosim.config.descriptions import WorldDescription
from autosim.server.record import RunFigures
from autosim.simulation.commands import Command


class Phase(IntEnum):
    """What the simulation is doing (values as on the wire)."""

    LOADING = 0
    READY = 1
    RUNNING = 2
    PAUSED = 3
    STOPPED = 4


@dataclass(frozen=True, slots=True)
class Setup:
    """Front: the first message, with the descriptors of the outbox and of its bell.

    `simulation` names a class with the interface of `Simulation` as `module:name`, so that the
    front need not import a physics engine. `niceness` is added to the process's own; a negative
    one needs the right to do so.
    """

    world: WorldDescription
    simulation: str
    seed: int = 0
    niceness: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """Front: something that is answered by a `Done` with the same `number`."""

    number: int


@dataclass(frozen=True, slots=True)
class Run(Request):
    """Front: step on; `steps` 0: until told otherwise. `real_time_factor` 0: as fast as it goes.

    Answered at once, or, where `is_awaited`, when the steps are done or were interrupted.
    """

    steps: int = 0
    real_time_factor: float = 1.0
    is_awaited: bool = False


@dataclass(frozen=True, slots=True)
class Pause(Request):
    """Front: stop stepping after the step in hand."""


@dataclass(frozen=True, slots=True)
class Stop(Request):
    """Front: end."""


@dataclass(frozen=True, slots=True)
class WantFigures(Request):
    """Front: answer with `Figures` instead of `Done`."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Front: publish the present state, whatever its step."""


@dataclass(frozen=True, slots=True)
class Apply:
    """Front: checked commands for the next step; answered by `Taken`."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Adopt:
    """Front: a user program that runs elsewhere, with the descriptor of its socket.

    `peer` says who it is, for people.
    """

    peer: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Simulation: ready. The descriptor of the live state comes along where there is one."""

    layout_digest: str
    world_digest: str


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """Simulation: its new phase, entered after `step`."""

    phase: Phase
    step: int


@dataclass(frozen=True, slots=True)
class Done:
    """Simulation: the request `number` is done."""

    number: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Simulation: the figures asked for by the request `number`."""

    number: int
    figures: RunFigures


@dataclass(frozen=True, slots=True)
class Taken:
    """Simulation: the last `Apply` is queued; the next one may come."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Simulation: it cannot go on; `traceback` says why. The process ends."""

    traceback: str
