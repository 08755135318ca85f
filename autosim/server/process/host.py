"""The front's end of the simulation process: starts it, talks to it, notices how it ends."""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Callable
from itertools import count
from typing import cast

from autosim.engine.peer_limits import LIMITS
from autosim.engine.step.run_monitor import RunFigures
from autosim.errors import UserError
from autosim.helper_processes.nonblocking_output import Hear, ProgramOutput
from autosim.helper_processes.printed_lines import PrintedLines
from autosim.helper_processes.process_activity import activity_of
from autosim.helper_processes.process_socket import (
    ControlClosedError,
    ControlSocket,
    MessageLostError,
)
from autosim.helper_processes.start import start_python
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.orders.base_order import AnswerT, Order
from autosim.records.recorder import RecordProcess
from autosim.server.process.outbox import Outbox
from autosim.server.process.process_end import STOP_SECONDS, describe_end, in_time
from autosim.server.process.process_messages import (
    Awake,
    CommandsQueued,
    Done,
    Failed,
    GetFigures,
    HandedOver,
    HandOver,
    Loaded,
    OutputPipes,
    PhaseChanged,
    Printout,
    QueryResult,
    Release,
    Request,
    Retire,
    Setup,
    Stop,
    TakeOver,
    Waking,
)
from autosim.server.process.successors.dormant import Wake
from autosim.server.process.successors.succession import Succession
from autosim.server.server_errors import ServerError, SimulationCrashedError
from autosim.system_limits import explain_shortage
from autosim.userprogram.ipc.shared_state import SharedState

SIMULATION_PROCESS = "autosim.server.process.simulation_process"
"""The module that such a process runs."""

_OWN_OUTPUT = "server output"
"""Source of what the simulation process itself prints, and programs in threads of it."""

_GONE_BACK = "the run has gone back to an earlier step meanwhile: order it again"
"""Why a request is not answered that came while one process followed another."""


class SimulationHost:
    """The running simulation process. All methods belong to the thread of one event loop.

    Args:
        setup: what to simulate.
        outbox: shared with the process.
        bell: the eventfd that the process rings.
        on_notice: called with the messages of the simulation for the user.
        on_output: called with each line that is printed, and with what has printed it.
        recorder: the process that records the run, where `setup` says so.
        on_change: called after the phase changed or the process took commands.

    `is_recorded`: whether output belongs into a record. `silence`: the message that the process
    does not answer, for reports; "" if it does.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        outbox: Outbox,
        bell: int,
        on_notice: Callable[[Notice], None],
        on_output: Callable[[str, str], None],
        on_change: Callable[[], None],
        recorder: RecordProcess | None = None,
    ) -> None:
        self.phase = Phase.LOADING
        self.last_step = -1
        self.loaded: Loaded | None = None
        self.is_taking = False
        self.silence = ""
        self._on_notice, self._on_output = on_notice, on_output
        self._on_change = on_change
        self._numbers = count(1)
        self._replies: dict[int, asyncio.Future[object]] = {}
        self._failure = ""
        self._is_stopping = self._is_retiring = False
        self._heir: SimulationHost | None = None
        self._state: SharedState | None = None
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._control, self._theirs = ControlSocket.pair()
        self._retired: list[ControlSocket] = []
        self._awake: asyncio.Future[None] | None = None
        self._process = start_python(SIMULATION_PROCESS, self._theirs, output=subprocess.PIPE)
        self.is_recorded = setup.record is not None
        self._output = ProgramOutput(self._process, hears=self._hears(_OWN_OUTPUT))
        self._theirs.close()
        self._pid, self._succession = self._process.pid, Succession()
        recorded = recorder.outlets.descriptors if recorder else ()
        self._control.send(setup, (outbox.descriptor, bell, *recorded))
        self._control.set_blocking(False)
        self._loop.add_reader(self._control.fileno(), self._receive)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._pid

    def live_state(self) -> bytes:
        """The state in the simulation's own memory: whole only while it stands still.

        Raises:
            ServerError: the system lets this process open no further file.
        """
        if self._state is None:
            self._state = self._open_state()
        return bytes(self._state.live)

    def _open_state(self) -> SharedState:
        assert self.loaded is not None
        path = f"/proc/{self.pid}/fd/{self.loaded.state_descriptor}"
        try:
            return SharedState.open(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:
            reason = explain_shortage(error) or str(error)
            raise ServerError(f"the simulation's state cannot be read: {reason}") from error

    def _hears(self, source: str) -> tuple[Hear, Hear]:
        """Receivers of the output and the error output of `source`, in other threads."""

        def taker() -> Hear:
            lines = PrintedLines(LIMITS.printed_lines, LIMITS.notice_characters)

            def take(data: bytes) -> None:
                found = lines.take(data)
                if not (found or self._newest.is_recorded):
                    return
                with contextlib.suppress(RuntimeError):  # the event loop has ended
                    self._loop.call_soon_threadsafe(self._pass_output, source, data, found)

            return take

        return taker(), taker()

    def _pass_output(self, source: str, data: bytes, lines: list[str]) -> None:
        """Passes on what is printed: as messages, and into the record."""
        newest = self._newest
        for line in lines:
            newest._on_output(source, line)
        if data and newest.is_recorded:
            # A process that is gone, or does not listen, records nothing.
            with contextlib.suppress(ServerError):
                newest.send(Printout(data.decode("utf-8", "replace"), source))

    def send(self, message: object, descriptors: tuple[int, ...] = ()) -> None:
        """Sends a message that is not answered.

        Raises:
            ServerError: the process is gone, or has stopped listening.
        """
        if self._heir is not None:
            raise ServerError("a robot is being added or removed: try again")
        try:
            self._control.send(message, descriptors)
        except (ControlClosedError, BlockingIOError) as error:
            text = _GONE_BACK if self._is_retiring else "the simulation process does not listen"
            raise ServerError(text) from error
        except OSError as error:
            reason = explain_shortage(error) or str(error)
            raise ServerError(f"the simulation process cannot be reached: {reason}") from error

    async def ask(self, order: Order[AnswerT], descriptors: tuple[int, ...] = ()) -> AnswerT:
        """Sends an order and waits until it is done.

        It waits as long as the process lives: one that is late may be stopped, or short of
        processor time. `silence` says so; a caller that does not want to wait sets a limit.

        Returns:
            its answer, of the type that the order states.

        Raises:
            ServerError: the process is gone, or does not listen.
            ProgramOrderError: an order to a program cannot be carried out.
            PlacementError: a robot cannot stand where it was ordered to.
            RecordError: the run cannot be recorded.
        """
        # The handlers of the simulation process send an answer of that type.
        return cast("AnswerT", await self._send(order, descriptors))

    def _send(
        self, order: Order[object], descriptors: tuple[int, ...] = ()
    ) -> asyncio.Future[object]:
        """Sends an order, as `ask`, and returns what its answer comes with.

        Raises:
            ServerError: the process is gone, or does not listen.
        """
        request = Request(next(self._numbers), order)
        self.send(request, descriptors)
        reply: asyncio.Future[object] = self._loop.create_future()
        self._replies[request.number] = reply
        reply.add_done_callback(lambda _: self._replies.pop(request.number))
        return reply

    async def figures(self) -> RunFigures:
        """The figures of the run so far."""
        return await self.ask(GetFigures())

    async def retire(self, since: int, running: tuple[int, ...] = ()) -> HandedOver:
        """Ends the process, which another one will follow; see `follow`.

        Args:
            since: inputs after this number of steps or later are returned.
            running: the processes of user programs that continue with the following process.

        Raises:
            ServerError: the process is gone, or does not answer.
            OSError: too many files are open; the process continues then.
        """
        self._succession.reserve()
        self._is_retiring = True
        try:
            return await self.ask(Retire(since, running))
        finally:
            self._is_retiring = False
            self._succession.release()

    async def hand_over(self, heir: "SimulationHost", robots: tuple[str, ...]) -> None:
        """Hands the user programs of `robots` over to another process.

        The process remains, as their parent, until they have ended: `release` it next.

        Raises:
            ServerError: the other process is gone, and this one continues unchanged; or this one is
                gone.
        """
        ours, theirs = ControlSocket.pair()
        try:
            taken = heir._send(TakeOver(), (theirs.fileno(),))
            given = self._send(HandOver(robots), (ours.fileno(),))
        finally:
            # The processes have duplicates, and each notices by its own that the other is gone.
            ours.close()
            theirs.close()
        _, refused = failures = await asyncio.gather(taken, given, return_exceptions=True)
        if refused is not None:
            raise next(each for each in failures if isinstance(each, BaseException))
        # A process that ends after it has taken over is the world's, and `ended` reports it.
        self._heir, self._is_stopping = heir, True
        self._on_change = lambda: None

    def release(self) -> None:
        """Makes the process end with the programs whose parent it is, after `hand_over`."""
        with contextlib.suppress(ControlClosedError, OSError):
            self._control.send(Release())

    @property
    def has_heir(self) -> bool:
        """Whether it has handed its programs over."""
        return self._heir is not None

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, and all that were its predecessors."""
        return self._ended.done() and not self._retired

    @property
    def _newest(self) -> "SimulationHost":
        """The one that simulates what was simulated here."""
        newest = self
        while newest._heir is not None:
            newest = newest._heir
        return newest

    async def follow(self, leash: ControlSocket, order: Wake) -> None:
        """Continues with a copy of the process that wakes.

        Args:
            leash: the socket to the sleeping copy.
            order: for it.

        Raises:
            ServerError: the copy is gone, or cannot continue.
        """
        self._awake = self._loop.create_future()
        try:
            leash.send(order, (self._theirs.fileno(),))
        except ControlClosedError as error:
            raise ServerError("the process of that snapshot is gone") from error
        finally:
            self._theirs.close()
        await asyncio.wait((self._awake, self._ended), return_when=asyncio.FIRST_COMPLETED)
        if not self._awake.done():
            raise ServerError("the copy of the simulation process cannot continue")
        self._awake = None

    async def ended(self) -> None:
        """Waits for the end of the process.

        Raises:
            SimulationCrashedError: it was not told to end.
        """
        await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Ends the process: by a message, then by SIGTERM, then by SIGKILL."""
        self._is_stopping = True
        is_free = self.phase is not Phase.LOADING and self._heir is None
        hears = is_free and not activity_of(self._pid).is_stopped
        if not self._ended.done() and hears:
            with contextlib.suppress(TimeoutError, ServerError):
                await in_time(self.ask(Stop()), self._pid)
                await in_time(self.ended(), self._pid)
        for control in self._retired:
            self._loop.remove_reader(control.fileno())
            control.close()
        self._retired.clear()
        self._succession.kill()
        for end in (self._process.terminate, self._process.kill):
            if self._process.poll() is not None:
                break
            if end == self._process.kill or not activity_of(self._process.pid).is_stopped:
                end()
                await self._wait(STOP_SECONDS)
        await asyncio.wait((self._ended,), timeout=STOP_SECONDS)
        await self._loop.run_in_executor(None, self._output.close)
        if self._state is not None:
            self._state.close()

    async def _wait(self, seconds: float) -> None:
        def wait() -> None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)

        await self._loop.run_in_executor(None, wait)

    def _receive(self) -> None:
        try:
            while True:
                message, descriptors = self._control.receive()
                self._handle(message, descriptors)
        except BlockingIOError:
            return
        except MessageLostError as error:
            # The lost message may be an answer: of the others, only reports of a program's
            # output comes with files.
            self._fail_replies(f"the server cannot take what its simulation answers: {error}")
        except ControlClosedError:
            self._loop.remove_reader(self._control.fileno())
            self._control.close()
            self._conclusion = asyncio.ensure_future(self._conclude())

    def _part(self, number: int) -> None:
        """Listens to the process no more, and lays the connection to the one that follows.

        Args:
            number: of the request that it has answered: the others have gone with it.
        """
        self._loop.remove_reader(self._control.fileno())
        # Its user programs survive it, and continue with the process that follows.
        self._retired.append(self._control)
        self._loop.add_reader(self._control.fileno(), self._let_go, self._control)
        self._control, self._theirs = self._succession.take_connection()
        self._control.set_blocking(False)
        self._loop.add_reader(self._control.fileno(), self._receive)
        self.is_taking = False
        self._fail_replies(_GONE_BACK, but=number)

    def _let_go(self, control: ControlSocket) -> None:
        """Closes the connection to a process that another one has followed, once it has ended."""
        try:
            control.receive()
        except BlockingIOError:
            return
        except ControlClosedError:
            self._loop.remove_reader(control.fileno())
            control.close()
            self._retired.remove(control)
            # The one that this process has started is its child, and a zombie until it is waited
            # for.
            self._reaping = asyncio.ensure_future(self._wait(STOP_SECONDS))

    def _fail_replies(self, text: str, *, but: int = 0) -> None:
        for number, reply in self._replies.items():
            if number != but and not reply.done():
                reply.set_exception(ServerError(text))

    def _handle(self, message: object, descriptors: tuple[int, ...]) -> None:
        match message:
            case Notice():
                self._on_notice(message)
            case OutputPipes():
                output, errors = descriptors
                self._output.add((output, errors), self._hears(message.source))
            case Loaded():
                self.loaded = message
            case PhaseChanged():
                self.last_step = message.last_step
                self._enter(message.phase)
            case Done():
                self._be_done(message)
            case QueryResult():
                self._take_answer(message)
            case CommandsQueued():
                self.is_taking = False
                self._on_change()
            case Waking() | Awake():
                self._be_followed(message)
            case Failed():
                self._failure = message.traceback

    def _take_answer(self, message: QueryResult) -> None:
        if isinstance(message.answer, HandedOver):
            self._part(message.number)
        self._answer(message.number, message.answer)

    def _be_followed(self, message: Waking | Awake) -> None:
        """Switches to the process that follows, which continues once it is awake."""
        if isinstance(message, Awake):
            if self._awake is not None:
                self._awake.set_result(None)
            return
        self._pid = message.pid
        self._succession.follow(message.pid)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._on_change()

    def _be_done(self, done: Done) -> None:
        if done.stands:
            self._enter(Phase.PAUSED)
        self._answer(done.number, None)

    def _answer(self, number: int, answer: object) -> None:
        reply = self._replies.get(number)
        if reply is None or reply.done():
            return
        if isinstance(answer, UserError):
            reply.set_exception(answer)
        else:
            reply.set_result(answer)

    async def _conclude(self) -> None:
        code = None
        if not self._succession.has_process:
            await self._wait(STOP_SECONDS)
            code = self._process.poll()
        if self._heir is not None:
            await self._loop.run_in_executor(None, self._output.close)
            self._succession.kill()
        self.phase = Phase.STOPPED
        failure = SimulationCrashedError(self._failure or describe_end(code))
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(failure)
        if self._is_stopping and not self._failure:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(failure)
            # `ended` raises it; asyncio must not complain if the end is not awaited.
            self._ended.exception()
        self._on_change()
