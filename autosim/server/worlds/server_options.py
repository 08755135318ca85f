"""Options of a server, and its event of another world."""

from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.records.record_format import Continuation
from autosim.wire import DEFAULT_ADDRESS

SIMULATION = "autosim.engine.step.simulation:Simulation"
REPLAY = "autosim.engine.step.replay:Replay"
"""Kinds of simulation processes: see `ServerOptions`."""


@dataclass(frozen=True, slots=True)
class WorldChanged:
    """The server simulates another world from now on, or the same one with other robots.

    `is_loaded`: it was loaded, and begins at step 0; else robots were added or removed.
    """

    world: WorldDescription
    is_loaded: bool = False


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options for serving a world.

    `address` is HOST:PORT, port 0 any free one. `is_insecure`, `certificate` and `key` as `Access`
    takes them. `real_time_factor` None: wait for a client's order before the first step; 0: as fast
    as possible. `niceness` is for the simulation process; `simulation` the class that it makes, as
    `module:name`. `is_safe`: start no user program of the world; a client can start each. `record`:
    the file to which the first world is recorded, those after it beside it; None: none. `replay`:
    the record that `simulation`, a `Replay`, shows. `keep_seconds`: interval of snapshots [s of
    simulated time], 0: no automatic ones. `continued`: the start of a continued run, None: the
    first step.
    """

    address: str = DEFAULT_ADDRESS
    seed: int = 0
    """Seed of the random numbers of each world's run."""
    real_time_factor: float | None = None
    is_insecure: bool = False
    certificate: Path | None = None
    key: Path | None = None
    niceness: int = 0
    simulation: str = SIMULATION
    is_safe: bool = False
    record: Path | None = None
    replay: Path | None = None
    keep_seconds: float = 0.0
    continued: Continuation | None = None
