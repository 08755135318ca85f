"""The kinds of vehicles that traffic has: their sizes, how they drive, how often they come."""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats


class VehicleClass(IntEnum):
    """Class of a vehicle for others."""

    CAR = 0
    VAN = 1
    LORRY = 2
    BUS = 3
    MOTORCYCLE = 4
    BICYCLE = 5


class Light(IntFlag):
    """Lights of a vehicle that are on, as bits of its `lights`."""

    LEFT_INDICATOR = 1
    RIGHT_INDICATOR = 2
    BRAKE = 4
    HEAD = 8
    REVERSING = 16
    SPECIAL = 32


@dataclass(frozen=True, slots=True)
class Axles:
    """Contact points of wheels: distances [m] of the axles behind the front of the vehicle."""

    places: tuple[float, ...]
    """From the front to the rear."""
    wheel_radius: float
    """Radius of the wheels [m]."""

    @property
    def wheelbase(self) -> float:
        """Distance [m] of the last axle from the first."""
        return self.places[-1] - self.places[0]


class DriverModel(NamedTuple):
    """Driving parameters of a kind of vehicle: the medians of its drivers.

    The values are those of the Intelligent Driver Model (Treiber, Hennecke and Helbing, 2000), for
    cars and lorries in towns after Treiber and Kesting, Traffic Flow Dynamics (2013), table 11.2;
    the time gaps make the median time headway of followers, front to front, 1.5 s at 50 km/h
    (Knospe et al., Physical Review E 65, 2002).

    `top_speed` [m/s] whatever the limit; `time_gap` [s] and `least_gap` [m] to the vehicle ahead;
    `acceleration` and comfortable `deceleration` [m/s²]; `lateral` acceleration [m/s²] in curves.
    """

    top_speed: float
    time_gap: float
    least_gap: float
    acceleration: float
    deceleration: float
    lateral: float


@dataclass(frozen=True, slots=True)
class VehicleKind:
    """A kind of vehicle.

    `length`, `width`, `height` [m]; `mass` [kg]; `share` of all vehicles where the world file does
    not say otherwise; `model`: the folder of its model, as in world files; `seats` for people who
    are seen inside; `colours`: how many paints it comes in.

    Attributes:
        name: name as world files state it.
        vehicle_class: class that decides on the lanes that it may take.
        axles: axles and the size of the wheels.
        driving: parameters of its drivers.
    """

    name: str
    vehicle_class: VehicleClass
    length: float
    width: float
    height: float
    axles: Axles
    mass: float
    driving: DriverModel
    share: float
    model: str
    seats: int
    colours: int = 8


_CAR = DriverModel(55.0, 0.9, 2.0, 1.4, 2.0, 2.4)
_VAN = DriverModel(45.0, 1.0, 2.0, 1.2, 2.0, 2.1)
_HEAVY = DriverModel(25.0, 1.4, 2.5, 0.9, 1.6, 1.6)
_BUS = DriverModel(22.0, 1.4, 2.5, 1.0, 1.5, 1.5)
_MOTORCYCLE = DriverModel(55.0, 0.8, 2.0, 2.0, 2.5, 2.8)
_BICYCLE = DriverModel(5.5, 1.0, 1.2, 0.8, 1.5, 2.0)

FLEET: tuple[VehicleKind, ...] = (
    VehicleKind(
        *("hatchback", VehicleClass.CAR, 4.05, 1.75, 1.48, Axles((0.80, 3.34), 0.31), 1200.0),
        *(_CAR, 0.34, "models/traffic/hatchback", 5),
    ),
    VehicleKind(
        *("saloon", VehicleClass.CAR, 4.65, 1.81, 1.45, Axles((0.90, 3.66), 0.32), 1500.0),
        *(_CAR, 0.22, "models/traffic/saloon", 5),
    ),
    VehicleKind(
        *("estate", VehicleClass.CAR, 4.70, 1.83, 1.50, Axles((0.90, 3.67), 0.32), 1600.0),
        *(_CAR, 0.16, "models/traffic/estate", 5),
    ),
    VehicleKind(
        *("van", VehicleClass.VAN, 5.30, 1.99, 2.30, Axles((0.95, 4.25), 0.34), 2300.0),
        *(_VAN, 0.12, "models/traffic/van", 3),
    ),
    VehicleKind(
        *("lorry", VehicleClass.LORRY, 7.60, 2.40, 3.20, Axles((1.25, 5.35), 0.48), 9000.0),
        *(_HEAVY, 0.05, "models/traffic/lorry", 2),
    ),
    VehicleKind(
        *("bus", VehicleClass.BUS, 11.95, 2.55, 3.10, Axles((2.70, 8.60), 0.48), 14000.0),
        *(_BUS, 0.03, "models/traffic/bus", 30),
    ),
    VehicleKind(
        *("motorcycle", VehicleClass.MOTORCYCLE, 2.15, 0.80, 1.40, Axles((0.32, 1.80), 0.31)),
        *(280.0, _MOTORCYCLE, 0.04, "models/traffic/motorcycle", 1),
    ),
    VehicleKind(
        *("bicycle", VehicleClass.BICYCLE, 1.80, 0.60, 1.75, Axles((0.34, 1.40), 0.34), 90.0),
        *(_BICYCLE, 0.04, "models/traffic/bicycle", 1),
    ),
)
"""All kinds of vehicles; their places here are the numbers in the state. Sizes are those of common
vehicles of today; a new kind goes to the end."""

KIND_NAMES: tuple[str, ...] = tuple(kind.name for kind in FLEET)


def shares_of(stated: tuple[tuple[str, float], ...]) -> Floats:
    """The share (n,) of each kind of vehicle, which add up to 1.

    Args:
        stated: names and shares of the world file; kinds that it does not name have none. Without
            any, the shares of the table hold.
    """
    named = dict(stated)
    shares = [named.get(each.name, 0.0) if named else each.share for each in FLEET]
    return np.array(shares) / sum(shares)
