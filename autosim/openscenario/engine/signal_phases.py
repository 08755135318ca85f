"""Phases of traffic signal controllers over time."""

from collections.abc import Sequence

from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.storyboard_records import SignalController


class SignalPrograms:
    """The signal controllers of a scenario; each repeats its phases.

    Args:
        controllers: of the scenario.
    """

    def __init__(self, controllers: Sequence[SignalController]) -> None:
        self._controllers = [
            each for each in controllers if sum(phase.duration for phase in each.phases) > 0.0
        ]
        delays = {each.name: each.delay for each in controllers}
        self._starts = {
            each.name: each.delay + delays.get(each.follows, 0.0) for each in self._controllers
        }
        self._shown: dict[str, str] = {}

    def update(self, world: ScenarioWorld) -> None:
        """Sets the phases at this time; one that an action has chosen begins then."""
        for each in self._controllers:
            ordered = world.phases.get(each.name)
            if ordered is not None and ordered != self._shown.get(each.name):
                self._restart(each, ordered, world.time)
            cycle = sum(phase.duration for phase in each.phases)
            rest = (world.time - self._starts[each.name]) % cycle
            for phase in each.phases:
                if rest < phase.duration:
                    break
                rest -= phase.duration
            if self._shown.get(each.name) != phase.name:
                self._shown[each.name] = world.phases[each.name] = phase.name
                world.signals.update(phase.states)

    def _restart(self, controller: SignalController, name: str, time: float) -> None:
        before = 0.0
        for phase in controller.phases:
            if phase.name == name:
                self._starts[controller.name] = time - before
                return
            before += phase.duration
