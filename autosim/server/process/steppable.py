"""Interface of a simulation for its process: that of a world, a replay, or a test."""

from collections.abc import Sequence
from typing import Protocol

from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.programs.lockstep import Lockstep
from autosim.engine.programs.program_manager import ProgramManager
from autosim.model.snapshot import Snapshot
from autosim.server.process.run_recording import Recordable


class Steppable(Recordable, Protocol):
    """Interface of a simulation for the process (see `Simulation`)."""

    participants: Lockstep
    programs: ProgramManager

    def begin(self) -> None:
        """Starts the user programs and opens their first barrier; once, before the first step."""

    def advance(self) -> None:
        """Does one step and opens its barrier."""

    def settle(self) -> None:
        """Ends a barrier that is closed: what follows from the programs that have left."""

    def snapshot(self, *, is_continued: bool = True) -> Snapshot:
        """The state; with all from which another simulation can continue where it `is_continued`.

        Raises:
            SnapshotError: an FMU cannot save its state.
        """

    def restore(self, snapshot: Snapshot) -> None:
        """Continues from the state of another simulation."""

    def place(
        self,
        name: str,
        place: Sequence[float],
        *,
        yaw: float | None,
        height: float | None,
        velocity: Sequence[float],
        angular_velocity: Sequence[float],
    ) -> object:
        """Puts a robot elsewhere between two steps; raises PlacementError where it cannot."""

    def take(self, commands: Sequence[CheckedCommand]) -> None:
        """Takes commands for the next step."""

    def close(self) -> None:
        """Ends it and its programs."""
