"""The roads on which a storyboard is played: of the world's OpenDRIVE file, or of its export."""

from functools import lru_cache
from pathlib import Path

from autosim.config.diagnostics import Diagnostics
from autosim.config.scenarios import Storyboard
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.openscenario.road_map.road_network import ScenarioRoads
from autosim.traffic.signals.exported_signals import opendrive_with_signals
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.opendrive.xodr_reader import read_xodr
from autosim.world.pipeline.opendrive_world import shift_of

Shift = tuple[float, float, float]


def roads_of(storyboard: Storyboard, world: CompiledWorld) -> tuple[ScenarioRoads, Shift]:
    """The roads, and what is added to their coordinates to make those of the world [m].

    Raises:
        ConfigError: the map cannot be read.
    """
    if storyboard.map is not None:
        return _of_file(storyboard.map)
    with ScratchFolder("roads") as folder:
        path = folder / "world.xodr"
        path.write_bytes(opendrive_with_signals(world, has_objects=False))
        return ScenarioRoads(read_xodr(path, Diagnostics())), (0.0, 0.0, 0.0)


@lru_cache(maxsize=2)
def _of_file(path: Path) -> tuple[ScenarioRoads, Shift]:
    content = read_xodr(path, Diagnostics())
    return ScenarioRoads(content), shift_of(content)
