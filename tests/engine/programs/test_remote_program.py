"""A user program at a client, as the simulation process sees it."""

import os
import socket

from autosim.engine.programs.remote_program import RemoteProgram
from autosim.userprogram.ipc.channel import SocketChannel
from autosim.v1 import autosim_pb2 as pb


def test_its_client_learns_of_the_end_although_a_snapshot_holds_a_copy_of_the_socket():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    copy = os.dup(ours.fileno())  # as a forked process has
    program = RemoteProgram(SocketChannel(ours, pb.ProgramMessage), "127.0.0.1:5")
    program.channel.send(pb.ServerMessage(dismissed=pb.Dismissed(reason="over")))
    program.end()
    theirs.settimeout(5.0)
    assert pb.ServerMessage.FromString(theirs.recv(1000)).dismissed.reason == "over"
    assert theirs.recv(1000) == b""
    os.close(copy)
    theirs.close()
