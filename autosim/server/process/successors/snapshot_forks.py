"""The snapshots of a simulation in its own process: taking one, and waking in one.

The loop asks for a moment while no program computes. In a copy of the process that wakes, it
continues from there; see `dormant` for how copies sleep.
"""

import os
from collections.abc import Sequence

from autosim.engine.engine_errors import SnapshotError
from autosim.engine.programs.lockstep import Lockstep
from autosim.engine.step.run_log import EXTERNAL_INPUTS, RunLog
from autosim.engine.step.simulation import Simulation
from autosim.fmi.fmu import FmuError
from autosim.fmi.fmu_process import hold_all
from autosim.helper_processes.process_socket import ControlSocket
from autosim.records.events import Event
from autosim.server.process.process_messages import SnapshotTaken, Waking
from autosim.server.process.run_recording import Recordable, RunRecording
from autosim.server.process.successors.dormant import Wake, Woken, fork_dormant, retire
from autosim.system_limits import explain_shortage


class SnapshotForks:
    """Keeps moments of `simulation`, and continues from them.

    Args:
        simulation: whose moments they are.
        participants: its user programs, of which there are copies too.
        control: the connection to the front.
        recording: of the simulation; None: it cannot be recorded.
    """

    def __init__(
        self,
        simulation: Recordable,
        participants: Lockstep,
        *,
        control: ControlSocket,
        recording: RunRecording | None,
    ) -> None:
        self._simulation, self._participants = simulation, participants
        self._control, self._recording = control, recording
        self._state = b""

    def keep(self, name: str, leash: ControlSocket) -> SnapshotTaken | Woken:
        """Keeps the present moment.

        Args:
            name: of the moment.
            leash: the copy's end of a socket to the front.

        Returns:
            what to tell the front; in the copy, once it is woken, what woke it: `go_on` from there.

        Raises:
            SnapshotError: a copy cannot be made now.
        """
        if names := self._participants.in_threads:
            leash.close()
            reason = f"{', '.join(names)} runs in a thread, which cannot be copied"
            raise SnapshotError(f"the snapshot cannot be taken: {reason}")
        try:
            hold_all()
        except FmuError as error:
            leash.close()
            raise SnapshotError(f"the snapshot cannot be taken: {error}") from error
        running = self._participants.take_snapshot(name)
        state = self._simulation.state
        # The simulation writes on in the same memory, maybe before the copy comes to run.
        self._state = bytes(state.buffer)
        try:
            copy = fork_dormant(leash, self._let_go)
        except OSError as error:
            leash.close()
            self._participants.release_copies()
            reason = explain_shortage(error) or str(error)
            raise SnapshotError(f"the snapshot cannot be taken: {reason}") from error
        if isinstance(copy, Woken):
            return copy
        self._participants.release_copies()
        self._state = b""
        return SnapshotTaken(state.step, int(state.ints[1]), copy, running)

    def drop(self, name: str) -> None:
        """Makes user programs forget a moment; the front releases the copy itself."""
        self._participants.drop(name)

    def go_on(self, woken: Woken) -> None:
        """Goes back to the moment, in the copy that wakes, and on to the step that it is to reach.

        Args:
            woken: what woke the copy, with its connection to the front.
        """
        order, state = woken.order, self._simulation.state
        self._control.take_over(woken.control)
        self._control.send(Waking(os.getpid()))
        state.buffer[:] = self._state
        self._participants.restore(order.name, state.step)
        if order.until > state.step:
            self._do_again(order)

    def told_since(self, step: int) -> tuple[Event, ...]:
        """Inputs from outside since a step, of a simulation that can be recorded."""
        if self._recording is None:
            return ()
        events = self._recording.from_outside.events()
        return tuple(each for each in events if each.step >= step)

    def end_programs(self, running: Sequence[int]) -> None:
        """Ends the programs of this process, which is replaced by another; see `retire`.

        Args:
            running: the processes of programs that continue with that one.
        """
        self._participants.end_for_good(running)

    def retire(self) -> None:
        """Ends this process, which is replaced by another."""
        retire(self._control)

    def _let_go(self) -> None:
        """In a copy that sleeps: closes what belongs to the original."""
        self._control.close()
        self._participants.let_go()
        if self._recording is not None:
            self._recording.release()

    def _do_again(self, order: Wake) -> None:
        """Does the steps that led from the moment to a later one, with all that came from outside.

        Programs do again what they did: they have gone back, too.
        """
        simulation, log = self._simulation, RunLog(order.told, EXTERNAL_INPUTS)
        assert isinstance(simulation, Simulation)
        while simulation.state.step < order.until:
            simulation.queue(log.at(simulation.state.step))
            simulation.advance()
            self._participants.wait()
            simulation.settle()
