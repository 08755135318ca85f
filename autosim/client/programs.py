"""User programs that run on a client: the same files, in lockstep over the network.

A program runs in a process of its own over shared memory, as on the server. Here the memory is
filled with the state that comes along when the simulation wakes the program; the simulation
stands still until the program's next wait.
"""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc

from autosim.client.images import ImageDesk, ImageJob, Render
from autosim.client.mirror import Mirror
from autosim.client.participation import LEAVE_SECONDS
from autosim.simulation.commands import DeviceErrorCode
from autosim.simulation.notices import Level, Notice
from autosim.simulation.state import State
from autosim.userprogram.assignment import DEFAULT_MEMORY_BYTES, Assignment
from autosim.userprogram.channel import ChannelClosedError, ChannelError, ChannelTimeoutError
from autosim.userprogram.images import ImageMemory
from autosim.userprogram.messages import (
    MORE_FOLLOWS,
    image_message,
    leave_message,
    refused_message,
)
from autosim.userprogram.process import ProgramProcess
from autosim.userprogram.shared_state import SharedState
from autosim.userprogram.tree_codec import tree_to_bytes
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub

LISTEN_SECONDS = 0.25
"""How often a thread that waits for its program looks whether the server is still there."""

END_SECONDS = 2.0
_POLL_SECONDS = 0.02

Report = Callable[[Notice], None]


class ClientPrograms:
    """The user programs of one client. Use as a context manager, in the thread that draws.

    The programs end with the thread that launches them.

    Args:
        mirror: connected to the server.
        world_file: the compiled world, for programs that navigate.
        image_size: width and height [pixels] of the pictures that programs get.
        render: draws them; called by `serve_pending`. None: no pictures.
        report: told how programs end; called from other threads.
    """

    def __init__(
        self,
        mirror: Mirror,
        *,
        world_file: Path | None = None,
        image_size: tuple[int, int] = (640, 480),
        render: Render | None = None,
        report: Report = lambda notice: None,
    ) -> None:
        self._mirror = mirror
        self._world_file = world_file
        self._image_size = image_size
        self._desk = ImageDesk(render)
        self._report = report
        self._programs: list[RelayedProgram] = []

    def launch(
        self,
        program: Path,
        *,
        robot: str,
        arguments: Sequence[str] = (),
        memory_limit: int = DEFAULT_MEMORY_BYTES,
    ) -> None:
        """Starts `program` for `robot` (its `argv[0]`), with `arguments` after it.

        It takes part in the step from its first `wait` on. `memory_limit` [bytes] is that of its
        address space.
        """
        tree, (width, height) = self._mirror.tree, self._image_size
        assignment = Assignment(
            program=str(program.absolute()),
            robot=robot,
            arguments=tuple(arguments),
            tree=tree_to_bytes(tree).decode(),
            step_seconds=self._mirror.step_seconds,
            world_file=str(self._world_file or ""),
            memory_bytes=memory_limit,
            image_size=self._image_size,
        )
        shared = SharedState.create(tree.stop)
        images = ImageMemory.create(width=width, height=height)
        self._programs.append(
            RelayedProgram(
                ProgramProcess.start(assignment, state=shared, images=images),
                name=str(program),
                stub=self._mirror.connection.stub,
                view=ProgramView(State(tree, shared.live), images, self._desk),
                report=self._report,
            )
        )

    @property
    def running(self) -> tuple[str, ...]:
        """The files of the programs that have not ended."""
        return tuple(each.name for each in self._programs if each.is_running)

    def wait_until_attached(self, timeout: float = 60.0) -> bool:
        """Waits until the simulation knows of all programs; whether it does within `timeout` [s].

        A run that is to be repeatable begins after this.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self._mirror.connection.status().programs >= len(self.running):
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def serve_pending(self, timeout: float = 0.0) -> bool:
        """Draws the pictures that programs wait for; to be called by the loop that draws.

        Args:
            timeout: how long to wait for the first one [s].

        Returns:
            whether there was one.
        """
        return self._desk.serve(timeout)

    def close(self) -> None:
        """Ends the programs."""
        self._desk.close()
        for program in self._programs:
            program.stop()
        for program in self._programs:
            program.join()

    def __enter__(self) -> "ClientPrograms":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class ProgramView:
    """What one program sees: its state memory and its pictures."""

    def __init__(self, state: State, images: ImageMemory, desk: ImageDesk) -> None:
        self._state = state
        self._images = images
        self._desk = desk

    def take(self, data: bytes) -> None:
        """The state that the program works on from now on."""
        self._state.from_bitstream(data, digest=self._state.tree.digest)

    def picture(self, camera: str) -> Any:
        """Has a picture drawn; returns the answer for the program."""
        failure = self._desk.order(ImageJob(camera, self._state, self._images))
        if failure:
            return refused_message(DeviceErrorCode.INVALID_OPERATION, failure)
        return image_message(width=self._images.width, height=self._images.height)


class _StreamEndedError(Exception):
    """The server has closed the program's stream, or is gone."""


class RelayedProgram:
    """One program: its process here, its place in the step there, a thread between them.

    A program speaks and then waits for its answer, so one thread does for both directions.
    """

    def __init__(
        self,
        process: ProgramProcess,
        *,
        name: str,
        stub: SimulatorStub,
        view: ProgramView,
        report: Report,
    ) -> None:
        self.name = name
        self._process = process
        self._view = view
        self._report = report
        self._refusal = ""
        self._step = 0
        self._is_stopped = threading.Event()
        self._outgoing: SimpleQueue[pb.ProgramMessage | None] = SimpleQueue()
        self._answers: Any = stub.Participate(iter(self._outgoing.get, None))
        self._thread = threading.Thread(target=self._run, name=f"program {name}", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Takes it out of the step; its robot brakes."""
        self._is_stopped.set()
        self._outgoing.put(leave_message(reason="ended by its client", has_failed=False))
        self._outgoing.put(None)

    def join(self) -> None:
        """Waits until it has ended; a server that does not take notice is left."""
        self._thread.join(LEAVE_SECONDS)
        self._answers.cancel()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._relay()
        except ChannelClosedError:
            self._vanished()
        except ChannelError as error:
            self._leave(leave_message(reason=str(error)))
        except _StreamEndedError:
            self._dropped()
        finally:
            self._outgoing.put(None)
            self._process.channel.close()
            self._process.wait(END_SECONDS)
            self._process.end()
            self._answers.cancel()

    def _relay(self) -> None:
        while True:
            message = self._next_message()
            kind = message.WhichOneof("kind")
            if kind == "leave":
                # That it could not go on after a refusal is no news.
                self._leave(leave_message(reason=self._refusal) if self._refusal else message)
                return
            if kind == "image_request":
                self._process.channel.send(self._view.picture(message.image_request.camera))
                continue
            self._outgoing.put(message)
            if kind != "wait" or message.wait.until_step != MORE_FOLLOWS:
                self._pass_answer()

    def _next_message(self) -> Any:
        while True:
            try:
                return self._process.channel.receive(LISTEN_SECONDS)
            except ChannelTimeoutError:
                if not self._answers.is_active():
                    raise _StreamEndedError from None

    def _pass_answer(self) -> None:
        try:
            answer = next(self._answers)
        except (StopIteration, grpc.RpcError) as error:
            raise _StreamEndedError from error
        kind = answer.WhichOneof("kind")
        if kind == "woken":
            self._view.take(answer.woken.state)
            self._step = answer.woken.step
            answer.woken.ClearField("state")
        if kind == "refused":
            self._refusal = answer.refused.reason
        self._process.channel.send(answer)

    def _leave(self, message: pb.ProgramMessage) -> None:
        """Tells the server, waits until it knows, and tells people."""
        self._outgoing.put(message)
        self._outgoing.put(None)
        leave = message.leave
        try:
            for _ in self._answers:
                pass
        except grpc.RpcError:
            self._say("warning", "the server was lost before it knew of the program's end")
        text = "\n".join(filter(None, (leave.reason, leave.traceback)))
        self._say("error" if leave.has_failed else "info", text)

    def _vanished(self) -> None:
        self._process.wait(END_SECONDS)
        how = self._process.end()
        stack = self._process.stack()
        self._leave(leave_message(reason=self._refusal or how, traceback=stack))

    def _dropped(self) -> None:
        if self._is_stopped.is_set():
            return
        stack = self._process.end_with_stack()
        code, details = self._answers.code(), self._answers.details()
        is_over = code is grpc.StatusCode.OK
        reason = "the simulation let go of it" if is_over else f"the server was lost: {details}"
        self._say("error", "\n".join(filter(None, (reason, stack))))

    def _say(self, level: Level, text: str) -> None:
        self._report(Notice(level, self.name, self._step, text))
