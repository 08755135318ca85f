"""What is asked of a server, and how long its answer may take."""

from collections.abc import Callable
from typing import Any

import pytest

from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import LOAD_SECONDS, SimulationControl
from autosim.orders.robot_orders import AddRobot
from autosim.v1 import autosim_pb2 as pb


class Listener:
    """Stubs that answer nothing, and note how long a caller would have waited."""

    def __init__(self) -> None:
        self.patience: float | None = 0.0
        self.control = SimulationControl("here:1", lambda: self)
        self.management = ServerManagement(self.control)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        ready = pb.Status(phase="READY")
        answers = {"Control": ready, "AddRobot": ready, "Track": pb.TrackSamples()}
        nothing = pb.ProgramList() if "Program" in method else pb.WorldFile()

        def answer(request: Any, timeout: float | None) -> Any:
            self.patience = timeout
            return answers.get(method, nothing)

        return answer


@pytest.mark.parametrize(
    "ask",
    [
        lambda it: it.control.run(),
        lambda it: it.control.pause(),
        lambda it: it.control.track(),
        lambda it: it.management.programs(),
        lambda it: it.management.stop_program("r0"),
        lambda it: it.management.restart_program("r0"),
        lambda it: it.management.attach_program("r0", "driver.py"),
        lambda it: it.management.add_robot(AddRobot("robots/scout.xml", "r1")),
        lambda it: it.management.save("."),
    ],
)
def test_what_a_simulation_answers_may_take_as_long_as_its_world_to_load(
    ask: Callable[[Listener], object],
) -> None:
    listener = Listener()
    ask(listener)
    assert listener.patience == LOAD_SECONDS


def test_where_the_simulation_stands_is_known_at_once() -> None:
    listener = Listener()
    listener.control.status()
    assert listener.patience is not None
    assert listener.patience < LOAD_SECONDS
