"""A copy of a program that cannot sleep ends, and never runs the program beside it."""

import subprocess
import sys

PROGRAM = """
import socket
from autosim.userprogram.ipc.channel import SocketChannel
from autosim.userprogram.ipc.program_messages import snapshot_message
from autosim.userprogram.session.program_memory import ProgramMemory
from autosim.v1 import autosim_pb2 as pb

def pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

ours, theirs = pair()
host = SocketChannel(ours, pb.ProgramMessage)
channel = SocketChannel(theirs, pb.ServerMessage, takes_descriptors=True)
leash, end_of_copy = pair()
host.send(snapshot_message("a"), (end_of_copy.fileno(),))
end_of_copy.close()
channel.receive(1.0)
leash.close()  # the host has given up on the copy
try:
    ProgramMemory(channel).keep("a")
finally:
    print("runs", flush=True)
"""


def test_a_copy_whose_host_has_given_up_ends() -> None:
    # It is over when all processes have closed the pipes.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60.0, check=True
    )
    assert (done.stdout, done.stderr) == ("runs\n", "")
