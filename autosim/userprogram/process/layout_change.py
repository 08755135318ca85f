"""A change of the state's layout while a program waits: robots were added or removed."""

import os

from autosim.userprogram.codec.tree_codec import tree_from_bytes
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.camera_images import ImageMemory
from autosim.userprogram.ipc.channel import DescriptorChannel, SocketChannel
from autosim.userprogram.ipc.program_messages import layout_changed_message
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.session.session_context import Layout
from autosim.v1 import autosim_pb2 as pb


def send_layout(
    channel: SocketChannel[pb.ProgramMessage],
    assignment: Assignment,
    state: SharedState,
    images: ImageMemory | None,
) -> None:
    """Has a program read another state from its next turn on; its tree is in `assignment`.

    Raises:
        ChannelError: the program is gone, or does not listen.
    """
    assignment_fd = readable_file(assignment.to_bytes())
    pictures = () if images is None else (images.fd,)
    try:
        channel.send(layout_changed_message(), (assignment_fd, state.fd, *pictures))
    finally:
        os.close(assignment_fd)


def take_layout(channel: DescriptorChannel) -> Layout:
    """The layout that came with the last message, as `send_layout` sends it."""
    assignment_fd, state_fd, *image_fds = channel.take_descriptors()
    with open(assignment_fd, "rb") as file:
        return open_layout(Assignment.from_bytes(file.read()), state_fd, image_fds)


def open_layout(assignment: Assignment, state_fd: int, image_fds: list[int]) -> Layout:
    """The state that an assignment is about, in this process. Takes over the descriptors."""
    images = None
    if assignment.image_size is not None:
        width, height = assignment.image_size
        images = ImageMemory.open(image_fds[0], width=width, height=height)
    return Layout(tree_from_bytes(assignment.tree), SharedState.open(state_fd).live, images)


def readable_file(data: bytes) -> int:
    """A file descriptor from which `data` can be read."""
    fd = os.memfd_create("autosim-assignment", os.MFD_CLOEXEC)
    with open(os.dup(fd), "wb") as file:
        file.write(data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
