"""All manoeuvres, in the order of the page."""

from collections.abc import Callable, Sequence

from autosim.applications.validation.braking import ice, split_friction, straight_braking
from autosim.applications.validation.default_car import default_car
from autosim.applications.validation.golden import kinematic_models
from autosim.applications.validation.laboratory import Laboratory, Manoeuvre
from autosim.applications.validation.lane_change_manoeuvres import avoidance, severe_lane_change
from autosim.applications.validation.longitudinal import acceleration, coast_down, slope
from autosim.applications.validation.numerics import convergence, energy
from autosim.applications.validation.random_driving import random_driving
from autosim.applications.validation.results import Section
from autosim.applications.validation.ride import cosine_bump
from autosim.applications.validation.rollover import rollover
from autosim.applications.validation.shipped_vehicles import shipped_vehicles
from autosim.applications.validation.steering_manoeuvres import (
    frequency_response,
    reference_turn,
    steady_circle,
    step_steer,
)


def default_car_stops_and_turns(laboratory: Laboratory) -> Section:
    """`default_car` of `robots/impreza.xml`."""
    return default_car(laboratory.with_default_car())


def default_car_rollover(laboratory: Laboratory) -> Section:
    """`rollover` of `robots/impreza.xml`."""
    return rollover(laboratory.with_default_car())


MANOEUVRES: tuple[Manoeuvre, ...] = (
    *(reference_turn, steady_circle, step_steer, frequency_response, random_driving),
    *(severe_lane_change, avoidance, rollover),
    *(straight_braking, split_friction, ice),
    *(acceleration, coast_down, slope),
    cosine_bump,
    *(convergence, energy),
    kinematic_models,
    *(default_car_stops_and_turns, default_car_rollover),
    shipped_vehicles,
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
