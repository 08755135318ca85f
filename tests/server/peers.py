"""A program's end of its channel, played by a test."""

import socket
from collections.abc import Iterator

from autosim.engine.programs.process_participants import ProcessParticipants
from autosim.model.commands import Command
from autosim.userprogram.ipc.channel import ChannelClosedError, SocketChannel
from autosim.userprogram.ipc.program_messages import (
    attach_message,
    wait_messages,
)
from autosim.v1 import autosim_pb2 as pb
from tests.userprogram.rig import Toy


class Peer:
    """A program at the other end of a relay: says what it is told to say."""

    def __init__(self, toy: Toy, participants: ProcessParticipants, name: str = "peer") -> None:
        self.digest = toy.tree.digest
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket = ours
        self.channel = SocketChannel(ours, pb.ServerMessage)
        participants.attach_remote(theirs, peer=name)

    def attach(self, robot: str = "alpha", digest: str | None = None) -> None:
        self.channel.send(attach_message("remote.py", robot, digest or self.digest))

    def wait(self, until: int, *commands: Command) -> None:
        for message in wait_messages(commands, until):
            self.channel.send(message)

    def answers(self) -> Iterator[pb.ServerMessage]:
        while True:
            try:
                yield self.channel.receive(5.0)
            except ChannelClosedError:
                return
