"""What the user of the OSM Manipulator chooses: the fields of its window, the same at the terminal.

Both ends, the window and the command, take names, ranges and defaults from here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from autosim.tools.osm_manipulator.errors import ManipulatorError

DEFAULT_HOUSE_LIST = Path("worlds/circle_town/houses.xml")
DEFAULT_DISTANCE_TO_STREET = 10.0
DEFAULT_DISTANCE_BETWEEN_HOUSES = 5.0
MAX_DISTANCE = 100.0

Progress = Callable[[str, float], None]
"""Called with the name of each step and the share of work done (0..1) before it.

It ends the work by raising `CancelledError`.
"""


@dataclass(frozen=True, slots=True)
class Spacing:
    """How houses stand.

    `to_street` [m]: from a house's centre to the outer edge of the street, which is that of its
    pavement, or its kerb where it has none. A house too deep for it stands farther back.
    `between` [m]: free space between neighbours, and between a new house and any building that
    is there.
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
class Request:
    """A map to furnish: `original` is read, `setup` and `houses` say how, `seed` varies it.

    `is_filled`: rows of houses are set along the streets; else houses are set by hand alone.
    """

    original: Path
    houses: Path = DEFAULT_HOUSE_LIST
    setup: Path | None = None
    spacing: Spacing = Spacing()
    seed: int = 0
    is_filled: bool = True


def without_progress(step: str, share: float) -> None:
    """The progress that nobody watches."""
