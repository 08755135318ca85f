"""The vehicles and people of traffic as moving objects of OSI."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from osi3.osi_object_pb2 import MovingObject

from autosim.arrays import Floats
from autosim.osi.osi_values import IdKind, dimensions, identifier, orientation, vector
from autosim.traffic.traffic_node import P, TrafficArrays, V
from autosim.traffic.vehicle_kinds import FLEET, Light, VehicleClass, VehicleKind

_Vehicle: TypeAlias = MovingObject.VehicleClassification
_Lights: TypeAlias = MovingObject.VehicleClassification.LightState
_Brake = _Lights.BRAKE_LIGHT_STATE_NORMAL, _Lights.BRAKE_LIGHT_STATE_OFF

_TYPES = {
    VehicleClass.CAR: (_Vehicle.TYPE_CAR, 4),
    VehicleClass.VAN: (_Vehicle.TYPE_VAN, 4),
    VehicleClass.LORRY: (_Vehicle.TYPE_HEAVY_TRUCK, 6),
    VehicleClass.BUS: (_Vehicle.TYPE_BUS, 6),
    VehicleClass.MOTORCYCLE: (_Vehicle.TYPE_MOTORCYCLE, 2),
    VehicleClass.BICYCLE: (_Vehicle.TYPE_BICYCLE, 2),
}
"""Type and number of wheels of each class."""

_PERSON_SIZE = np.array([0.5, 0.6, 1.75])
"""[m] Box of a person: along its way, across, and upwards."""


@dataclass(slots=True)
class _Slot:
    """The occupant of a row: its identifier, and what the last message said of it."""

    id: int
    travelled: float
    velocity: Floats
    yaw: float
    time: int


class _Occupants:
    """Identifiers of the occupants of rows: a row whose occupant is another one has a new one."""

    def __init__(self, kind: IdKind) -> None:
        self._kind, self._slots, self._next = kind, dict[int, _Slot](), 0

    def find(self, row: int, travelled: float) -> _Slot | None:
        """The occupant of a row; None where it is new there."""
        known = self._slots.get(row)
        return known if known is not None and known.travelled <= travelled else None

    def save(self, row: int, slot: _Slot) -> None:
        """Stores what a message said of the occupant of a row."""
        self._slots[row] = slot

    def new_id(self) -> int:
        """An identifier that none has had."""
        self._next += 1
        return identifier(self._kind, self._next)

    def release(self, occupied: set[int]) -> None:
        """Drops the occupants of rows that are empty."""
        for row in self._slots.keys() - occupied:
            del self._slots[row]


class TrafficMessages:
    """Makes the messages of all vehicles and people.

    Accelerations and yaw rates are differences to the message before.

    Args:
        arrays: of traffic; views of the state.
    """

    def __init__(self, arrays: TrafficArrays) -> None:
        self._arrays = arrays
        self._vehicles, self._people = _Occupants(IdKind.VEHICLE), _Occupants(IdKind.PERSON)
        self._fixed = [_fixed_vehicle(kind) for kind in FLEET]

    def messages(self, time: int) -> list[MovingObject]:
        """All vehicles and people at a simulated time [ns]."""
        return [*self._vehicle_messages(time), *self._people_messages(time)]

    def _vehicle_messages(self, time: int) -> list[MovingObject]:
        table, found = self._arrays.vehicles, []
        rows = np.flatnonzero(table[:, V.kind] >= 0.0).tolist()
        self._vehicles.release(set(rows))
        for row in rows:
            values = table[row]
            message = MovingObject()
            message.CopyFrom(self._fixed[int(values[V.kind])])
            angles = values[[V.roll, V.pitch, V.yaw]]
            size = FLEET[int(values[V.kind])]
            _place(message, values[V.x : V.z + 1], angles, size.height / 2.0)
            _move(message, self._vehicles, row, values[V.speed], values[V.rolled], time)
            for wheel in message.vehicle_attributes.wheel_data:
                wheel.rotation_rate = float(values[V.speed]) / wheel.wheel_radius
                if wheel.axle == 0:
                    wheel.orientation.yaw = float(values[V.steering])
            _set_lights(message.vehicle_classification.light_state, Light(int(values[V.lights])))
            found.append(message)
        return found

    def _people_messages(self, time: int) -> list[MovingObject]:
        table, found = self._arrays.people, []
        rows = np.flatnonzero(table[:, P.kind] >= 0.0).tolist()
        self._people.release(set(rows))
        for row in rows:
            values, message = table[row], MovingObject()
            message.type = MovingObject.TYPE_PEDESTRIAN
            lying = float(np.clip(values[P.posture], 0.0, 1.0))
            message.base.dimension.CopyFrom(dimensions(_PERSON_SIZE))
            angles = np.array([0.0, lying * np.pi / 2.0, values[P.yaw]])
            up = _PERSON_SIZE[2] / 2.0 * (1.0 - lying) + _PERSON_SIZE[0] / 2.0 * lying
            base = message.base
            base.position.CopyFrom(vector(values[P.x : P.z + 1] + np.array([0.0, 0.0, up])))
            base.orientation.CopyFrom(orientation(angles))
            message.pedestrian_attributes.SetInParent()
            _move(message, self._people, row, values[P.speed], values[P.walked], time)
            found.append(message)
        return found


def _fixed_vehicle(kind: VehicleKind) -> MovingObject:
    """The part of the messages of a kind of vehicle that is the same for all of them."""
    found = MovingObject()
    found.type = MovingObject.TYPE_VEHICLE
    found.base.dimension.CopyFrom(dimensions((kind.length, kind.width, kind.height)))
    found.model_reference = kind.model
    classification, body = found.vehicle_classification, found.vehicle_attributes
    classification.type, body.number_wheels = _TYPES[kind.vehicle_class]
    classification.role, classification.has_trailer = _Vehicle.ROLE_CIVIL, False
    radius = kind.axles.wheel_radius
    body.radius_wheel = radius
    up = radius - kind.height / 2.0
    places = [kind.length / 2.0 - behind for behind in kind.axles.places]
    body.bbcenter_to_front.CopyFrom(vector((places[0], 0.0, up)))
    body.bbcenter_to_rear.CopyFrom(vector((places[-1], 0.0, up)))
    is_narrow = kind.vehicle_class in (VehicleClass.MOTORCYCLE, VehicleClass.BICYCLE)
    sides = (0.0,) if is_narrow else (-0.4 * kind.width, 0.4 * kind.width)
    for axle, x in enumerate(places):
        for index, y in enumerate(sides):
            wheel = body.wheel_data.add(axle=axle, index=index, wheel_radius=radius)
            wheel.position.CopyFrom(vector((x, y, up)))
            wheel.orientation.CopyFrom(orientation((0.0, 0.0, 0.0)))
    return found


def _place(message: MovingObject, foot: Floats, angles: Floats, up: float) -> None:
    """Writes the centre of a box, which is `up` [m] above its foot along its own z axis."""
    sin_pitch, cos_pitch = np.sin(angles[1]), np.cos(angles[1])
    axis = np.array([np.cos(angles[2]) * sin_pitch, np.sin(angles[2]) * sin_pitch, cos_pitch])
    message.base.position.CopyFrom(vector(foot + up * axis))
    message.base.orientation.CopyFrom(orientation(angles))


def _move(
    message: MovingObject,
    occupants: _Occupants,
    row: int,
    speed: float,
    travelled: float,
    time: int,
) -> None:
    """Writes identifier, velocity, acceleration and yaw rate."""
    angles = message.base.orientation
    is_person = message.type == MovingObject.TYPE_PEDESTRIAN
    pitch = 0.0 if is_person else angles.pitch
    velocity = speed * np.array(
        [
            np.cos(angles.yaw) * np.cos(pitch),
            np.sin(angles.yaw) * np.cos(pitch),
            -np.sin(pitch),
        ]
    )
    known = occupants.find(row, travelled)
    acceleration, rate = np.zeros(3), 0.0
    if known is not None and time > known.time:
        seconds = (time - known.time) * 1e-9
        acceleration = (velocity - known.velocity) / seconds
        turn = (angles.yaw - known.yaw + np.pi) % (2.0 * np.pi) - np.pi
        rate = turn / seconds
    message.id.value = occupants.new_id() if known is None else known.id
    message.base.velocity.CopyFrom(vector(velocity))
    message.base.acceleration.CopyFrom(vector(acceleration))
    message.base.orientation_rate.CopyFrom(orientation((0.0, 0.0, rate)))
    occupants.save(row, _Slot(message.id.value, travelled, velocity, angles.yaw, time))


def _set_lights(lights: _Lights, on: Light) -> None:
    left, right = Light.LEFT_INDICATOR in on, Light.RIGHT_INDICATOR in on
    if left and right:
        lights.indicator_state = _Lights.INDICATOR_STATE_WARNING
    elif left or right:
        lights.indicator_state = (
            _Lights.INDICATOR_STATE_LEFT if left else _Lights.INDICATOR_STATE_RIGHT
        )
    else:
        lights.indicator_state = _Lights.INDICATOR_STATE_OFF
    lights.brake_light_state = _Brake[0] if Light.BRAKE in on else _Brake[1]
    shown = _Lights.GENERIC_LIGHT_STATE_OFF, _Lights.GENERIC_LIGHT_STATE_ON
    lights.head_light = lights.tail_light = shown[Light.HEAD in on]
    lights.reversing_light = shown[Light.REVERSING in on]
    lights.emergency_vehicle_illumination = (
        _Lights.GENERIC_LIGHT_STATE_FLASHING_BLUE
        if Light.SPECIAL in on
        else _Lights.GENERIC_LIGHT_STATE_OFF
    )
