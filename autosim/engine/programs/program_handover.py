"""Handover of running programs to another simulation process."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from autosim.helper_processes.process_socket import ControlSocket

NO_THREADS: Mapping[int, Callable[[], object]] = MappingProxyType({})
"""The threads of a process that has handed over no program in a thread."""


class ProgramHandover:
    """Hands programs over to another simulation process, and releases copies of them.

    Without effect here: only the programs of a server can outlive a simulation process.
    """

    children: tuple[int, ...] = ()
    """Processes of programs that were handed over and end with this process, their parent."""

    threads: Mapping[int, Callable[[], object]] = NO_THREADS
    """Programs in threads of this process that were handed over: what ends each, by the descriptor
    that hangs up when the other process ends it."""

    def release_copies(self) -> None:
        """Releases the copies of programs: they belong to the copy of this process."""
        return

    def let_go(self) -> None:
        """In a copy of this process that sleeps: closes what others must not take for open."""
        return

    def end_for_good(self, running: Sequence[int]) -> None:
        """Ends the programs of a process that is replaced by another.

        Args:
            running: the processes that the one which follows needs.
        """
        return

    def offer(self, robots: Collection[str], heir: ControlSocket) -> tuple[str, ...]:
        """Sends running programs to another simulation process; `give_away` or `take_back` follows.

        Args:
            robots: names of those that the other process simulates, too.
            heir: the socket to that process, which takes them with `take_over`.

        Returns:
            the robots whose own programs were sent.

        Raises:
            ControlClosedError: the other process is gone.
        """
        return ()

    def give_away(self) -> None:
        """Leaves the programs of the last `offer` to the other process, and ends all others."""
        return

    def take_back(self) -> None:
        """Continues the programs of the last `offer`, whose receiver is gone."""
        return

    def take_over(self, giver: ControlSocket) -> None:
        """Takes over the programs that another process hands over.

        Raises:
            ControlClosedError: the other process is gone.
        """
        return
