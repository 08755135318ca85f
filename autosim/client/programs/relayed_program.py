"""One user program of a client: its process here, its place in the step there."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

import grpc

from autosim.client.link.participation import LEAVE_SECONDS
from autosim.client.programs.image_queue import ImageJob, ImageQueue
from autosim.model.commands import DeviceErrorCode
from autosim.model.notices import Notice, Severity
from autosim.model.state import State
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.camera_images import ImageMemory, PictureRequest
from autosim.userprogram.ipc.channel import (
    ChannelClosedError,
    ChannelError,
    ChannelTimeoutError,
)
from autosim.userprogram.ipc.program_messages import (
    MORE_FOLLOWS,
    client_drawing,
    images_message,
    leave_message,
    picture_requests_of,
    refused_message,
)
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.program_copy import CopyGoneError, ProgramCopy
from autosim.userprogram.process.program_process import ProgramProcess
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import PROGRAM_STOPPED, ROBOTS_CHANGED, WAS_STOPPED, WORLD_CHANGED

LISTEN_SECONDS = 0.25
"""Interval of checks for the server by a thread that waits for its program."""

END_SECONDS = 2.0
"""Longest time [s] that a program's process may take to end by itself, with its last output, before
it is killed."""

_COPY_SECONDS = 60.0
"""Longest time [s] that a program may take to make a copy of itself, on a busy machine."""

_ORDERS = {
    WAS_STOPPED: "the server was stopped",
    WORLD_CHANGED: "the server's world has changed",
    ROBOTS_CHANGED: "robots were added to the server's world or removed",
    PROGRAM_STOPPED: "it was stopped at the server",
}
"""Orders of users that end a program without its own fault."""

Report = Callable[[Notice], None]


class ProgramView:
    """View of one program: its state memory and its pictures."""

    def __init__(self, state: State, images: ImageMemory, desk: ImageQueue) -> None:
        self._state = state
        self._images = images
        self._desk = desk

    def take(self, data: bytes) -> None:
        """The state that the program works on from now on."""
        self._state.from_bitstream(data, digest=self._state.tree.digest)

    @property
    def draws(self) -> bool:
        """Whether this client draws; else the server does."""
        return self._desk.draws

    def take_pictures(self, images: pb.Images) -> None:
        """Takes over pictures that the server has had drawn."""
        self._images.fill(images.memory)
        images.ClearField("memory")

    def pictures(self, wishes: Sequence[PictureRequest]) -> pb.ServerMessage | None:
        """Renders pictures; returns the answer for the program, None: the server is to draw."""
        job = ImageJob(wishes, self._state, self._images)
        failure = self._desk.order(job)
        if failure:
            return refused_message(DeviceErrorCode.INVALID_OPERATION, failure)
        if job.is_passed_on:
            return None
        return images_message(job.places)


@dataclass(frozen=True, slots=True)
class NewLayout:
    """The world of a program with other robots, in which the program continues.

    `channel` leads to the server, for this program alone. `assignment`, `shared` and `images` go to
    its process; `view` is what it sees from then on.
    """

    channel: grpc.Channel
    digest: str
    """SHA-256 (hex) of the new tree's layout."""
    assignment: Assignment
    shared: SharedState
    images: ImageMemory
    view: ProgramView


class _StreamEndedError(Exception):
    """The server has closed the program's stream, or is gone."""


class RelayedProgram:
    """One program: its process here, its place in the step there, a thread between them.

    A program speaks and then waits for its answer, so one thread does for both directions.

    Args:
        process: of the program.
        name: its file, for messages.
        channel: to the server, for this program alone; closed at its end.
        view: what the program sees.
        report: told how it ends; called from another thread.
        before: the programs that it takes over from, which leave when this one is ready.
        renew: gives the world when its robots have changed, in which the program continues; None
            where its robot is gone. Called in another thread. Without it the program ends.
    """

    def __init__(
        self,
        process: ProgramProcess,
        *,
        name: str,
        channel: grpc.Channel,
        view: ProgramView,
        report: Report,
        before: "Sequence[RelayedProgram]" = (),
        renew: Callable[[], NewLayout | None] = lambda: None,
    ) -> None:
        self.name = name
        self.has_failed = False
        self._process = process
        self._view = view
        self._report = report
        self._before = before
        self._renew = renew
        self._attach = pb.Attach()
        self._awaited_step = 0
        self._copies: dict[str, ProgramCopy] = {}
        self._refusal = ""
        self._step = 0
        self._is_stopped = threading.Event()
        self._is_given_up = threading.Event()
        self._has_left = threading.Event()
        self._outgoing: SimpleQueue[pb.ProgramMessage | None] = SimpleQueue()
        self._channel = channel
        self._answers = SimulatorStub(channel).Participate(iter(self._outgoing.get, None))
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

    def leave(self) -> None:
        """Takes it out of the step, and waits until the server knows, if that takes notice."""
        self.stop()
        self._has_left.wait(LEAVE_SECONDS)

    def join(self) -> None:
        """Waits until it has ended; a server that does not take notice is left."""
        self._thread.join(LEAVE_SECONDS)
        self._is_given_up.set()
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
            self._has_left.set()
            self._outgoing.put(None)
            self._process.channel.close()
            self._process.wait(END_SECONDS)
            self._process.end()
            for copy in self._copies.values():
                copy.close()
            self._answers.cancel()
            self._channel.close()

    def _relay(self) -> None:
        while True:
            message = self._next_message()
            kind = message.WhichOneof("kind")
            if kind == "leave":
                # After a refusal its end is not news.
                self._leave(leave_message(reason=self._refusal) if self._refusal else message)
                return
            if kind == "image_request" and self._view.draws:
                self._outgoing.put(client_drawing(is_over=False))
                answer = self._draw(message.image_request)
                self._outgoing.put(client_drawing(is_over=True))
                if answer is not None:
                    self._process.channel.send(answer)
                    continue
            if kind == "attach":
                self._attach = message.attach
                self._take_over()
            elif kind == "wait":
                self._awaited_step = message.wait.until_step
            self._outgoing.put(message)
            if kind != "wait" or message.wait.until_step != MORE_FOLLOWS:
                self._pass_answer(is_fatal=kind != "image_request")

    def _draw(self, request: pb.ImageRequest) -> pb.ServerMessage | None:
        """The answer with pictures; a program that is being ended gets none. None: pass it on."""
        answer = self._view.pictures(picture_requests_of(request))
        if self._is_stopped.is_set():
            raise _StreamEndedError
        return answer

    def _take_over(self) -> None:
        for program in self._before:
            program.leave()
        self._before = ()

    def _next_message(self) -> pb.ProgramMessage:
        while True:
            try:
                message: pb.ProgramMessage = self._process.channel.receive(LISTEN_SECONDS)
                return message
            except ChannelTimeoutError:
                # One that still starts continues elsewhere with its first message.
                if not self._answers.is_active() and self._answers.details() != ROBOTS_CHANGED:
                    raise _StreamEndedError from None

    def _pass_answer(self, *, is_fatal: bool) -> None:
        """Passes on the server's next message; after some refusals nothing continues."""
        try:
            answer = self._final_answer()
        except _StreamEndedError:
            answer = self._continue_elsewhere()
        kind = answer.WhichOneof("kind")
        if kind == "turn_started":
            self._view.take(answer.turn_started.state)
            self._step = answer.turn_started.step
            answer.turn_started.ClearField("state")
        if kind == "images":
            self._view.take_pictures(answer.images)
        if kind == "refused" and is_fatal:
            self._refusal = answer.refused.reason
        self._process.channel.send(answer)

    def _final_answer(self) -> pb.ServerMessage:
        """The next message that is not about snapshots, which the program sleeps through."""
        while True:
            answer = self._next_answer()
            match answer.WhichOneof("kind"):
                case "snapshot_taken":
                    self._keep(answer)
                case "restored":
                    self._go_back(answer)
                case _:
                    return answer

    def _continue_elsewhere(self) -> pb.ServerMessage:
        """The answer of the world that continues this one with other robots.

        The program, which waits, notices nothing of it but a state of another layout. One that is
        being stopped joins, too, to leave: the run there waits for it.

        Raises:
            _StreamEndedError: the stream has ended for another reason, or its robot is gone.
        """
        if self._answers.details() != ROBOTS_CHANGED:
            raise _StreamEndedError
        layout = self._renew()
        if layout is None:
            raise _StreamEndedError
        for copy in self._copies.values():
            copy.close()
        self._copies.clear()
        self._outgoing.put(None)
        self._outgoing = SimpleQueue()
        self._channel.close()
        self._channel = layout.channel
        self._answers = SimulatorStub(layout.channel).Participate(iter(self._outgoing.get, None))
        self._attach.layout_digest = layout.digest
        self._outgoing.put(pb.ProgramMessage(attach=self._attach))
        if self._is_stopped.is_set():  # it may have told the stream before
            self.stop()
        if self._is_given_up.is_set():
            self._answers.cancel()
        answer = self._final_answer()
        if (
            answer.WhichOneof("kind") == "turn_started"
            and answer.turn_started.step < self._awaited_step
        ):
            self._outgoing.put(pb.ProgramMessage(wait=pb.Wait(until_step=self._awaited_step)))
            answer = self._final_answer()
        self._process.change_layout(layout.assignment, layout.shared, layout.images)
        self._view = layout.view
        return answer

    def _keep(self, message: pb.ServerMessage) -> None:
        """Has the program make a copy of itself that sleeps at a snapshot, or forgets one."""
        name = message.snapshot_taken.name
        if earlier := self._copies.pop(name, None):
            earlier.close()
        if message.snapshot_taken.is_dropped or self._process.copies_end_with_it:
            self._process.channel.send(message)
        elif copy := self._process.keep(name):
            is_asleep = False
            with suppress(TimeoutError):  # as with a program that cannot be copied
                is_asleep = copy.await_asleep(_COPY_SECONDS)
            if is_asleep:
                self._copies[name] = copy
            else:
                copy.close()

    def _go_back(self, message: pb.ServerMessage) -> None:
        if copy := self._copies.get(message.restored.name):
            try:
                self._process.go_back(copy)
            except CopyGoneError as error:
                raise ChannelClosedError from error
        else:
            self._process.channel.send(message)

    def _next_answer(self) -> pb.ServerMessage:
        try:
            answer: pb.ServerMessage = next(self._answers)
            return answer
        except (StopIteration, grpc.RpcError) as error:
            raise _StreamEndedError from error

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
        code, details = self._answers.code(), self._answers.details()
        if details in _ORDERS:
            self._say("warning", f"ended: {_ORDERS[details]}")
        else:
            stack = "" if code in _REFUSALS else self._process.end_with_stack()
            self._say("error", "\n".join(filter(None, (_reason(code, details), stack))))

    def _say(self, level: Severity, text: str) -> None:
        self.has_failed = self.has_failed or level == "error"
        self._report(Notice(level, self.name, self._step, text))


_REFUSALS = (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED)
"""Codes with which a server refuses a program before it drives: its stack explains nothing."""


def _reason(code: grpc.StatusCode, details: str) -> str:
    """Why the server's stream has ended; gRPC's own words for a lost one tell a user nothing."""
    if code is grpc.StatusCode.OK:
        return "the simulation released it"
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return "the server was lost"
    return details
