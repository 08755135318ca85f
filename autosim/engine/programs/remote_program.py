"""A user program that takes part from elsewhere, as its host here sees it."""

from dataclasses import dataclass

from autosim.userprogram.ipc.channel import SocketChannel
from autosim.v1 import autosim_pb2 as pb


@dataclass(frozen=True, slots=True)
class RemoteProgram:
    """A program that runs elsewhere: all that can be ended here is the connection to it.

    Attributes:
        channel: socket to the front, which relays to the program.
        peer: address of the client, as gRPC names it.
        is_remote: true, as opposed to programs on this machine.
        is_thread: false, as opposed to programs in threads.
    """

    channel: SocketChannel[pb.ProgramMessage]
    peer: str
    is_remote: bool = True
    is_thread: bool = False

    @property
    def prepared_seconds(self) -> float:
        """Counts towards its deadline: what a peer says of it cannot be checked."""
        return 0.0

    @property
    def starved_seconds(self) -> float:
        """Not known here."""
        return 0.0

    def wait(self, timeout: float) -> bool:
        """It needs no time to end."""
        return True

    def end(self) -> str:
        """Closes the connection, of which sleeping copies of the simulation have copies."""
        self.channel.disconnect()
        return f"the connection to {self.peer} was lost"

    def end_with_stack(self) -> str:
        """Closes the connection; where the program stood is not known here."""
        self.end()
        return ""

    def stack(self) -> str:
        """Not known here."""
        return ""
