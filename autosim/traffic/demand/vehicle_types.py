"""Types of vehicles as SUMO states them: the kind of the fleet that each comes nearest to."""

from collections.abc import Mapping

from autosim.config.demand import VehicleType
from autosim.config.reading.attribute_values import parse_finite
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass

DEFAULT = "DEFAULT_VEHTYPE"
"""The name of the type of vehicles that state none."""

_CLASSES: Mapping[str, VehicleClass] = {
    **dict.fromkeys(
        (
            "passenger",
            "private",
            "taxi",
            "hov",
            "evehicle",
            "custom1",
            "custom2",
            "ignoring",
            "vip",
        ),
        VehicleClass.CAR,
    ),
    **dict.fromkeys(("delivery", "emergency", "authority", "army"), VehicleClass.VAN),
    **dict.fromkeys(("truck", "trailer"), VehicleClass.LORRY),
    **dict.fromkeys(("bus", "coach"), VehicleClass.BUS),
    **dict.fromkeys(("motorcycle", "moped"), VehicleClass.MOTORCYCLE),
    **dict.fromkeys(("bicycle", "scooter"), VehicleClass.BICYCLE),
}

_USUAL = 4.65
"""Length [m] of a car that states none: that of a saloon."""

_DRIVING = {
    "tau": ("time_gap", 60.0),
    "minGap": ("least_gap", 1000.0),
    "accel": ("acceleration", 100.0),
    "decel": ("deceleration", 100.0),
    "maxSpeed": ("top_speed", 1000.0),
    "speedFactor": ("speed_factor", 100.0),
}
"""Attributes of SUMO, what they are here, and their greatest values in SI units: far beyond those
of any vehicle, and small enough that no sum of them is infinite."""


class UnknownClassError(Exception):
    """No kind of vehicle here is of the class that a type states."""


def vehicle_type(name: str, attributes: Mapping[str, str]) -> VehicleType:
    """The type of these attributes.

    Raises:
        UnknownClassError: nothing here is of its class, such as rail.
        ValueError: a number is none.
    """
    stated = attributes.get("vClass", "passenger")
    if stated not in _CLASSES:
        raise UnknownClassError(f"vehicles of the class '{stated}' are left out")
    length = _number(attributes, "length")
    driving = []
    for attribute, (own, greatest) in _DRIVING.items():
        value = _number(attributes, attribute)
        if value is not None and value > greatest:
            raise ValueError(f'{attribute}="{value:g}" is more than {greatest:g}')
        if value is not None and value > 0.0:
            driving.append((own, value))
    kind = _nearest(_CLASSES[stated], length or _USUAL)
    return VehicleType(name, kind, tuple(driving), tuple(attributes.items()))


def _nearest(wanted: VehicleClass, length: float) -> str:
    kinds = [kind for kind in FLEET if kind.vehicle_class == wanted]
    return min(kinds, key=lambda kind: abs(kind.length - length)).name


def _number(attributes: Mapping[str, str], name: str) -> float | None:
    text = attributes.get(name)
    if text is None or "(" in text:
        # A distribution, such as normc(1,0.1,0.2,2): drivers here have one of their own.
        return None
    value = parse_finite(text)
    if value is None:
        raise ValueError(f'{name}="{text}" is not a number')
    return value


class VehicleTypes:
    """The types of a file, and choices among them."""

    def __init__(self) -> None:
        self._types: list[VehicleType] = []
        self._choices: dict[str, list[tuple[float, int]]] = {}
        self._left_out: set[str] = set()

    @property
    def all(self) -> tuple[VehicleType, ...]:
        """All of them."""
        return tuple(self._types)

    def add(self, found: VehicleType) -> int:
        """Adds a type; its place."""
        self._types.append(found)
        self._choices[found.name] = [(1.0, len(self._types) - 1)]
        return len(self._types) - 1

    def leave_out(self, name: str) -> None:
        """Notes that vehicles of a type are left out."""
        self._left_out.add(name)

    def is_left_out(self, name: str) -> bool:
        """Whether vehicles of a type are left out."""
        return name in self._left_out

    def add_choice(self, name: str, choices: list[tuple[float, int]]) -> None:
        """Adds a choice among types, with the probability of each."""
        if choices:
            self._choices[name] = choices
        else:
            self.leave_out(name)

    def place_of(self, name: str) -> int | None:
        """The place of a type."""
        found = self._choices.get(name)
        return found[0][1] if found else None

    def chosen(self, name: str | None, share: float) -> int | None:
        """The place of a type, or of the one at a share (0..1) of a choice; None for none."""
        if name is None or name == DEFAULT:
            name = DEFAULT
            if name not in self._choices:
                self.add(vehicle_type(DEFAULT, {}))
        choices = self._choices.get(name, [])
        left = share * sum(chance for chance, _ in choices)
        for chance, place in choices:
            left -= chance
            if left < 0.0:
                return place
        return choices[-1][1] if choices else None
