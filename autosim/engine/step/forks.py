"""A simulation in a Python program that is tried out from one moment in several ways."""

import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, Self, TypeVar, cast

from autosim.engine.programs.lockstep import Lockstep
from autosim.errors import UserError
from autosim.fmi.fmu import FmuError
from autosim.fmi.fmu_process import hold_all
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.model.state import State

T = TypeVar("T")


class ForkError(UserError):
    """A simulation cannot be copied, or what was run on a copy has failed."""


class Forkable(Protocol):
    """A simulation with what a fork has to know of it: its user programs and its state."""

    @property
    def participants(self) -> Lockstep:
        """The user programs."""

    @property
    def state(self) -> State:
        """The current state."""


class Fork:
    """A copy of a simulation at one moment, equal to it to the last bit. Use as a context manager.

    It is a copy of the whole process, which sleeps: so it has everything that the program had then,
    and costs the memory that the program changes afterwards.

    Args:
        simulation: between two steps, without user programs that run in threads.

    Raises:
        ForkError: it has such programs, an FMU cannot save its state, or the system has no room for
            another process.
    """

    def __init__(self, simulation: Forkable) -> None:
        if names := simulation.participants.in_threads:
            raise ForkError(f"{', '.join(names)} runs in a thread, which cannot be copied")
        try:
            hold_all()
        except FmuError as error:
            raise ForkError(f"the simulation cannot be copied: {error}") from error
        self._control, theirs = ControlSocket.pair()
        try:
            pid = os.fork()
        except OSError as error:
            raise ForkError(f"the simulation cannot be copied: {error.strerror}") from error
        if pid == 0:
            self._control.close()
            _sleep(theirs, simulation)
        theirs.close()
        self._pid = pid
        self.step = simulation.state.step

    def run(self, function: "Callable[..., T]", *arguments: object) -> T:
        """Calls `function(simulation, *arguments)` on a copy of the copy, and returns its result.

        The snapshot is not changed: each call begins from it again.

        Args:
            function: of a module: it is found by its name in the copy.
            arguments: can be pickled, as the result can.

        Raises:
            ForkError: the function has raised something; the message holds its traceback.
        """
        return self._run([(function, arguments)], 1)[0]

    def map(
        self, function: "Callable[..., T]", items: Iterable[object], *, at_once: int = 0
    ) -> list[T]:
        """Calls `function(simulation, item)` for each item, as `run` does, some in parallel.

        Args:
            function: as `run` takes it.
            items: can be pickled, as the results can.
            at_once: number of calls in parallel; 0: as many as there are processors.

        Returns:
            the results, in the order of the items.

        Raises:
            ForkError: as `run`; no further call is begun, and those under way come to their ends.
        """
        return self._run([(function, (item,)) for item in items], at_once or os.cpu_count() or 1)

    def _run(
        self, orders: "list[tuple[Callable[..., T], tuple[object, ...]]]", at_once: int
    ) -> list[T]:
        results: dict[int, T] = {}
        failure, begun, ended = "", 0, 0
        while ended < (begun if failure else len(orders)):
            if begun < len(orders) and begun - ended < at_once and not failure:
                self._control.send((begun, *orders[begun]))
                begun += 1
                continue
            number, is_done, result = self._receive()
            ended += 1
            if is_done:
                results[number] = result
            else:
                failure = failure or result
        if failure:
            raise ForkError(failure)
        return [results[number] for number in range(len(orders))]

    def _receive(self) -> Any:
        try:
            return self._control.receive()[0]
        except ControlClosedError as error:
            raise ForkError("the copy of the simulation has ended") from error

    def close(self) -> None:
        """Forgets the moment."""
        self._control.close()
        os.waitpid(self._pid, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


_Order = tuple[int, Callable[..., object], tuple[object, ...]]
"""The number of a call, its function, and its arguments after the simulation."""


def _sleep(control: ControlSocket, simulation: Forkable) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            order = cast(_Order, control.receive()[0])
        except ControlClosedError:
            os._exit(0)
        try:
            is_copy = os.fork() == 0
        except OSError as error:
            reason = f"the simulation cannot be copied: {error.strerror}"
            control.send((order[0], False, reason))
            continue
        if is_copy:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(control, simulation, order)
            os._exit(0)


def _answer(control: ControlSocket, simulation: Forkable, order: _Order) -> None:
    number, function, arguments = order
    try:
        answer = (number, True, function(simulation, *arguments))
        pickle.dumps(answer)
    except BaseException:
        answer = (number, False, traceback.format_exc())
    control.send(answer)
