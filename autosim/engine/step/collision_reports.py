"""The collisions of a simulation: counted for each robot, and told to the user in words."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Integers
from autosim.engine.physics.collisions import CollisionCounter
from autosim.engine.physics.engine import PhysicsEngine
from autosim.engine.physics.kinematic_vehicles import KinematicVehicles
from autosim.engine.physics.traffic_bodies import TrafficBodies
from autosim.engine.step.collision_texts import CollisionTexts
from autosim.model.notices import Notice
from autosim.model.snapshot import Snapshot
from autosim.model.state import State


class CollisionReports:
    """Finds what has collided in a step.

    Args:
        names: of the robots, of the objects and of traffic; the number after the last stands for
            the world.
        words: (n_robots,) places of the counts in `state.ints`.
        counter: of collisions.
        encounters: name what a robot has hit.
        physics: tells what touches.
        kinematic: tell what kinematic vehicles touch.
        traffic: counts what robots hit of it, None where there is none.
        report: takes messages for the user.
    """

    def __init__(
        self,
        names: Sequence[str],
        words: Integers,
        *,
        counter: CollisionCounter,
        encounters: CollisionTexts,
        physics: PhysicsEngine,
        kinematic: KinematicVehicles,
        traffic: TrafficBodies | None,
        report: Callable[[Notice], None],
    ) -> None:
        self._names, self._words = (*names, ""), words
        self._counter, self._encounters = counter, encounters
        self._physics, self._kinematic, self._traffic = physics, kinematic, traffic
        self._report = report

    def sense(self, state: State) -> None:
        """Counts the collisions of the last step in `state`, and reports those that begin."""
        contacts = self._physics.contacts()
        driven = self._kinematic.contacts(state.step)
        if len(driven):
            contacts = np.concatenate([contacts, driven])
        if self._traffic is not None:
            contacts = np.concatenate([contacts, self._traffic.contacts()])
        for first, second in self._counter.update(state.step, contacts):
            if self._traffic is not None:
                self._traffic.count(second)
            self._tell(first, second, state.step)
            self._tell(second, first, state.step)
        state.ints[self._words] = self._counter.counts

    def _tell(self, robot: int, other: int, step: int) -> None:
        if robot < len(self._words):
            words = self._encounters.describe(robot, other)
            self._report(Notice("warning", self._names[robot], step, words))

    def last_contacts(self) -> list[tuple[str, str, int]]:
        """Pairs of names that have touched ("": the world), with the step at which they did."""
        names = self._names
        return [
            (names[first], names[second], step)
            for first, second, step in self._counter.last_contacts
        ]

    def restore(self, snapshot: Snapshot, state: State) -> None:
        """Continues with the counts in `state` and with what has touched before."""
        self._counter.counts[:] = state.ints[self._words]
        numbers = {name: number for number, name in enumerate(self._names)}
        for first, second, step in snapshot.contacts:
            if first in numbers and second in numbers:
                self._counter.remember(numbers[first], numbers[second], step)
