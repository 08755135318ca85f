"""An action while it is executed."""

from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.scenario_world import ScenarioWorld

LONGITUDINAL = "longitudinal"
LATERAL = "lateral"


class Execution:
    """An action of an entity while it is executed; this one ends at once.

    `domains`: what of the entity's motion it controls; a later action of the same domain ends it.
    """

    domains: frozenset[str] = frozenset()

    def __init__(self, world: ScenarioWorld, entity: EntityState) -> None:
        self.world, self.entity = world, entity
        self.is_done = False

    def start(self) -> None:
        """Begins the action."""

    def step(self) -> None:
        """Executes a step of the action."""
        self.is_done = True

    def stop(self) -> None:
        """Ends the action before it is done."""
        self.is_done = True
