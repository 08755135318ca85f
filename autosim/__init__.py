"""AutoSim: a networked, deterministic driving simulator.

Programs of your own begin with two names:

    from autosim import Simulation, load_world
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autosim.loading.loader import load_world
    from autosim.server.step.simulation import Simulation

__all__ = ["Simulation", "__version__", "load_world"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # At the first use: a user program or a command line needs neither, and starts without them.
    if name == "Simulation":
        from autosim.server.step.simulation import Simulation

        return Simulation
    if name == "load_world":
        from autosim.loading.loader import load_world

        return load_world
    raise AttributeError(f"module 'autosim' has no attribute '{name}'")
