"""View state: the state and the sky that a viewer shows."""

import numpy as np

from autosim.config.world_settings import SkyDescription
from autosim.model.state import State
from autosim.model.tree import SimulationTree


class ViewState:
    """The state and the sky of the pictures of one party: a window, or a user program.

    Several parties share a viewer, and each has its own moment: a window plays back what came a
    little earlier, under the sky that its user chose; a program sees the state that it was woken
    with, under the world's sky.

    Args:
        tree: the tree of the states that `update` takes.
        sky: the day time and weather at first.

    `state` is a copy of the state given last; `updates` counts how often it has changed; `sky` may
    be set at any time.
    """

    def __init__(self, tree: SimulationTree, sky: SkyDescription) -> None:
        self.state = State(tree)
        self.updates = 0
        self.sky = sky

    def update(self, state: State) -> None:
        """Goes to `state`, which may change afterwards."""
        if self.updates and np.array_equal(self.state.ints, state.ints):
            return
        self.state.buffer[:] = state.buffer
        self.updates += 1
