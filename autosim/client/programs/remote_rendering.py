"""Pictures that this client draws for programs that run elsewhere: it has offered that to a server.

Each order comes with the state to draw, so that the pictures show exactly what the program sees,
whatever this client shows.
"""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import grpc

from autosim.client.link.mirror import Mirror
from autosim.client.programs.image_queue import ImageJob, ImageQueue
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.userprogram.ipc.camera_images import ImageMemory, PictureRequest, max_bytes, slot_end
from autosim.userprogram.ipc.program_messages import images_message
from autosim.v1 import autosim_pb2 as pb

PART_BYTES = 128 * 1024
"""[bytes] of pictures in one message: half of what a server takes."""

_AGAIN_SECONDS = 1.0
"""Time [s] from a lost server to the next offer: it has to notice that it is back, too."""

_NAME = "pictures"


class RemoteRenderer:
    """Draws for a server until it is closed, or too slow for that.

    Args:
        mirror: of the world; its connection is used.
        image_size: width and height [pixels] of cameras without their own resolution.
        desk: draws, in the thread that owns the renderer.
        report: told when the server has no use for it; called from another thread.
    """

    def __init__(
        self,
        mirror: Mirror,
        *,
        image_size: tuple[int, int],
        desk: ImageQueue,
        report: Callable[[Notice], None],
    ) -> None:
        self._mirror, self._desk, self._report = mirror, desk, report
        self._state = State(mirror.tree)
        width, height = image_size
        size = max_bytes(mirror.tree, image_size)
        self._images = ImageMemory.create(width=width, height=height, size=size)
        self._is_closed = threading.Event()
        self._call: grpc.Call | None = None
        self._thread = threading.Thread(target=self._run, name="autosim-pictures", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Takes the offer back. The desk has to be closed before: it may be drawing."""
        self._is_closed.set()
        if self._call is not None:
            self._call.cancel()
        self._thread.join()
        self._images.close()

    def _run(self) -> None:
        while not self._is_closed.is_set():
            try:
                self._serve()
            except grpc.RpcError as error:
                code = error.code()
                if code is not grpc.StatusCode.UNAVAILABLE and not self._is_closed.is_set():
                    step = self._mirror.state.step
                    self._report(Notice("warning", _NAME, step, error.details() or code.name))
                    return
            self._is_closed.wait(_AGAIN_SECONDS)

    def _serve(self) -> None:
        """Offers to draw, and draws what is wanted until the server ends that.

        Raises:
            grpc.RpcError: the server refuses, or is gone.
        """
        answers: SimpleQueue[pb.RenderResult | None] = SimpleQueue()
        answers.put(pb.RenderResult(layout_digest=self._mirror.tree.digest))
        self._call = call = self._mirror.connection.stub.DrawPictures(iter(answers.get, None))
        try:
            for wanted in call:
                for part in self._draw(wanted):
                    answers.put(part)
        finally:
            answers.put(None)

    def _draw(self, wanted: pb.RenderRequest) -> Iterator[pb.RenderResult]:
        """The answer, in messages that a server takes."""
        wishes = [PictureRequest(each.camera, each.kind) for each in wanted.images]
        self._state.from_bitstream(wanted.state, digest=self._mirror.tree.digest)
        job = ImageJob(wishes, self._state, self._images)
        failure = self._desk.order(job)
        if failure:
            yield pb.RenderResult(number=wanted.number, failure=failure)
            return
        ends = [slot_end(wish.kind, place) for wish, place in zip(wishes, job.places, strict=True)]
        data = self._images.content(max(ends))
        for start in range(0, len(data), PART_BYTES):
            yield pb.RenderResult(number=wanted.number, memory=data[start : start + PART_BYTES])
        images = images_message(job.places).images.images
        yield pb.RenderResult(number=wanted.number, images=images)
