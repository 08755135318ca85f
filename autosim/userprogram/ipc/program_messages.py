"""The messages of `autosim.v1` that user programs and hosts exchange, made and taken apart."""

from collections.abc import Iterator, Sequence

from autosim.model.commands import Command, DeviceErrorCode
from autosim.userprogram.ipc.camera_images import ImageSlot, PictureRequest
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.v1 import autosim_pb2 as pb

MORE_FOLLOWS = 0
"""The step of a Wait that only hands over commands, because they do not fit into one packet."""

_PACKET_BYTES = 60_000
"""Number of bytes of commands after which a Wait is continued in another packet: below the limit of
a packet, whatever the last command adds."""

_REASON_CHARACTERS = 1_000  # number of characters: see below
_TRACEBACK_CHARACTERS = 15_000
"""Number of characters that are kept. Each takes four bytes at most, so that a Leave fits into one
packet."""


def attach_message(program: str, robot: str, layout_digest: str) -> pb.ProgramMessage:
    """ProgramMessage: the program takes part, for that robot, over a tree of that layout."""
    return pb.ProgramMessage(
        attach=pb.Attach(program=program, robot=robot, layout_digest=layout_digest)
    )


def wait_messages(
    commands: Sequence[Command], until_step: int, *, turn_seconds: float = 0.0
) -> Iterator[pb.ProgramMessage]:
    """ProgramMessages that hand over `commands` and end with the wait for `until_step`.

    `turn_seconds` is how long the program has had its turn [s of wall-clock time].
    """
    batch: list[pb.Command] = []
    size = 0
    for command in commands:
        if batch and size > _PACKET_BYTES:
            yield pb.ProgramMessage(wait=pb.Wait(commands=batch, until_step=MORE_FOLLOWS))
            batch, size = [], 0
        batch.append(pb.Command(device=command.device, data=command.data))
        size += len(command.device) + len(command.data) + 16
    wait = pb.Wait(commands=batch, until_step=until_step, turn_seconds=turn_seconds)
    yield pb.ProgramMessage(wait=wait)


def commands_of(wait: pb.Wait) -> list[Command]:
    """The commands of a Wait, not checked yet."""
    return [Command(each.device, each.data) for each in wait.commands]


def leave_message(
    *, reason: str, traceback: str = "", has_failed: bool = True
) -> pb.ProgramMessage:
    """ProgramMessage: the program ends. Long texts are cut: of a traceback, the end counts."""
    return pb.ProgramMessage(
        leave=pb.Leave(
            has_failed=has_failed,
            reason=_encodable(reason[:_REASON_CHARACTERS]),
            traceback=_encodable(traceback[-_TRACEBACK_CHARACTERS:]),
        )
    )


def program_exit_of(leave: pb.Leave, *, program: str, robot: str) -> ProgramExit:
    """The exit that a Leave of that program reports. A peer may send any texts: they are cut."""
    return ProgramExit(
        program,
        robot,
        leave.reason[:_REASON_CHARACTERS],
        leave.traceback[-_TRACEBACK_CHARACTERS:],
        leave.has_failed,
    )


def image_request(wishes: Sequence[PictureRequest]) -> pb.ProgramMessage:
    """ProgramMessage: draw these pictures."""
    wanted = [pb.ImageSpec(camera=each.camera, kind=each.kind) for each in wishes]
    return pb.ProgramMessage(image_request=pb.ImageRequest(images=wanted))


def client_drawing(*, is_over: bool) -> pb.ProgramMessage:
    """ProgramMessage: the program's client begins to draw its pictures, or has drawn them."""
    return pb.ProgramMessage(client_drawing=pb.ClientDrawing(is_over=is_over))


def picture_requests_of(request: pb.ImageRequest) -> list[PictureRequest]:
    """The pictures that an ImageRequest asks for, not checked yet."""
    return [PictureRequest(each.camera, each.kind) for each in request.images]


def turn_message(step: int) -> pb.ServerMessage:
    """ServerMessage: it is the program's turn; the step count is `step`."""
    return pb.ServerMessage(turn_started=pb.TurnStarted(step=step))


def snapshot_message(name: str, *, is_dropped: bool = False) -> pb.ServerMessage:
    """ServerMessage: a snapshot is taken under that name, or that one is forgotten."""
    return pb.ServerMessage(snapshot_taken=pb.SnapshotTaken(name=name, is_dropped=is_dropped))


def restored_message(name: str, step: int) -> pb.ServerMessage:
    """ServerMessage: the simulation has gone back to `step`, by way of the moment `name`."""
    return pb.ServerMessage(restored=pb.Restored(name=name, step=step))


def layout_changed_message() -> pb.ServerMessage:
    """ServerMessage: the state has another layout; open files with the new one come along."""
    return pb.ServerMessage(layout_changed=pb.LayoutChanged())


def refused_message(code: DeviceErrorCode, reason: str) -> pb.ServerMessage:
    """ServerMessage: the answer to an Attach or an ImageRequest that cannot be met."""
    return pb.ServerMessage(refused=pb.Refused(code=int(code), reason=reason))


def dismissed_message(reason: str, *, has_failed: bool) -> pb.ServerMessage:
    """ServerMessage: the simulation continues without the program."""
    return pb.ServerMessage(
        dismissed=pb.Dismissed(
            reason=_encodable(reason[:_REASON_CHARACTERS]), has_failed=has_failed
        )
    )


def images_message(places: Sequence[ImageSlot]) -> pb.ServerMessage:
    """ServerMessage: the pictures asked for are at these places of the shared memory."""
    images = [
        pb.Image(width=each.width, height=each.height, offset=each.offset, step=each.step)
        for each in places
    ]
    return pb.ServerMessage(images=pb.Images(images=images))


def places_of(images: pb.Images | pb.RenderResult) -> list[ImageSlot]:
    """Addresses of the requested pictures."""
    return [ImageSlot(each.width, each.height, each.offset, each.step) for each in images.images]


def _encodable(text: str) -> str:
    """`text` without lone surrogates, which a protobuf string cannot hold."""
    return text.encode("utf-8", "replace").decode()
