"""The options of the OSM Manipulator, for its window and for its command.

Both take names, ranges and defaults from this module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError

DEFAULT_HOUSE_LIST = Path("worlds/circle_town/houses.xml")
DEFAULT_DISTANCE_TO_STREET = 10.0
"""Distance [m] from a house's middle to the street: a house and a front garden."""

DEFAULT_DISTANCE_BETWEEN_HOUSES = 5.0
"""Free space [m] between houses: two narrow gardens."""

MAX_DISTANCE = 100.0
"""Greatest of both distances [m]; a larger one is a slip."""

Progress = Callable[[str, float], None]
"""Called with the name of each step and the share of the work (0..1) done before it.

It cancels the work by raising `CancelledError`.
"""


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances between houses and streets.

    Attributes:
        to_street: distance [m] from a house's centre to the outer edge of the street: the edge of
            its pavement, or its kerb if it has none. A house too deep for it stands farther back.
        between: free space [m] between neighbours, and between new and existing buildings.
    """

    to_street: float = DEFAULT_DISTANCE_TO_STREET
    between: float = DEFAULT_DISTANCE_BETWEEN_HOUSES

    def __post_init__(self) -> None:
        for name, value in (("to the street", self.to_street), ("between houses", self.between)):
            if not (isfinite(value) and 0.0 <= value <= MAX_DISTANCE):
                raise ManipulatorError(
                    f"the distance {name} is 0 to {MAX_DISTANCE:g} m, not {value:g} m"
                )


@dataclass(frozen=True, slots=True)
class FurnishRequest:
    """A map to furnish.

    Attributes:
        original: the map file.
        houses: the house list.
        setup: the map set-up, None for the built-in one.
        spacing: the distances.
        seed: varies the choice of houses.
        is_filled: whether to set rows of houses along the streets; else users set all by hand.
    """

    original: Path
    houses: Path = DEFAULT_HOUSE_LIST
    setup: Path | None = None
    spacing: Spacing = Spacing()
    seed: int = 0
    is_filled: bool = True


def without_progress(step: str, share: float) -> None:
    """Ignores progress."""
