"""The vehicles and people of traffic as programs see them, and what programs order of vehicles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from autosim.arrays import Floats
from autosim.traffic.traffic_node import P, V
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES, Light

_CHANGES = {"left": 1.0, "right": -1.0, None: 0.0}

NO_LANE = -1
"""The lane of an order that puts a vehicle nowhere."""


@dataclass(frozen=True, slots=True)
class TrafficVehicle:
    """A vehicle of traffic.

    Attributes:
        number: its place in `traffic.vehicles`.
        kind: such as "bus".
        position: (3,) [m] in W of the ground below its middle.
        yaw: [rad] from east to north.
        speed: [m/s].
        lights: that shine.
        length, width: [m].
    """

    number: int
    kind: str
    position: Floats
    yaw: float
    speed: float
    lights: Light
    length: float
    width: float


@dataclass(frozen=True, slots=True)
class TrafficPerson:
    """A person on foot.

    Attributes:
        number: row in `traffic.people`.
        position: (3,) [m] in W of the feet.
        yaw: [rad] from east to north.
        speed: [m/s].
    """

    number: int
    position: Floats
    yaw: float
    speed: float


@dataclass(frozen=True, slots=True)
class VehicleOrder:
    """A row of `traffic.vehicle_orders`, by `VEHICLE_ORDER_COLUMNS`."""

    vehicle: int
    """Slot of the vehicle."""
    speed: float
    """Ordered speed [m/s]; negative for its own."""
    change: float
    """1 to change to the left lane, -1 to the right, else 0."""
    street: int
    """Street to take next, -1 for any."""
    lane: int
    """Lane on which to appear, -1 for none."""
    station: float
    """Station [m] of its front there."""
    leave: bool
    """Whether it is to vanish."""

    @classmethod
    def of(
        cls,
        number: int,
        *,
        speed: float | None,
        lane_change: Literal["left", "right"] | None,
        street: int | None,
        place: tuple[int, float] | None,
        remove: bool,
    ) -> "VehicleOrder | None":
        """The order of these wishes, None where there are none; see `order_vehicle`.

        Raises:
            ValueError: one of them means nothing.
        """
        if (
            speed is None
            and lane_change is None
            and street is None
            and place is None
            and not remove
        ):
            return None
        if lane_change not in _CHANGES:
            raise ValueError(f"lane_change is 'left', 'right' or None, not {lane_change!r}")
        if speed is not None and not speed >= 0.0:
            raise ValueError(f"speed is 0 m/s or more, not {speed!r}")
        if not isinstance(street, Integral | None):
            raise ValueError(f"street is a number, as get_roads().lanes[12].road, not {street!r}")
        lane, station = place if place is not None else (NO_LANE, 0.0)
        if place is not None and (not isinstance(lane, Integral) or lane < 0):
            raise ValueError(f"place is the number of a lane and metres along it, not {place!r}")
        return cls(
            number,
            -1.0 if speed is None else speed,
            _CHANGES[lane_change],
            -1 if street is None else street,
            lane,
            station,
            remove,
        )


def vehicles_of(rows: Floats) -> list[TrafficVehicle]:
    """The vehicles of the rows (n, 12) of a state, without free places."""
    return [
        TrafficVehicle(
            number=number,
            kind=KIND_NAMES[int(row[V.kind])],
            position=row[V.x : V.z + 1].copy(),
            yaw=float(row[V.yaw]),
            speed=float(row[V.speed]),
            lights=Light(int(row[V.lights])),
            length=FLEET[int(row[V.kind])].length,
            width=FLEET[int(row[V.kind])].width,
        )
        for number, row in enumerate(rows)
        if row[V.kind] >= 0.0
    ]


def people_of(rows: Floats) -> list[TrafficPerson]:
    """The people of the rows (n, 9) of a state, without free places."""
    return [
        TrafficPerson(
            number=number,
            position=row[P.x : P.z + 1].copy(),
            yaw=float(row[P.yaw]),
            speed=float(row[P.speed]),
        )
        for number, row in enumerate(rows)
        if row[P.kind] >= 0.0
    ]


def rows_of(orders: Iterable[VehicleOrder]) -> Floats:
    """The rows (n, 7) of `traffic.vehicle_orders`."""
    return np.array([astuple(each) for each in orders], dtype=np.float64).reshape(-1, 7)


def route_rows(routes: Mapping[int, Sequence[int]]) -> Floats:
    """The rows (n, 2) of `traffic.vehicle_routes`: vehicles, and lanes of their streets."""
    rows = [(number, lane) for number, lanes in routes.items() for lane in lanes]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)
