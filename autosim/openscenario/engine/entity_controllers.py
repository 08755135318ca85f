"""The controllers of the entities: assigned, activated, overridden; and the traffic of flows."""

from collections.abc import Iterable

from autosim.openscenario.engine.built_in_driver import BuiltInDriver, drive, driver_of
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.action_execution import LONGITUDINAL
from autosim.openscenario.engine.scenario_world import ControllerOrder, ScenarioWorld
from autosim.openscenario.engine.story_elements import RunningActions
from autosim.openscenario.engine.traffic_flows import TrafficFlows
from autosim.openscenario.records.storyboard_records import XoscScenario

_PARKING = "ParkingBrake"

_PEDALS = ("Throttle", "Brake", _PARKING)
"""Overridden controls that have an effect on kinematic motion."""


class EntityControllers:
    """Drives the entities whose controllers are active.

    A controller of a kind that AutoSim does not know is played by the built-in driver. In files of
    version 1.0, which have no other way, the assignment of a controller activates it.

    Args:
        world: of the running scenario.
        running: the actions that control entities.
        scenario: its record.
    """

    def __init__(
        self, world: ScenarioWorld, running: RunningActions, scenario: XoscScenario
    ) -> None:
        self._world, self._running = world, running
        self._activates = scenario.version == (1, 0)
        self.drivers: dict[str, BuiltInDriver] = {}
        self._flows = TrafficFlows(world, self.drivers)
        for entity in world.entities.values():
            entity.controllers = entity.record.controllers
            if entity.controllers:
                self.drivers[entity.name] = driver_of(entity)

    def step_traffic(self) -> None:
        """Adds and removes the vehicles of sources, sinks and swarms."""
        for action in self._world.flows:
            self._flows.take(action)
        self._world.flows.clear()
        self._flows.step()

    def drive(self, entities: Iterable[EntityState]) -> None:
        """Sets the speeds of the entities whose controllers are active, and applies overrides."""
        for order in self._world.activations:
            self._take(order)
        self._world.activations.clear()
        for entity in entities:
            if entity.is_external or entity.is_moved or entity.is_towed:
                continue
            if entity.pedals and self._press(entity):
                continue
            driver = self.drivers.get(entity.name)
            if driver is None or not driver.longitudinal:
                continue
            if not self._running.controls(entity, LONGITUDINAL):
                drive(self._world, entity, driver)

    def _take(self, order: ControllerOrder) -> None:
        entity = self._world.entities[order.entity]
        activates = order.longitudinal, order.lateral
        if order.controllers is not None:
            entity.controllers = order.controllers
            self.drivers[entity.name] = driver_of(entity)
            if self._activates and activates == (None, None):
                activates = True, True
        driver = self.drivers.get(entity.name)
        if driver is None:
            if True in activates:
                self._world.notes.append(f"'{entity.name}' has no controller to activate")
            return
        if activates[0] is not None:
            driver.longitudinal = activates[0]
        if activates[1] is not None:
            driver.lateral = activates[1]
        if driver.longitudinal and not entity.is_external:
            self._world.notes.append(
                f"'{entity.name}': the controller '{driver.name}' is played by the built-in driver"
            )

    def _press(self, entity: EntityState) -> bool:
        """Applies overridden pedals; False where none of them moves a kinematic entity."""
        pedals, limits = entity.pedals, entity.record.performance
        unused = sorted(each for each in pedals if each not in _PEDALS)
        if unused:
            named = ", ".join(unused)
            self._world.notes.append(f"'{entity.name}': {named} has no effect without physics")
        if not any(each in pedals for each in _PEDALS):
            return False
        brake = max(pedals.get("Brake", 0.0), pedals.get(_PARKING, 0.0))
        change = pedals.get("Throttle", 0.0) * min(limits.max_acceleration, 10.0)
        change -= brake * min(limits.max_deceleration, 10.0)
        speed = entity.speed + change * self._world.dt
        entity.speed = min(max(speed, 0.0), limits.max_speed)
        return True
