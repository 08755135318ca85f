"""The rigs of people: a figure with limbs that swing, and what it carries, leads or pushes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autosim.client.models.model_library import ModelLibrary
from autosim.client.traffic.drawn_models import (
    DOG,
    PEOPLE_MODELS,
    PHONE,
    PRAM,
    UMBRELLA,
    WHEELCHAIR,
)
from autosim.client.traffic.rigs import (
    WALKER,
    PieceMotion,
    RigPiece,
    Rigs,
    boxes_from_afar,
    make_rigs,
    model_levels,
    near_levels,
)

PERSON_BOUNDS = (1.1, 0.9)
"""Radius [m] of a ball that holds a person, and the height [m] of its middle."""

_STRIDE = 1.45
"""Length [m] of two steps at the usual walking speed."""

_SHOULDERS = (0.190, 0.165, 0.163, 0.196, 0.187, 0.172, 0.165, 0.196)
"""Distance [m] of the arms from the middle, of each figure: beside their shoulders."""

_SCALES = (1.02, 0.97, 0.93, 0.98, 1.03, 0.74, 0.98, 1.04)
"""Height of each figure as a factor; the sixth is a child of about eight years."""

_BARE = (2,)
"""Numbers of the figures that wear skirts, whose legs are bare below them."""

_HIP, _SHOULDER = 0.90, 1.42
"""Heights [m] of the joints of the limbs in the models."""

_HOLDING = 0.32
"""Forward angle [rad] of an upper arm that holds a phone or an umbrella."""

_PUSHING = 0.78
"""Forward angle [rad] of arms that push a pram: its handle is 1 m above the ground."""

_SEAT = -0.40
"""Height [m] of a person in a wheelchair relative to that of one who stands."""

_PRAM_X, _DOG = 0.98, (0.55, -0.48)
"""Places [m] of a pram ahead of a person, and of a dog ahead and to the left."""


def people_pieces(library: ModelLibrary) -> list[list[RigPiece]]:
    """The pieces of each model of people."""
    return [_pieces(library, figure, companion) for figure, companion in PEOPLE_MODELS]


def people_rigs(library: ModelLibrary) -> Rigs:
    """The rigs of all models of people."""
    return make_rigs(people_pieces(library), [PERSON_BOUNDS] * len(PEOPLE_MODELS))


def _pieces(library: ModelLibrary, figure: int, companion: str) -> list[RigPiece]:
    body = model_levels(library, f"models/traffic/person{figure}")
    lift = _SEAT if companion == WHEELCHAIR else 0.0
    pieces = [
        RigPiece(
            (*body, boxes_from_afar(body[-1], WALKER)), numbers=(0.0, 0.0, lift, 1.0, 1.0, 1.0)
        )
    ]
    pieces += _legs(library, figure, len(pieces), companion)
    pieces += _arms(library, figure, companion)
    if companion:
        pieces += _companion_pieces(library, figure, companion)
    return [_scaled(piece, _SCALES[figure]) for piece in pieces]


def _scaled(piece: RigPiece, factor: float) -> RigPiece:
    """A piece of a figure that is taller or smaller by a factor."""
    numbers = list(piece.numbers)
    numbers[:6] = [factor * number for number in numbers[:6]]
    if piece.motion is PieceMotion.LIMB:
        numbers[8] *= factor  # its stride
    elif piece.motion is PieceMotion.WHEEL:
        numbers[6] *= factor  # its radius
    return replace(piece, numbers=tuple(numbers))


def _legs(library: ModelLibrary, figure: int, first: int, companion: str) -> list[RigPiece]:
    leg = "bare_leg" if figure in _BARE else "leg"
    thigh = near_levels(library, f"models/traffic/{leg}/thigh")
    shank = near_levels(library, f"models/traffic/{leg}/shank")
    sits = companion == WHEELCHAIR
    pieces: list[RigPiece] = []
    for side, phase in ((1.0, 0.0), (-1.0, np.pi)):
        hip = (0.0, 0.085 * side, _HIP + (_SEAT if sits else 0.0), 1.0, 1.0, 1.0)
        swing = (1.45, 0.0, _STRIDE, phase, 0.0) if sits else (0.03, 0.42, _STRIDE, phase, 0.0)
        pieces.append(RigPiece(thigh, PieceMotion.LIMB, -1, (*hip, *swing)))
        knee = (0.0, 0.0, -0.42, 1.0, 1.0, 1.0)
        bend = (1.35, 0.0, 0.0) if sits else (0.0, 0.06, 0.75)
        parent = first + len(pieces) - 1
        pieces.append(RigPiece(shank, PieceMotion.SHANK, parent, (*knee, *bend)))
    return pieces


def _arms(library: ModelLibrary, figure: int, companion: str) -> list[RigPiece]:
    straight = near_levels(library, "models/traffic/arm")
    bent = near_levels(library, "models/traffic/bent_arm")
    pieces: list[RigPiece] = []
    for side, phase in ((1.0, np.pi), (-1.0, 0.0)):
        height = _SHOULDER + (_SEAT if companion == WHEELCHAIR else 0.0)
        shoulder = (0.0, _SHOULDERS[figure] * side, height, 1.0, 1.0, 1.0)
        swing = (0.0, 0.34, _STRIDE, phase, 0.0)
        arm = straight
        if companion in (UMBRELLA, PHONE) and side < 0.0:
            arm, swing = bent, (_HOLDING, 0.0, _STRIDE, phase, 0.0)
        elif companion == PRAM:
            swing = (_PUSHING, 0.0, _STRIDE, phase, 0.0)
        elif companion == WHEELCHAIR:
            swing = (0.1, 0.3, _STRIDE, 0.0, 0.0)
        elif companion == DOG and side < 0.0:
            swing = (0.25, 0.0, _STRIDE, phase, 0.0)
        pieces.append(RigPiece(arm, PieceMotion.LIMB, -1, (*shoulder, *swing)))
    return pieces


def _companion_pieces(library: ModelLibrary, figure: int, companion: str) -> list[RigPiece]:
    """The pieces of what a person has with it."""
    y = -_SHOULDERS[figure]
    if companion == UMBRELLA:
        return [_standing(library, "umbrella", (0.24, 0.35 * y, 1.34))]
    if companion == PHONE:
        held = (0.0, y, _SHOULDER, 1.0, 1.0, 1.0, _HOLDING, 0.0, _STRIDE, 0.0, 0.0)
        phone = near_levels(library, "models/traffic/phone")
        return [RigPiece(phone, PieceMotion.LIMB, -1, held)]
    if companion == PRAM:
        wheels = [(x, side * 0.24, 0.14) for x in (0.32, -0.32) for side in (1.0, -1.0)]
        return [
            _standing(library, "pram", (_PRAM_X, 0.0, 0.0)),
            *(_turning(library, (_PRAM_X + x, y, r), r, 0.05) for x, y, r in wheels),
        ]
    if companion == WHEELCHAIR:
        return [
            _standing(library, "wheelchair", (0.0, 0.0, 0.0)),
            *(_turning(library, (-0.06, side * 0.30, 0.30), 0.30, 0.04) for side in (1.0, -1.0)),
        ]
    x, y = _DOG
    dog = [_standing(library, "dog", (x, y, 0.0))]
    dog.append(_standing(library, "leash", (0.15, -_SHOULDERS[figure] - 0.02, 0.80)))
    leg = near_levels(library, "models/traffic/dog_leg")
    for ahead, side in ((0.18, 1.0), (0.18, -1.0), (-0.24, 1.0), (-0.24, -1.0)):
        phase = 0.0 if ahead * side > 0.0 else np.pi
        numbers = (x + ahead, y + 0.06 * side, 0.39, 1.0, 1.0, 1.0, 0.0, 0.45, 0.75, phase, 0.0)
        dog.append(RigPiece(leg, PieceMotion.LIMB, -1, numbers))
    return dog


def _standing(library: ModelLibrary, name: str, place: Sequence[float]) -> RigPiece:
    """A piece that does not move relative to the person, at (x, y, z) [m]."""
    x, y, z = place
    meshes = near_levels(library, f"models/traffic/{name}")
    return RigPiece(meshes, numbers=(x, y, z, 1.0, 1.0, 1.0))


def _turning(
    library: ModelLibrary, place: Sequence[float], radius: float, width: float
) -> RigPiece:
    """A wheel at (x, y, z) [m]."""
    x, y, z = place
    meshes = near_levels(library, "models/traffic/cycle_wheel")
    numbers = (x, y, z, radius, width, radius, radius, 0.0, 0.0)
    return RigPiece(meshes, PieceMotion.WHEEL, -1, numbers)
