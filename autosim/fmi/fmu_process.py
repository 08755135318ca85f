"""An FMU in its own process: what crashes or hangs there leaves this process unharmed.

A copy of this process (fork) does not share the FMU: it starts its own one, in the state that was
saved before the copy was made (`hold_all`).
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakSet

from autosim.fmi.fmu import FmuError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python

HOST_MODULE = "autosim.fmi.fmu_host"
"""The module that is the whole life of the process."""

MAX_ANSWER_SECONDS = 60.0
"""Time [s] in which an FMU has to start, or to compute a step, before it is given up."""

_END_SECONDS = 5.0
"""Time [s] for the process to end in order before it is killed."""


@dataclass(frozen=True, slots=True)
class FmuState:
    """State of an FMU at `time` [s], as the FMU serialises it; empty `data`: it has failed."""

    time: float
    """Simulated time [s]."""
    data: bytes
    """The bytes of the FMU."""


@dataclass(frozen=True, slots=True)
class FmuOrder:
    """Order to start an FMU.

    `start`: values of parameters and inputs at the start. `inputs` and `outputs`: the variables
    that each step exchanges, in this order. `time` [s] is that of the start; a `state` replaces it.
    """

    path: Path
    """Path of the FMU."""
    start: tuple[tuple[str, float], ...]
    """Start values by the names of their variables."""
    inputs: tuple[str, ...]
    """Variables that are set before each step."""
    outputs: tuple[str, ...]
    """Variables that are read after each step."""
    time: float = 0.0
    """Simulated time [s] of the start."""
    state: FmuState | None = None
    """The state in which it continues."""


@dataclass(frozen=True, slots=True)
class FmuStep:
    """Order to set the inputs to `values` and to compute the next `seconds`."""

    values: tuple[float, ...]
    """Values of the inputs, in the order of `FmuOrder.inputs`."""
    seconds: float
    """Length of the step [s]."""


@dataclass(frozen=True, slots=True)
class SaveFmu:
    """Order to send the state."""


@dataclass(frozen=True, slots=True)
class FmuFailure:
    """Answer of an FMU that has failed."""

    reason: str
    """The reason, for the user."""


class FmuProcess:
    """A co-simulation FMU in its own process. Close it at the end.

    Args:
        order: what the FMU is started with.

    Raises:
        FmuError: it cannot be started.

    `outputs` (n,) are the newest values of the outputs, at first those of the initial state.
    """

    def __init__(self, order: FmuOrder) -> None:
        self._order = order
        self._held: FmuState | None = None
        self._control: ControlSocket | None
        self._process: subprocess.Popen[bytes]
        self._is_closed = False
        self.outputs: tuple[float, ...] = ()
        self._start(order)
        _live.add(self)

    @property
    def path(self) -> Path:
        """Path of the FMU."""
        return self._order.path

    def begin(self, values: Sequence[float], seconds: float) -> None:
        """Has the FMU compute its next step, in parallel with this process.

        Args:
            values: of the inputs.
            seconds: length of the step [s].

        Raises:
            FmuError: its process has ended.
        """
        if self._control is None:
            self._restart()
        self._send(FmuStep(tuple(values), seconds))

    def finish(self) -> tuple[float, ...]:
        """Values of the outputs after the step that was begun; waits for them.

        Raises:
            FmuError: the step has failed, or the process has ended.
        """
        outputs = self._receive()
        assert isinstance(outputs, tuple)
        self.outputs = outputs
        return self.outputs

    def save(self) -> FmuState:
        """The state of the FMU, between two steps.

        Raises:
            FmuError: the FMU cannot save its state.
        """
        if self._control is None:
            self._restart()
        self._send(SaveFmu())
        state = self._receive(is_lasting=True)
        assert isinstance(state, FmuState)
        return state

    def restore(self, state: FmuState) -> None:
        """Continues from a state that `save` has returned, between two steps.

        Raises:
            FmuError: the FMU cannot be started in this state.
        """
        self.close()
        self._start(FmuOrder(*_parts(self._order), time=state.time, state=state))
        _live.add(self)

    def hold(self) -> None:
        """Saves the state for copies of this process; raises as `save` does."""
        if not self.is_closed:
            self._held = self.save()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed here; a copy of this process may start its own FMU."""
        return self._is_closed

    def abandon(self) -> None:
        """In a copy of this process: leaves the FMU to the original."""
        if self._control is not None:
            self._control.close()
            self._process.returncode = 0  # it is not a child of this process
            self._control = None

    def close(self) -> None:
        """Ends the FMU and its process."""
        self._is_closed = True
        _live.discard(self)
        if self._control is None:
            return
        self._control.close()
        self._control = None
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _restart(self) -> None:
        if self._held is None or self._is_closed:
            raise FmuError(f"{self.path}: the state of this FMU was not saved for this process")
        self._start(FmuOrder(*_parts(self._order), time=self._held.time, state=self._held))

    def _start(self, order: FmuOrder) -> None:
        self._is_closed = False
        ours, theirs = ControlSocket.pair()
        self._control = ours
        self._process = start_python(HOST_MODULE, theirs)
        theirs.close()
        ours.set_timeout(MAX_ANSWER_SECONDS)
        self._send(order)
        self.finish()

    def _send(self, message: object) -> None:
        assert self._control is not None
        try:
            self._control.send(message)
        except (ControlClosedError, TimeoutError) as error:
            raise self._lost(error) from error

    def _receive(self, *, is_lasting: bool = False) -> object:
        assert self._control is not None
        try:
            answer = self._control.receive()[0]
        except (ControlClosedError, TimeoutError) as error:
            raise self._lost(error) from error
        if isinstance(answer, FmuFailure):
            if not is_lasting:
                self.close()
            raise FmuError(answer.reason)
        return answer

    def _lost(self, error: Exception) -> FmuError:
        if isinstance(error, TimeoutError):
            self._process.kill()
            reason = f"has not answered for {MAX_ANSWER_SECONDS:g} s, and was ended"
        else:
            reason = "its process has ended: the FMU has crashed"
        self.close()
        return FmuError(f"{self.path}: {reason}")


def hold_all() -> None:
    """Saves the states of all FMUs of this process, before a copy of it is made.

    Raises:
        FmuError: one of them cannot save its state; the message names it.
    """
    for each in list(_live):
        each.hold()


def close_all() -> None:
    """Ends all FMUs of this process."""
    for each in list(_live):
        each.close()


def _parts(
    order: FmuOrder,
) -> tuple[Path, tuple[tuple[str, float], ...], tuple[str, ...], tuple[str, ...]]:
    return order.path, order.start, order.inputs, order.outputs


_live: "WeakSet[FmuProcess]" = WeakSet()
"""The FMUs of this process."""


def _abandon_all() -> None:
    for each in list(_live):
        each.abandon()


os.register_at_fork(after_in_child=_abandon_all)
