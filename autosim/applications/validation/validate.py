"""All manoeuvres, in the order of the page."""

from collections.abc import Callable, Sequence

from autosim.applications.validation.braking import straight_braking
from autosim.applications.validation.laboratory import Laboratory, Manoeuvre
from autosim.applications.validation.results import Section
from autosim.applications.validation.steering import (
    frequency_response,
    reference_turn,
    steady_circle,
    step_steer,
)

MANOEUVRES: tuple[Manoeuvre, ...] = (
    reference_turn,
    steady_circle,
    step_steer,
    frequency_response,
    straight_braking,
)


def run_all(
    laboratory: Laboratory,
    manoeuvres: Sequence[Manoeuvre] = MANOEUVRES,
    *,
    show: Callable[[Section], None] = lambda section: None,
) -> list[Section]:
    """Drives the manoeuvres one after the other; `show` is given each when it is done."""
    sections = []
    for manoeuvre in manoeuvres:
        section = manoeuvre(laboratory)
        show(section)
        sections.append(section)
    return sections
