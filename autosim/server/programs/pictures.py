"""Pictures for the programs of a server, drawn by a process that it starts when one is wanted.

The server never imports what draws. While a program waits for its pictures the step waits for the
program, so that the state in the shared memory, which the process draws, is the program's.
"""

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autosim.config.descriptions import WorldDescription
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.simulation.commands import DeviceErrorCode
from autosim.userprogram.exchange.images import ImageMemory, Wish
from autosim.userprogram.exchange.messages import images_message, refused_message
from autosim.userprogram.exchange.picture_orders import (
    PICTURE_PROCESS,
    PictureOrder,
    PicturesDrawn,
    PictureSetup,
)
from autosim.userprogram.exchange.shared_state import SharedState
from autosim.world.compiled.compiled import CompiledWorld

PICTURE_SECONDS = 60.0
"""Longest time [s] that pictures may take. The first ones read the world and try which renderer
starts, and may wait for a processor."""

_END_SECONDS = 3.0
"""How long a process whose socket is closed may take to end, so that its exit can be named."""


@dataclass(slots=True)
class _Drawing:
    """A process that draws, with the numbers of the memories that it knows."""

    process: "subprocess.Popen[bytes]"
    control: ControlSocket
    memories: set[int]


class PictureDesk:
    """Has pictures drawn for all programs of a simulation.

    Args:
        world: what is simulated.
        compiled: its place: the file, or where it has none, itself.
        shared: the memory whose live state is drawn.
        seed: of the run, of which the noise of cameras follows.
    """

    def __init__(
        self,
        world: WorldDescription,
        compiled: Path | CompiledWorld,
        *,
        shared: SharedState,
        seed: int,
    ) -> None:
        self._setup = PictureSetup(world, compiled, seed)
        self._shared = shared
        self._drawing: _Drawing | None = None
        self._orders = self._memories = 0
        self._wanted: set[int] = set()
        self._answers: dict[int, PicturesDrawn] = {}

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels] of cameras without a resolution of their own."""
        return self._setup.world.graphics.width, self._setup.world.graphics.height

    @property
    def pid(self) -> int | None:
        """The process that draws, None while there is none."""
        return self._drawing.process.pid if self._drawing is not None else None

    def new_memory(self, images: ImageMemory) -> "ProgramPictures":
        """The pictures of one program, which come into `images`."""
        self._memories += 1
        return ProgramPictures(self, self._memories, images)

    def order(self, memory: int, images: ImageMemory, wishes: list[Wish]) -> int:
        """Orders pictures; the process is started where there is none. Returns a number.

        Raises:
            OSError: the system starts no further process.
        """
        self._orders += 1
        order = PictureOrder(self._orders, memory, tuple(wishes))
        drawing = self._drawing or self._start()
        try:
            self._send(drawing, order, images)
        except ControlClosedError:
            # It has ended since the last order, of which nobody has heard yet.
            self._bury()
            self._send(self._start(), order, images)
        self._wanted.add(order.number)
        return order.number

    def forget(self, number: int) -> None:
        """Drops the answer to an order of a program that has ended."""
        self._wanted.discard(number)
        self._answers.pop(number, None)

    def fileno(self) -> int:
        """A descriptor that is readable when there is an answer."""
        assert self._drawing is not None
        return self._drawing.control.fileno()

    def answer(self, number: int) -> PicturesDrawn | None:
        """The answer to an order, if it is there. Never waits."""
        while number not in self._answers and self._is_readable():
            assert self._drawing is not None
            try:
                message, _ = self._drawing.control.receive()
            except ControlClosedError:
                return PicturesDrawn(number, failure=self._bury())
            assert isinstance(message, PicturesDrawn)
            if message.number in self._wanted:
                self._answers[message.number] = message
        if number not in self._answers and self._drawing is None:
            return PicturesDrawn(number, failure=_ENDED)
        found = self._answers.get(number)
        if found is not None:
            self.forget(number)
            if found.is_last:
                self._bury()
        return found

    def close(self) -> None:
        """Ends the process at once, and those that it has started; the next order starts one."""
        if self._drawing is not None:
            # It leads a session of its own.
            with suppress(ProcessLookupError):
                os.killpg(self._drawing.process.pid, signal.SIGKILL)
            self._bury()

    def _is_readable(self) -> bool:
        if self._drawing is None:
            return False
        poll = select.poll()
        poll.register(self._drawing.control.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def _start(self) -> _Drawing:
        ours, theirs = ControlSocket.pair()
        try:
            process = start_python(PICTURE_PROCESS, theirs)
        finally:
            theirs.close()
        self._drawing = _Drawing(process, ours, set())
        ours.send(self._setup, (self._shared.fd,))
        return self._drawing

    def _send(self, drawing: _Drawing, order: PictureOrder, images: ImageMemory) -> None:
        is_known = order.memory in drawing.memories
        drawing.control.send(order, () if is_known else (images.fd,))
        drawing.memories.add(order.memory)

    def _bury(self) -> str:
        """Takes leave of a process that has closed its socket; says how it has ended."""
        drawing, self._drawing = self._drawing, None
        if drawing is None:
            return _ENDED
        drawing.control.close()
        try:
            code = drawing.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            drawing.process.kill()
            code = drawing.process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"{_ENDED} ({how}): the next call starts it anew"


_ENDED = "the process that draws pictures has ended"


class ProgramPictures:
    """The pictures of one program: ordered one after the other.

    Args:
        desk: has them drawn.
        memory: its number there.
        images: where they come in.
    """

    def __init__(self, desk: PictureDesk, memory: int, images: ImageMemory) -> None:
        self._desk = desk
        self._memory = memory
        self._images = images
        self._number: int | None = None
        self._until = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether the program waits for pictures."""
        return self._number is not None

    def fileno(self) -> int:
        """A descriptor that is readable when they are there."""
        return self._desk.fileno()

    def seconds_left(self) -> float:
        """How long they may still take [s]."""
        return max(0.0, self._until - time.monotonic())

    def order(self, wishes: list[Wish]) -> Any:
        """Orders pictures; a ServerMessage where they cannot be had, else None."""
        try:
            self._number = self._desk.order(self._memory, self._images, wishes)
        except OSError as error:
            return _refusal(f"no process to draw pictures can be started: {error.strerror}")
        self._until = time.monotonic() + PICTURE_SECONDS
        return None

    def answer(self) -> Any:
        """The ServerMessage with the pictures, or why there are none; None while they are drawn."""
        assert self._number is not None
        drawn = self._desk.answer(self._number)
        if drawn is None and self.seconds_left() == 0.0:
            self._desk.close()
            reason = f"the pictures were not drawn within {PICTURE_SECONDS:g} s"
            drawn = PicturesDrawn(self._number, failure=reason)
        if drawn is None:
            return None
        self._number = None
        if drawn.failure:
            return _refusal(drawn.failure)
        return images_message(drawn.places)

    def close(self) -> None:
        """Frees the memory here; an order that is under way is forgotten."""
        if self._number is not None:
            self._desk.forget(self._number)
        self._images.close()


def _refusal(reason: str) -> Any:
    return refused_message(DeviceErrorCode.INVALID_OPERATION, f"no pictures: {reason}")
