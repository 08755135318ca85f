"""A process that prepares a world: loads its files, compiles its map, draws the map from above.

A map takes seconds to minutes, so a window leaves it to a separate process, which it can end at any
moment: what was not finished leaves nothing behind.
"""

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import ConfigError, Diagnostic, Diagnostics
from autosim.config.reading.map_kinds import is_map_file
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control
from autosim.loading.loader import load_world, world_for_osm
from autosim.loading.world_file import DescribedRobots
from autosim.loading.world_writer import with_step_size
from autosim.traffic.signals.signal_heads import make_signal_heads
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.plan_image import draw_world_plan
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.fetched_worlds import fetched_map

PICTURE_PIXELS = 3072
"""Longer side of the picture of a map: a pixel for each 0.65 m of the largest worlds."""


@dataclass(frozen=True, slots=True)
class PrepareOrder:
    """An order to prepare a world: a world file or an extract, or a world that was read before.

    `steps_per_second` None: as the file says. `has_picture`: whether the map is drawn, too.
    `told`: the world is a server's, which tells this of its robots; the warnings on its files are
    for its own people. None: it is a world of this machine.
    """

    world: str | WorldDescription
    steps_per_second: int | None = None
    has_picture: bool = True
    told: DescribedRobots | None = None

    @property
    def is_fetched(self) -> bool:
        """Whether it is a server's."""
        return self.told is not None


@dataclass(frozen=True, slots=True)
class PreparationProgress:
    """The current step, and the share of the work that is done (0..1)."""

    step: str
    share: float


@dataclass(frozen=True, slots=True)
class PreparationDone:
    """The world can be served; its compiled map is in the cache. `warnings` are on its files."""

    world: WorldDescription
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class MapPicture:
    """The world from above, north up: RGB rows from the top, of `bounds` in W [m].

    `bounds` is (x_min, y_min, x_max, y_max). `signal_groups` (s,) and `signal_places` (s, 2) [m] in
    W are those of the lights of signals; there are none in a world without traffic.

    Attributes:
        width: columns [px].
        height: rows [px].
        pixels: RGB bytes (height, width, 3), row by row.
    """

    width: int
    height: int
    pixels: bytes
    bounds: tuple[float, float, float, float]
    signal_groups: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    signal_places: Floats = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass(frozen=True, slots=True)
class PreparationRefused:
    """The world cannot be used: all faults of its files, or else a `reason`."""

    diagnostics: tuple[Diagnostic, ...]
    """Faults of the world's files, in order."""
    reason: str


def prepare(order: PrepareOrder, control: ControlSocket) -> None:
    """Prepares a world and reports on `control`; a picture of the map comes last.

    Raises:
        ControlClosedError: the process that asked is gone.
    """
    found = Diagnostics()
    try:
        world = _load(order, found)
        compiled = compile_world(
            world.terrain,
            progress=lambda step, share: control.send(PreparationProgress(step, share)),
            diagnostics=found,
            sent=fetched_map(world.terrain.osm) if order.is_fetched else None,
        )
    except ConfigError as error:
        control.send(PreparationRefused(error.diagnostics, ""))
    except (UserError, OSError) as error:
        control.send(PreparationRefused((), str(error)))
    else:
        control.send(PreparationDone(world, () if order.is_fetched else found.warnings))
        if order.has_picture:
            control.send(draw_map_picture(compiled, has_traffic=world.traffic is not None))


def _load(order: PrepareOrder, found: Diagnostics) -> WorldDescription:
    if isinstance(order.world, WorldDescription):
        world = order.world
    elif is_map_file(Path(order.world)):
        world = world_for_osm(Path(order.world), diagnostics=found)
    else:
        world = load_world(order.world, diagnostics=found, told=order.told)
    if order.steps_per_second is not None:
        world = with_step_size(world, order.steps_per_second)
    return world


def draw_map_picture(compiled: CompiledWorld, *, has_traffic: bool) -> MapPicture:
    """The world from above, with the places of its signals if it has traffic."""
    image = draw_world_plan(compiled, size=PICTURE_PIXELS)
    plain = MapPicture(image.width, image.height, image.tobytes(), compiled.bounds)
    if not has_traffic:
        return plain
    heads = make_signal_heads(make_plan(compiled, most=MOST_SIGNALS), compiled)
    return replace(plain, signal_groups=heads.groups, signal_places=heads.feet[:, :2])


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(control_descriptor)
    try:
        order, _ = control.receive()
        if not isinstance(order, PrepareOrder):
            raise TypeError(f"the first message is a {type(order).__name__}, not an order")
        prepare(order, control)
    except ControlClosedError:
        return 1
    return 0


if __name__ == "__main__":
    # Messages are pickled by name: under this module's own, not as `__main__`.
    from autosim.loading import world_worker

    sys.exit(world_worker.main(int(sys.argv[1])))
