"""Memory of devices from step to step that no state holds."""

from collections.abc import Collection, Iterable, Sequence

from autosim.model.snapshot import Memory, Snapshot


class DeviceMemories:
    """The memories of a simulation that has just been built.

    Args:
        memories: the simulation's own arrays; they are written to.
    """

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.all = tuple(memories)
        self._fresh = [memory.rows.copy() for memory in self.all]

    def restore(self, snapshot: Snapshot, *, robots: Collection[str]) -> None:
        """Takes over what the devices of `robots` remembered."""
        snapshot.restore_memories(self.all, robots=robots)

    def forget(self, robot: str) -> None:
        """Empties what a robot's devices remember, as before the first step."""
        for memory, fresh in zip(self.all, self._fresh, strict=True):
            rows = rows_of(robot, memory.names)
            memory.rows[rows] = fresh[rows]


def rows_of(robot: str, names: Sequence[str]) -> list[int]:
    """Whether each of `names` belongs to that robot."""
    return [row for row, name in enumerate(names) if name.split(".", 1)[0] == robot]
