"""Pictures for the programs of a server: a client that offers it draws them, or the server does.

It starts a process that draws when the first picture is wanted and no client has offered. The
server itself never imports a renderer. While a program waits for its pictures the step waits for
the program, so that the state in the shared memory, which is drawn, is the program's.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.helper_processes.process_activity import WorkWatch
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.model.commands import DeviceErrorCode
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import ImageMemory, ImageSlot, PictureRequest, max_bytes
from autosim.userprogram.ipc.picture_orders import (
    PICTURE_PROCESS,
    PictureOrder,
    PicturesDrawn,
    PictureSetup,
)
from autosim.userprogram.ipc.program_messages import images_message, refused_message
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.v1 import autosim_pb2 as pb
from autosim.world.compiled.compiled_world import CompiledWorld

PICTURE_SECONDS = 60.0
"""Longest time [s] that the process which draws may take to answer and do nothing. The first
pictures read the world and try which renderer starts, and may wait for a processor."""

_END_SECONDS = 3.0
"""Time for a process whose socket is closed to end, so that its exit can be named."""


OFFER_SECONDS = 2.0
"""Longest time [s] for a client that has offered to render pictures: all programs, and the step,
wait for them. After that the server renders them."""


@dataclass(slots=True)
class _Drawing:
    """A drawing process or client, with the numbers of the memories that are known there.

    `process`: started by the server; None: offered by a client.
    """

    control: ControlSocket
    process: "subprocess.Popen[bytes] | None" = None
    memories: set[int] = field(default_factory=set)
    watch: WorkWatch | None = None


@dataclass(frozen=True, slots=True)
class _Ordered:
    """An order that is not answered yet, with the memory for its pictures.

    `give_up_at`: the end of the patience with `drawing`, by `time.monotonic` [s].
    """

    order: PictureOrder
    images: ImageMemory
    drawing: _Drawing
    give_up_at: float


class PictureScheduler:
    """Schedules rendering for all programs of a simulation, one request at a time.

    Clients that have offered to render do so, the last one first. Without any, or if they are too
    slow or gone, a process of the server does it.

    Args:
        world: what is simulated.
        compiled: its place: the file, or where it has none, itself.
        tree: of the state.
        shared: the memory whose live state is drawn.
        seed: of the run, of which the noise of cameras follows.
        refresh: brings the live state up to date, where that is a copy.
        on_drawn: called with each picture that a program gets, and where it lies then.
    """

    def __init__(
        self,
        world: WorldDescription,
        compiled: Path | CompiledWorld,
        tree: SimulationTree,
        *,
        shared: SharedState,
        seed: int,
        refresh: Callable[[], None] = lambda: None,
        on_drawn: Callable[[PictureRequest, ImageSlot, ImageMemory], None] = lambda *picture: None,
    ) -> None:
        self.on_drawn = on_drawn
        self._setup = PictureSetup(world, compiled, seed)
        self._shared, self._refresh = shared, refresh
        self._picture_bytes = max_bytes(tree, self.size)
        self._own: _Drawing | None = None
        self._offered: list[_Drawing] = []
        self._orders = self._memories = 0
        self._ordered: _Ordered | None = None

    @classmethod
    def over(
        cls,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
        *,
        memory: memoryview,
        seed: int,
    ) -> "PictureScheduler | None":
        """A desk that draws copies of a state in the memory of this process; None: no cameras."""
        if not max_bytes(tree, (world.graphics.width, world.graphics.height)):
            return None
        shared = SharedState.create(tree.stop)

        def refresh() -> None:
            shared.live[:] = memory[: tree.stop]

        return cls(world, compiled, tree, shared=shared, seed=seed, refresh=refresh)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels] of cameras without their own resolution."""
        return self._setup.world.graphics.width, self._setup.world.graphics.height

    def new_images(self) -> ImageMemory | None:
        """Memory for a program's pictures; None where there are no cameras."""
        if not self._picture_bytes:
            return None
        width, height = self.size
        return ImageMemory.create(
            width=width, height=height, size=self._picture_bytes, is_written_elsewhere=True
        )

    def new_memory(self, images: ImageMemory) -> "ProgramPictures":
        """The pictures of one program, which come into `images`."""
        self._memories += 1
        return ProgramPictures(self, self._memories, images)

    def add_renderer(self, drawer: ControlSocket) -> None:
        """Accepts a client that offers to draw."""
        self._offered.append(_Drawing(drawer))

    def order(self, memory: int, images: ImageMemory, wishes: list[PictureRequest]) -> int:
        """Orders pictures; starts a process where there is no renderer. Returns a number.

        Raises:
            OSError: the system starts no further process.
        """
        self._orders += 1
        self._refresh()
        self._hand_over(PictureOrder(self._orders, memory, tuple(wishes)), images)
        return self._orders

    def forget(self, number: int) -> None:
        """Drops the answer to an order of a program that has ended."""
        if self._ordered is not None and self._ordered.order.number == number:
            self._ordered = None

    def fileno(self) -> int:
        """A descriptor that is readable when there is an answer."""
        assert self._ordered is not None
        return self._ordered.drawing.control.fileno()

    def seconds_left(self) -> float:
        """Time for the answer before `answer` is due [s]."""
        assert self._ordered is not None
        return max(0.0, self._ordered.give_up_at - time.monotonic())

    def answer(self, number: int) -> PicturesDrawn | None:
        """The answer to an order, if it is there; None while it is drawn. Never waits.

        Raises:
            OSError: the system starts no further process.
        """
        ordered = self._ordered
        if ordered is None or ordered.order.number != number:
            return PicturesDrawn(number, failure=_ENDED)
        try:
            drawn = _next_answer(ordered)
        except ControlClosedError:
            return self._without(ordered.drawing)
        if drawn is not None and drawn.failure and ordered.drawing.process is None:
            # It may lack what this one kind of picture takes.
            self._draw_here(ordered.order, ordered.images)
            return None
        if drawn is not None:
            self._ordered = None
            if drawn.is_last:
                self._bury()
            return drawn
        if time.monotonic() <= ordered.give_up_at:
            return None
        watch = ordered.drawing.watch
        if watch is not None and watch.has_worked():
            self._ordered = replace(ordered, give_up_at=time.monotonic() + PICTURE_SECONDS)
            return None
        return self._without(ordered.drawing, is_too_slow=True)

    def close(self) -> None:
        """Ends the process at once, and those that it has started; the next order starts one."""
        for drawing in self._offered:
            drawing.control.close()
        self._offered.clear()
        self._kill()

    def _hand_over(self, order: PictureOrder, images: ImageMemory) -> None:
        """Gives an order to the newest client that offers to render, else to the own process."""
        while self._offered:
            try:
                self._give(self._offered[-1], order, images, OFFER_SECONDS)
                return
            except ControlClosedError:
                self._offered.pop().control.close()
        self._draw_here(order, images)

    def _draw_here(self, order: PictureOrder, images: ImageMemory) -> None:
        """Gives an order to the server's own process."""
        try:
            self._give(self._own or self._start(), order, images, PICTURE_SECONDS)
        except ControlClosedError:
            # It has ended since the last order, which is not known yet.
            self._bury()
            self._give(self._start(), order, images, PICTURE_SECONDS)

    def _give(
        self, drawing: _Drawing, order: PictureOrder, images: ImageMemory, seconds: float
    ) -> None:
        is_known = order.memory in drawing.memories
        drawing.control.send(order, () if is_known else (images.fd,))
        drawing.memories.add(order.memory)
        self._ordered = _Ordered(order, images, drawing, time.monotonic() + seconds)

    def _without(self, drawing: _Drawing, *, is_too_slow: bool = False) -> PicturesDrawn | None:
        """Continues without a renderer; another one draws the ordered pictures, if possible."""
        ordered, self._ordered = self._ordered, None
        assert ordered is not None
        if drawing.process is None:
            self._offered.remove(drawing)
            drawing.control.close()
            self._hand_over(ordered.order, ordered.images)
            return None
        if not is_too_slow:
            return PicturesDrawn(ordered.order.number, failure=self._bury())
        self._kill()
        reason = f"the pictures were not drawn within {PICTURE_SECONDS:g} s"
        return PicturesDrawn(ordered.order.number, failure=reason)

    def _start(self) -> _Drawing:
        ours, theirs = ControlSocket.pair()
        try:
            process = start_python(PICTURE_PROCESS, theirs)
        finally:
            theirs.close()
        self._own = _Drawing(ours, process, watch=WorkWatch(process.pid))
        ours.send(self._setup, (self._shared.fd,))
        return self._own

    def _kill(self) -> None:
        if self._own is not None and self._own.process is not None:
            # It leads its own session.
            with suppress(ProcessLookupError):
                os.killpg(self._own.process.pid, signal.SIGKILL)
            self._bury()

    def _bury(self) -> str:
        """Takes leave of the server's process that has closed its socket; says how it has ended."""
        drawing, self._own = self._own, None
        if drawing is None or drawing.process is None:
            return _ENDED
        drawing.control.close()
        try:
            code = drawing.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            drawing.process.kill()
            code = drawing.process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"{_ENDED} ({how}): the next call restarts it"


def _next_answer(ordered: _Ordered) -> PicturesDrawn | None:
    """The answer to an order, if it is there; those to orders that were forgotten are dropped.

    Raises:
        ControlClosedError: the renderer is gone.
    """
    control = ordered.drawing.control
    poll = select.poll()
    poll.register(control.fileno(), select.POLLIN)
    while poll.poll(0):
        message, _ = control.receive()
        assert isinstance(message, PicturesDrawn)
        if message.number == ordered.order.number:
            return message
    return None


_ENDED = "the process that draws pictures has ended"


class ProgramPictures:
    """The pictures of one program: ordered one after the other.

    Args:
        desk: has them drawn.
        memory: its number there.
        images: where they come in.
    """

    def __init__(self, desk: PictureScheduler, memory: int, images: ImageMemory) -> None:
        self._desk = desk
        self._memory = memory
        self._images = images
        self._wishes: list[PictureRequest] = []
        self._number: int | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether the program waits for pictures."""
        return self._number is not None

    def fileno(self) -> int:
        """A descriptor that is readable when they are there."""
        return self._desk.fileno()

    def seconds_left(self) -> float:
        """Time that they may still take [s]."""
        return self._desk.seconds_left()

    def order(self, wishes: list[PictureRequest]) -> pb.ServerMessage | None:
        """Orders pictures; a ServerMessage where they cannot be had, else None."""
        self._wishes = wishes
        try:
            self._number = self._desk.order(self._memory, self._images, wishes)
        except OSError as error:
            return _unable(error)
        return None

    def answer(self) -> pb.ServerMessage | None:
        """The ServerMessage with the pictures, or why there are none; None while they are drawn."""
        assert self._number is not None
        try:
            drawn = self._desk.answer(self._number)
        except OSError as error:
            self._number = None
            return _unable(error)
        if drawn is None:
            return None
        self._number = None
        if drawn.failure:
            return _refusal(drawn.failure)
        for wish, place in zip(self._wishes, drawn.places, strict=True):
            self._desk.on_drawn(wish, place, self._images)
        return images_message(drawn.places)

    def close(self) -> None:
        """Frees the memory here; an order that is under way is forgotten."""
        if self._number is not None:
            self._desk.forget(self._number)
        self._images.close()


def _refusal(reason: str) -> pb.ServerMessage:
    return refused_message(DeviceErrorCode.INVALID_OPERATION, f"no pictures: {reason}")


def _unable(error: OSError) -> pb.ServerMessage:
    return _refusal(f"no process to draw pictures can be started: {error.strerror}")
