"""The entity under test of a scenario, by its name."""

from collections.abc import Sequence

from autosim.config.scenarios import Actor

EGO = ("ego", "hero", "ego_vehicle")
"""Names of the entity that is under test, in lower case."""


def ego_of(vehicles: Sequence[Actor]) -> str:
    """The name of the entity under test: one of `EGO`, else the first vehicle; "" for none."""
    names = [each.name for each in vehicles]
    return next((each for each in names if each.lower() in EGO), names[0] if names else "")
