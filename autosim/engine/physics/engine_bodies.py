"""The bodies of robots in a physics engine, as vehicles move them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Integers
from autosim.config.descriptions import Part
from autosim.engine.physics.engine import PhysicsEngine
from autosim.model.bodies import BodyStates


@dataclass(frozen=True, slots=True)
class EngineBodies:
    """The bodies of all robots' parts in an engine; body, part and state have the same number."""

    physics: PhysicsEngine
    """Engine that holds the bodies."""
    parts: Sequence[Part]
    """Description of each body."""
    states: BodyStates
    """Poses and velocities of the bodies in W, as they were read last."""
    moved: Integers | None = None
    """(k,) numbers of the bodies that forces move; None: all."""

    @property
    def moved_numbers(self) -> Integers:
        """(k,) numbers of the bodies that forces move."""
        return np.arange(len(self.parts)) if self.moved is None else self.moved
