"""The models that vehicles and people of traffic are drawn with, by their kinds and colours.

Each kind of vehicle has two models, and people have more figures than the state has kinds: which
one is drawn follows from the number of the colour. Sizes, masses and labels are those of the kind.
"""

import numpy as np

from autosim.arrays import Booleans, Integers
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES

COLOURS = 8
"""Number of colours of vehicles after which their models repeat."""

_SECOND_MODELS = {
    "hatchback": ("models/traffic/city_car", (2, 3, 6, 7)),
    "saloon": ("models/traffic/taxi", (7,)),
    "estate": ("models/traffic/suv", (2, 3, 6, 7)),
    "van": ("models/traffic/minibus", (2, 3, 6, 7)),
    "lorry": ("models/traffic/tipper", (2, 3, 6, 7)),
    "bus": ("models/traffic/coach", (2, 3, 6, 7)),
    "motorcycle": ("models/traffic/scooter", (2, 3, 6, 7)),
    "bicycle": ("models/traffic/city_bicycle", (1, 3, 5, 7)),
}
"""The second model of each kind of vehicle, and the colours that have it."""

VEHICLE_MODELS: tuple[str, ...] = (
    *(kind.model for kind in FLEET),
    *(_SECOND_MODELS[name][0] for name in KIND_NAMES),
)
"""Folders of the models of vehicles: the first of each kind of `FLEET`, then the second of each."""

_HAS_SECOND: Booleans = np.array(
    [[colour in _SECOND_MODELS[name][1] for colour in range(COLOURS)] for name in KIND_NAMES]
)

FIGURES = 8
"""Number of the figures of people."""

UMBRELLA, DOG, PRAM, WHEELCHAIR, PHONE = "umbrella", "dog", "pram", "wheelchair", "phone"
"""Names of the things that people carry, lead, push or sit in."""

_COMPANIONS = (
    *((0, DOG), (3, DOG), (4, DOG), (1, PRAM), (6, PRAM), (7, WHEELCHAIR)),
    *((0, PHONE), (1, PHONE), (7, PHONE)),
)

PEOPLE_MODELS: tuple[tuple[int, str], ...] = (
    *((figure, "") for figure in range(FIGURES)),
    *((figure, UMBRELLA) for figure in range(FIGURES)),
    *_COMPANIONS,
)
"""The figure of each model of people, and what it has with it: first those without, then the same
with umbrellas, then some with other things."""

_GROUPS = 21
"""Number of groups of colours; two of them have something with them."""

_FIGURE_STEP, _GROUP_STEP = 20, 40
"""Numbers of colours after which the second four figures, and the next group, begin."""

_WITH_COMPANION, _WITH_PHONE = 20, (18, 19)
"""The groups that lead or push something, and those that look at a phone: one person in twenty, and
one in ten."""

_IN_THE_RAIN = (True, True, True, True, False, False, True, True)
"""Whether each figure has an umbrella: not those with a hood or a cap."""


def _choices() -> Integers:
    """The model (FIGURES, _GROUPS) of each figure in each group of colours."""
    table = np.repeat(np.arange(FIGURES)[:, None], _GROUPS, axis=1)
    for number, (figure, companion) in enumerate(PEOPLE_MODELS):
        if companion == PHONE:
            table[figure, list(_WITH_PHONE)] = number
        elif companion and companion != UMBRELLA:
            table[figure, _WITH_COMPANION] = number
    return table


PEOPLE_CHOICES: Integers = _choices()
"""The model (FIGURES, 21) of each figure in each group of 40 colours in a row."""


def vehicle_models(kinds: Integers, colours: Integers) -> Integers:
    """The models (n,) of vehicles; negative kinds, those of unused slots, stay."""
    is_second = _HAS_SECOND[np.maximum(kinds, 0), colours % COLOURS] & (kinds >= 0)
    return np.asarray(kinds + len(FLEET) * is_second)


def vehicle_kind(model: int) -> int:
    """The kind of vehicle that a model is of."""
    return model % len(FLEET)


def colours_of_model(model: int) -> list[int]:
    """The colours, counted modulo `COLOURS`, that have a model of vehicles."""
    has_second = _HAS_SECOND[vehicle_kind(model)]
    chosen = has_second if model >= len(FLEET) else ~has_second
    return np.flatnonzero(chosen).tolist()


def people_models(kinds: Integers, colours: Integers, *, is_raining: bool) -> Integers:
    """The models (n,) of people; negative kinds, those of unused slots, stay."""
    figures = np.maximum(kinds, 0) % 4 + 4 * (colours // _FIGURE_STEP % 2)
    models = PEOPLE_CHOICES[figures, colours // _GROUP_STEP % _GROUPS]
    if is_raining:
        has_umbrella = np.array(_IN_THE_RAIN)[figures] & (colours // 5 % 3 > 0)
        models = np.where(has_umbrella & (models < FIGURES), models + FIGURES, models)
    return np.asarray(np.where(kinds < 0, kinds, models))
