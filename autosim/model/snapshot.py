"""Transfer of a state to another tree: everything that the robots of both trees share.

A tree is laid out once; to add a robot there must be another tree. What was simulated so far goes
over robot by robot, as bitstreams; and device by device what stands in no state: the deflection of
tyres, filters, zeros.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from autosim.arrays import Floats
from autosim.fmi.fmu_process import FmuState
from autosim.model.state import State
from autosim.model.tree import TreeNode, layout_digest


@dataclass(frozen=True, slots=True)
class RobotSnapshot:
    """The bitstream of a robot or an object, and the digest of its layout."""

    name: str
    """Name of the robot or object."""
    layout: str
    data: bytes
    """Its bitstream, in words of 8 bytes."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that devices of one `kind` keep from step to step in addition to the state.

    `rows`: (n, k) float64, a row for each of the devices called `names`; NaN where there is nothing
    yet. Those of traffic are (n,) records of named fields. Of a simulation they are its own, and
    may be written.
    """

    kind: str
    names: tuple[str, ...]
    rows: Floats


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All robots and objects after `step` steps, at `time` [ns], with what their devices remember.

    `contacts`: two robots ("": the world) that have touched, and at which step they did last.
    """

    step: int
    time: int
    robots: tuple[RobotSnapshot, ...]
    memories: tuple[Memory, ...] = ()
    """Memories of devices, which the state does not hold."""
    contacts: tuple[tuple[str, str, int], ...] = ()
    fmus: tuple[tuple[str, FmuState], ...] = ()
    """States of FMUs by the names of their devices."""

    @classmethod
    def of(
        cls,
        state: State,
        memories: Iterable[Memory] = (),
        contacts: Iterable[tuple[str, str, int]] = (),
        fmus: Mapping[str, FmuState] = MappingProxyType({}),
    ) -> "Snapshot":
        """The current content of `state` and `memories`."""
        robots = tuple(
            RobotSnapshot(node.name, layout_digest(node), state.to_bitstream(node))
            for node in state.tree.children
        )
        copies = tuple(replace(memory, rows=memory.rows.copy()) for memory in memories)
        time = int(state.ints[1])
        return cls(state.step, time, robots, copies, tuple(contacts), tuple(fmus.items()))

    def restore(self, state: State) -> tuple[TreeNode, ...]:
        """Writes the robots into `state`, those alone that have the same parts and devices there.

        Returns:
            the nodes of these robots.
        """
        state.ints[0], state.ints[1] = self.step, self.time
        restored = []
        for robot in self.robots:
            node = state.tree.find(robot.name)
            if node is not None and layout_digest(node) == robot.layout:
                state.from_bitstream(robot.data, node, digest=robot.layout)
                restored.append(node)
        return tuple(restored)

    def restore_memories(self, memories: Iterable[Memory], *, robots: Collection[str]) -> None:
        """Writes into `memories` what it holds of the devices of `robots`."""
        kept = {memory.kind: memory for memory in self.memories}
        for memory in memories:
            before = kept.get(memory.kind)
            if before is None or not _is_alike(before.rows, memory.rows):
                continue  # what they keep now has another form: they start again
            row_of = {name: row for row, name in enumerate(before.names)}
            for row, name in enumerate(memory.names):
                if name in row_of and name.split(".", 1)[0] in robots:
                    memory.rows[row] = before.rows[row_of[name]]


def _is_alike(first: Floats, second: Floats) -> bool:
    """Whether rows of two memories hold the same: as many numbers each, or the same fields."""
    return first.dtype == second.dtype and first.shape[1:] == second.shape[1:]
