"""A moment holds the state at which it was kept, however late its process comes to run."""

import errno
import os
from collections.abc import Callable

import pytest

from autosim.helper_processes.process_socket import ControlSocket
from autosim.server.process.process_messages import Waking
from autosim.server.process.successors import snapshot_forks
from autosim.server.process.successors.dormant import Wake, Woken, fork_dormant
from tests.server.light_simulation import LightSimulation, light_world


def test_a_moment_is_of_its_step_also_where_the_simulation_steps_on_before_its_copy_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulation = LightSimulation(light_world())
    control, front = ControlSocket.pair()
    new_control, new_front = ControlSocket.pair()
    leash, far_leash = ControlSocket.pair()

    def fork_late(_leash: ControlSocket, let_go: Callable[[], None]) -> Woken:
        """The copy, which sees the memory that the original has written to meanwhile."""
        simulation.step()
        let_go()
        return Woken(Wake("here"), new_control)

    monkeypatch.setattr(snapshot_forks, "fork_dormant", fork_late)
    kept = snapshot_forks.SnapshotForks(
        simulation, simulation.participants, control=control, recording=None
    )
    simulation.step()
    before = bytes(simulation.state.buffer)

    woken = kept.keep("here", leash)
    assert isinstance(woken, Woken)
    assert bytes(simulation.state.buffer) != before
    kept.go_on(woken)

    assert bytes(simulation.state.buffer) == before
    for each in (control, front, new_control, new_front, leash, far_leash):
        each.close()
    simulation.close()


def test_a_sleeping_copy_that_cannot_be_copied_continues_itself() -> None:
    leash, front = ControlSocket.pair()
    control, new_front = ControlSocket.pair()

    def refuse() -> int:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    woken = fork_dormant(leash, lambda: setattr(os, "fork", refuse))
    if isinstance(woken, Woken):
        woken.control.send(Waking(os.getpid()))
        os._exit(0)
    front.send(Wake("here"), (control.fileno(),))
    control.close()
    assert new_front.receive()[0] == Waking(woken)
    assert front.is_closed
    for each in (front, new_front):
        each.close()
