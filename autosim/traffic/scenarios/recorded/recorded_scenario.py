"""Makes scenarios of recorded actors, whatever the log is in which they were recorded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats
from autosim.config.scenarios import PERSON, Actor, Scenario, Track
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass

_CLASSES = {
    "car": (VehicleClass.CAR,),
    "taxi": (VehicleClass.CAR,),
    "parkedvehicle": (VehicleClass.CAR,),
    "priorityvehicle": (VehicleClass.CAR,),
    "vehicle": (VehicleClass.CAR,),
    "unknown": (VehicleClass.CAR,),
    "van": (VehicleClass.VAN,),
    "truck": (VehicleClass.LORRY, VehicleClass.VAN),
    "truck_bus": (VehicleClass.LORRY, VehicleClass.BUS),
    "lorry": (VehicleClass.LORRY,),
    "bus": (VehicleClass.BUS,),
    "motorcycle": (VehicleClass.MOTORCYCLE,),
    "bicycle": (VehicleClass.BICYCLE,),
    "cyclist": (VehicleClass.BICYCLE,),
}
"""Classes of the fleet among which the kind of an actor is found by its size."""

PEOPLE = frozenset({"pedestrian", "person"})
"""Kinds of logs for people on foot."""

_MOVED = 1.0
"""Distance [m] that a vehicle has to move in a log to count as one that drives."""

_NO_TIME = 0.1
"""Shortest duration [s] of a scenario."""


@dataclass(frozen=True, slots=True)
class RecordedActor:
    """An actor of a log, in W.

    Attributes:
        name: unique name.
        kind: type in the log, such as `car`.
        times: (n,) [s], ascending.
        poses: (n, 3) x, y [m] of its middle, yaw [rad].
        length: in metres, 0: unknown.
        width: in metres, 0: unknown.
    """

    name: str
    kind: str
    times: Floats
    poses: Floats
    length: float
    width: float


def kind_of(kind: str, length: float, width: float) -> str | None:
    """The kind of the fleet that is most like an actor; None for what the fleet does not have."""
    small = kind.lower()
    if small in PEOPLE:
        return PERSON
    names = [each.name for each in FLEET]
    if small in names:
        return small
    chosen = [each for each in FLEET if each.vehicle_class in _CLASSES.get(small, ())]
    if not chosen:
        return None
    if length <= 0.0:
        return chosen[0].name
    gaps = [abs(each.length - length) + abs(each.width - (width or each.width)) for each in chosen]
    return chosen[int(np.argmin(gaps))].name


def scenario_of(
    name: str, recorded: Iterable[RecordedActor], others: Sequence[Actor] = ()
) -> Scenario:
    """A scenario in which actors move as they were recorded.

    Args:
        name: of the scenario.
        recorded: the actors; those of kinds that the fleet does not have are left out.
        others: actors without a track, such as the one under test.
    """
    actors = list(others)
    last = _NO_TIME
    for each in recorded:
        kind = kind_of(each.kind, each.length, each.width)
        if kind is None:
            continue
        poses = tuple((float(x), float(y), float(yaw)) for x, y, yaw in each.poses.tolist())
        track = Track(tuple(float(time) for time in each.times.tolist()), poses)
        actors.append(Actor(each.name, kind, track=track))
        last = max(last, track.times[-1])
    return Scenario(name, last, actors=tuple(actors))


def with_reactive_actors(scenario: Scenario, reactive: str = "idm") -> Scenario:
    """The scenario whose recorded vehicles drive by themselves along their recorded ways.

    They begin as recorded, and then keep their distance to others by the Intelligent Driver Model,
    with the highest recorded speed as the one that they desire.

    Raises:
        ValueError: `reactive` is not `idm`.
    """
    if reactive != "idm":
        raise ValueError(f"reactive is {reactive!r}; expected 'idm'")
    actors = tuple(
        replace(each, is_reactive=each.kind != PERSON and _drives(each.track))
        for each in scenario.actors
    )
    return replace(scenario, actors=actors)


def _drives(track: Track | None) -> bool:
    """Whether a vehicle moves at all; one that is parked stays as it is."""
    if track is None:
        return False
    places = np.array(track.poses)[:, :2]
    return bool(np.ptp(places, axis=0).max() > _MOVED)
