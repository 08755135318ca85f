"""From the arrays of a state to models in their poses: colours, lights, attitudes."""

import numpy as np

from autosim.arrays import Booleans, Floats, Floats32, Integers
from autosim.client.materials.palette import PAINTS
from autosim.client.traffic.drawn_models import people_models, vehicle_models
from autosim.client.traffic.posing import PosedModels, Words, no_dyes
from autosim.client.traffic.rigs import Dye
from autosim.config.semantic_classes import class_number
from autosim.jit import compiled
from autosim.model.instance_numbers import FIRST_PERSON, FIRST_VEHICLE
from autosim.portable import cos, sin
from autosim.traffic.traffic_node import P, V
from autosim.traffic.vehicle_kinds import FLEET, Light, VehicleClass

BUSES = ((206, 166, 48), (178, 44, 44), (52, 96, 150), (224, 224, 220))
"""Colours (sRGB, 0..255) of buses in towns."""

CLOTHES = (
    *((62, 84, 132), (148, 52, 50), (72, 74, 78), (214, 208, 192), (88, 118, 84), (196, 150, 62)),
    *((128, 92, 140), (40, 42, 50), (156, 172, 190), (212, 122, 98)),
)
"""Colours (sRGB, 0..255) of what people wear above."""

TROUSERS = (
    *((54, 66, 92), (40, 40, 44), (120, 106, 86), (84, 86, 92), (70, 58, 50), (150, 148, 142)),
)
"""Colours (sRGB, 0..255) of what they wear below."""

SKINS = ((226, 184, 152), (204, 156, 122), (150, 104, 76), (104, 70, 52))
"""Colours (sRGB, 0..255) of skin."""

_LIGHTS = (
    (Dye.REAR_LIGHT, (126, 14, 12), (196, 20, 16), (255, 58, 40)),
    (Dye.LEFT_INDICATOR, (206, 112, 30), (206, 112, 30), (255, 190, 60)),
    (Dye.RIGHT_INDICATOR, (206, 112, 30), (206, 112, 30), (255, 190, 60)),
    (Dye.HEAD_LIGHT, (208, 212, 214), (255, 255, 246), (255, 255, 246)),
)
"""Of each dye of lights, its colours (sRGB, 0..255) while it is off, while it shows where the
vehicle is, and while it signals something."""

_BLINK_SECONDS = 0.72
"""Period [s] of indicators: 83 a minute, between the 60 and 120 that UN Regulation 6 asks for."""

_CLASSES = {
    VehicleClass.CAR: "car",
    VehicleClass.VAN: "car",
    VehicleClass.LORRY: "truck",
    VehicleClass.BUS: "bus",
    VehicleClass.MOTORCYCLE: "motorcycle",
    VehicleClass.BICYCLE: "bicycle",
}

_FIRST, _SECOND, _THIRD = int(Dye.FIRST), int(Dye.SECOND), int(Dye.THIRD)
_REAR, _FRONT = int(Dye.REAR_LIGHT), int(Dye.HEAD_LIGHT)
_LEFT, _RIGHT = int(Dye.LEFT_INDICATOR), int(Dye.RIGHT_INDICATOR)
_HEAD, _BRAKE = int(Light.HEAD), int(Light.BRAKE)
_LEFT_BIT, _RIGHT_BIT = int(Light.LEFT_INDICATOR), int(Light.RIGHT_INDICATOR)
"""The numbers of dyes and lights, as kernels know them."""

_NUMBERS = np.array([class_number(_CLASSES[each.vehicle_class]) for each in FLEET])
_PERSON = class_number("person")
_IS_BUS = np.array([each.vehicle_class is VehicleClass.BUS for each in FLEET])

_LYING = 0.13
"""Height [m] of the middle of a lying person: half the depth of a trunk."""


def posed_vehicles(vehicles: Floats, time: float) -> PosedModels:
    """The vehicles (V, 12) of a state at `time` [s]."""
    columns = vehicles.T.copy()
    kinds = columns[V.kind].astype(np.int64)
    return PosedModels(
        kinds=vehicle_models(kinds, columns[V.colour].astype(np.int64)),
        places=vehicles[:, V.x : V.z + 1].copy(),
        rotations=rotations(columns[V.yaw], columns[V.pitch], columns[V.roll]),
        sizes=np.ones(len(vehicles)),
        rolled=columns[V.rolled],
        steering=columns[V.steering],
        speeds=columns[V.speed],
        dyes=vehicle_dyes(vehicles, time),
        labels=_labels(_NUMBERS[np.maximum(kinds, 0)], FIRST_VEHICLE, len(kinds)),
    )


def posed_people(people: Floats, *, is_raining: bool = False) -> PosedModels:
    """The people (P, 9) of a state; most have umbrellas while it rains."""
    columns, level = people.T.copy(), np.zeros(len(people))
    kinds = columns[P.kind].astype(np.int64)
    colour = columns[P.colour].astype(np.int64)
    posture = np.minimum(np.maximum(columns[P.posture], 0.0), 1.0)
    places = people[:, P.x : P.z + 1].copy()
    places[:, 2] += _LYING * posture
    return PosedModels(
        kinds=people_models(kinds, colour, is_raining=is_raining),
        places=places,
        rotations=rotations(columns[P.yaw], posture * (np.pi / 2.0), level),
        sizes=0.94 + 0.03 * (colour % 5),
        rolled=columns[P.walked],
        steering=level,
        speeds=columns[P.speed],
        dyes=_people_dyes(colour),
        labels=_labels(_PERSON, FIRST_PERSON, len(people)),
    )


def is_blinking(time: float) -> bool:
    """Whether indicators that are on are bright at `time` [s]."""
    return time % _BLINK_SECONDS < 0.5 * _BLINK_SECONDS


def has_light_on(vehicles: Floats, light: Light) -> Booleans:
    """Whether each of the vehicles (V, 12) has a light on."""
    return np.asarray((vehicles[:, V.lights].astype(np.int64) & light) != 0)


@compiled
def rotations(yaw: Floats, pitch: Floats, roll: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) from B to W: about z, then y, then x [rad], each (n,)."""
    found = np.empty((len(yaw), 3, 3))
    for i in range(len(yaw)):
        cy, cp, cr = cos(yaw[i]), cos(pitch[i]), cos(roll[i])
        sy, sp, sr = sin(yaw[i]), sin(pitch[i]), sin(roll[i])
        found[i, 0, 0], found[i, 0, 1] = cy * cp, cy * sp * sr - sy * cr
        found[i, 0, 2] = cy * sp * cr + sy * sr
        found[i, 1, 0], found[i, 1, 1] = sy * cp, sy * sp * sr + cy * cr
        found[i, 1, 2] = sy * sp * cr - cy * sr
        found[i, 2, 0], found[i, 2, 1], found[i, 2, 2] = -sp, cp * sr, cp * cr
    return found


def vehicle_dyes(vehicles: Floats, time: float) -> Words:
    """The colours (V, DYES) of the dyes of vehicles (V, 12) at `time` [s]."""
    kinds = vehicles[:, V.kind].astype(np.int64)
    dyes = no_dyes(len(vehicles))
    _dye_vehicles(
        vehicles,
        kinds,
        is_blinking(time),
        _IS_BUS,
        _PAINT_WORDS,
        _BUS_WORDS,
        _TROUSER_WORDS,
        _SKIN_WORDS,
        _LIGHT_WORDS,
        dyes,
    )
    return dyes


@compiled
def _dye_vehicles(
    vehicles: Floats,
    kinds: Integers,
    is_on: bool,
    is_bus: Booleans,
    paints: Words,
    buses: Words,
    trousers: Words,
    skins: Words,
    lights: Words,
    dyes: Words,
) -> None:
    for i in range(len(vehicles)):
        colour, lit = int(vehicles[i, V.colour]), int(vehicles[i, V.lights])
        if is_bus[max(kinds[i], 0)]:
            dyes[i, _FIRST] = buses[colour % len(buses)]
        else:
            dyes[i, _FIRST] = paints[colour % len(paints)]
        dyes[i, _SECOND] = trousers[(colour * 5 + 1) % len(trousers)]
        dyes[i, _THIRD] = skins[(colour // 2) % len(skins)]
        head, brake = (lit & _HEAD) != 0, (lit & _BRAKE) != 0
        rear = 2 if brake else int(head)
        dyes[i, _REAR] = lights[0, rear]
        dyes[i, _LEFT] = lights[1, 2 * int((lit & _LEFT_BIT) != 0 and is_on)]
        dyes[i, _RIGHT] = lights[2, 2 * int((lit & _RIGHT_BIT) != 0 and is_on)]
        dyes[i, _FRONT] = lights[3, int(head)]


def _people_dyes(colour: Integers) -> Words:
    dyes = no_dyes(len(colour))
    for dye, words, apart in _PEOPLE_WORDS:
        dyes[:, dye] = words[(colour // apart) % len(words)]
    return dyes


def _words(colours: "tuple[tuple[int, int, int], ...] | list[tuple[int, int, int]]") -> Words:
    red, green, blue = np.array(colours, dtype=np.uint32).T
    return np.asarray(red | green << 8 | blue << 16, dtype=np.uint32)


def _labels(classes: Integers | int, first: int, count: int) -> Floats32:
    """The labels (count, 2) of things of these classes, numbered from the first on."""
    labels = np.empty((count, 2), np.float32)
    labels[:, 0], labels[:, 1] = classes, np.arange(first, first + count)
    return labels


_PAINT_WORDS, _BUS_WORDS, _CLOTHES_WORDS = _words(PAINTS), _words(BUSES), _words(CLOTHES)
_TROUSER_WORDS, _SKIN_WORDS = _words(TROUSERS), _words(SKINS)
_LIGHT_WORDS: Words = np.array([_words(colours) for _, *colours in _LIGHTS])
"""The colours as words; those of lights (4, 3), as in `_LIGHTS`."""

_PEOPLE_WORDS = (
    (Dye.FIRST, _CLOTHES_WORDS, 1),
    (Dye.SECOND, _TROUSER_WORDS, 3),
    (Dye.THIRD, _SKIN_WORDS, 7),
)
"""The colours of each dye of people as words, and how many numbers in a row have the same."""
