"""AutoSim: a networked, deterministic driving simulator.

Programs of your own begin with two names:

    from autosim import Simulation, load_world

`__all__` lists all public names. Each is imported from its module at its first use, so that
`import autosim` costs nothing, and a name needs only the packages of its own module.
"""

import gc
from importlib import import_module
from typing import TYPE_CHECKING

from autosim.version import __version__

if TYPE_CHECKING:
    from autosim.applications.records.notebook_view import show
    from autosim.client.link.mirror import Mirror
    from autosim.client.link.simulation_control import SimulationControl
    from autosim.client.scene.viewer import Viewer
    from autosim.config.descriptions import RobotDescription, WorldDescription
    from autosim.control.mppi import MPPI
    from autosim.engine.step.simulation import Simulation
    from autosim.environments.driving import DrivingEnv
    from autosim.environments.fleet.fleet_environment import FleetVectorEnv
    from autosim.environments.parallel import ParallelDrivingEnv, parallel_env
    from autosim.errors import UserError
    from autosim.estimation.state_estimator import StateEstimator
    from autosim.estimation.state_projector import StateProjector
    from autosim.loading.loader import load_robot, load_world, world_for_osm
    from autosim.model.state import State
    from autosim.model.tree import SimulationTree, TreeNode
    from autosim.server.network.server_process import ServerProcess
    from autosim.tracks.curvilinear_table import CurvilinearTable
    from autosim.world.compiled.compiled_world import CompiledWorld
    from autosim.world.lanes.roads import RoadNetwork
    from autosim.world.lanes.routing import route
    from autosim.world.pipeline.cache import compile_world

_MODULES = {
    "CompiledWorld": "autosim.world.compiled.compiled_world",
    "CurvilinearTable": "autosim.tracks.curvilinear_table",
    "DrivingEnv": "autosim.environments.driving",
    "FleetVectorEnv": "autosim.environments.fleet.fleet_environment",
    "MPPI": "autosim.control.mppi",
    "Mirror": "autosim.client.link.mirror",
    "ParallelDrivingEnv": "autosim.environments.parallel",
    "RoadNetwork": "autosim.world.lanes.roads",
    "RobotDescription": "autosim.config.descriptions",
    "ServerProcess": "autosim.server.network.server_process",
    "Simulation": "autosim.engine.step.simulation",
    "SimulationControl": "autosim.client.link.simulation_control",
    "SimulationTree": "autosim.model.tree",
    "State": "autosim.model.state",
    "StateEstimator": "autosim.estimation.state_estimator",
    "StateProjector": "autosim.estimation.state_projector",
    "TreeNode": "autosim.model.tree",
    "UserError": "autosim.errors",
    "Viewer": "autosim.client.scene.viewer",
    "WorldDescription": "autosim.config.descriptions",
    "compile_world": "autosim.world.pipeline.cache",
    "load_robot": "autosim.loading.loader",
    "load_world": "autosim.loading.loader",
    "parallel_env": "autosim.environments.parallel",
    "route": "autosim.world.lanes.routing",
    "show": "autosim.applications.records.notebook_view",
    "world_for_osm": "autosim.loading.loader",
}

__all__ = [
    "MPPI",
    "CompiledWorld",
    "CurvilinearTable",
    "DrivingEnv",
    "FleetVectorEnv",
    "Mirror",
    "ParallelDrivingEnv",
    "RoadNetwork",
    "RobotDescription",
    "ServerProcess",
    "Simulation",
    "SimulationControl",
    "SimulationTree",
    "State",
    "StateEstimator",
    "StateProjector",
    "TreeNode",
    "UserError",
    "Viewer",
    "WorldDescription",
    "__version__",
    "compile_world",
    "load_robot",
    "load_world",
    "parallel_env",
    "route",
    "show",
    "world_for_osm",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'autosim' has no attribute '{name}'")
    # What modules make stays: to search it for garbage again and again is a tenth of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        value: object = getattr(import_module(_MODULES[name]), name)
    finally:
        if was_enabled:
            gc.enable()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
