"""The snapshots of a run, as the front knows them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autosim.engine.engine_errors import SnapshotError
from autosim.helper_processes.process_socket import ControlSocket

MOST = 16
"""Maximum number of snapshots: each is a process."""

_LEAST_FREE = 0.1
"""Share of the machine's memory that must be free for another snapshot."""

_NAME_CHARACTERS = 64
"""Number of characters of the longest name: it fits on a line of a list."""


@dataclass(frozen=True, slots=True)
class ForkedSnapshot:
    """A snapshot: its `name`, `step` and `time` [ns], the process that sleeps, the socket to it.

    `running`: the processes of user programs of which there is no copy.
    """

    name: str
    step: int
    time: int
    pid: int
    """Process id of the sleeping copy."""
    leash: ControlSocket
    """Socket to the sleeping copy, which ends when it is closed."""
    running: tuple[int, ...] = ()

    @property
    def bytes(self) -> int:
        """Memory [bytes] that its process has alone; 0 where the system does not tell."""
        with suppress(OSError, ValueError):
            lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
            private = [line for line in lines if line.startswith("Private_")]
            return 1024 * sum(int(line.split()[1]) for line in private)
        return 0


class SnapshotStore:
    """Snapshots by their names."""

    def __init__(self) -> None:
        self._snapshots: dict[str, ForkedSnapshot] = {}

    def __iter__(self) -> Iterator[ForkedSnapshot]:
        return iter(self._snapshots.values())

    def check_new(self, name: str) -> None:
        """Refuses another snapshot.

        Raises:
            SnapshotError: the name is taken or none, or there is no room.
        """
        if not name.strip() or len(name) > _NAME_CHARACTERS or not name.isprintable():
            raise SnapshotError(f"a snapshot needs a name of 1 to {_NAME_CHARACTERS} characters")
        if name in self._snapshots:
            raise SnapshotError(
                f"there is a snapshot '{name}' already: drop it, or choose another name"
            )
        if len(self._snapshots) >= MOST:
            raise SnapshotError(f"there are {MOST} snapshots, as many as can be: drop one")
        free, whole = _memory("MemAvailable"), _memory("MemTotal")
        if free < _LEAST_FREE * whole:
            raise SnapshotError(
                f"only {free / 1e6:.0f} MB of memory are free: drop a snapshot "
                f"({self._told()}) before taking another"
            )

    def _told(self) -> str:
        sizes = ", ".join(f"{each.name}: {each.bytes / 1e6:.0f} MB" for each in self)
        return sizes or "there is none"

    def add(self, snapshot: ForkedSnapshot) -> None:
        """Keeps a snapshot."""
        self._snapshots[snapshot.name] = snapshot

    def find(self, name: str) -> ForkedSnapshot:
        """The snapshot of that name.

        Raises:
            SnapshotError: there is none.
        """
        if name not in self._snapshots:
            known = ", ".join(self._snapshots) or "none"
            raise SnapshotError(f"there is no snapshot '{name}' (snapshots: {known})")
        return self._snapshots[name]

    def before(self, step: int) -> ForkedSnapshot:
        """The last snapshot at `step` or before.

        Raises:
            SnapshotError: there is none.
        """
        earlier = [each for each in self if each.step <= step]
        if not earlier:
            first = min((each.step for each in self), default=None)
            hint = "there is none" if first is None else f"the first is that of step {first}"
            raise SnapshotError(
                f"there is no snapshot of step {step} or before ({hint}): take one with autosim "
                "ctl snapshot, or start the server with --snapshot-interval"
            )
        return max(earlier, key=lambda each: each.step)

    def drop(self, name: str) -> None:
        """Forgets a snapshot: its process ends.

        Raises:
            SnapshotError: there is none.
        """
        self.find(name).leash.close()
        del self._snapshots[name]

    def close(self) -> None:
        """Forgets all."""
        for name in list(self._snapshots):
            self.drop(name)


def _memory(field: str) -> int:
    """A figure of /proc/meminfo [bytes]."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    return 0
