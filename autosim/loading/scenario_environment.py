"""The environment that a world's scenario states in its init phase."""

from autosim.config.descriptions import WorldDescription
from autosim.config.scenarios import Scenario


def with_environment(world: WorldDescription, scenario: Scenario | None) -> WorldDescription:
    """The world with the environment of its scenario's storyboard; what it leaves open stays."""
    if scenario is None or scenario.storyboard is None:
        return world
    # Only worlds with a storyboard need the reader of OpenSCENARIO.
    from autosim.loading.storyboard_environment import with_storyboard_environment

    return with_storyboard_environment(world, scenario.storyboard)
