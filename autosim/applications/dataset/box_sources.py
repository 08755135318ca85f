"""The boxes of what drives, walks or is parked, in the world."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.scene.robot_nodes import class_of_robot
from autosim.client.tiles.instance_labels import CLASS_OF_PROP, StandingInstances
from autosim.client.traffic.appearance import posed_people, posed_vehicles
from autosim.config.descriptions import WorldDescription
from autosim.model.belief import (
    ANGULAR_VELOCITY,
    ORIENTATION,
    POSITION,
    VELOCITY,
    truth_of,
)
from autosim.model.instance_numbers import FIRST_PERSON, FIRST_VEHICLE, instance_numbers
from autosim.model.quaternions import matrix_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.osi.osi_objects.robot_shape import RobotShape
from autosim.traffic.traffic_node import P, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET
from autosim.world.compiled.compiled_world import CAR, VAN, CompiledWorld, PropKind

_SIZES: Floats = np.array([(each.length, each.width, each.height) for each in FLEET])
_PERSON = np.array([0.5, 0.6, 1.75])
"""Length, width and height [m] of a person of mean size."""

_PARKED = {PropKind.PARKED_CAR: CAR, PropKind.PARKED_VAN: VAN}


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes in the world, one a row.

    Attributes:
        numbers: (n,) of instance pictures.
        classes: (n,) semantic classes.
        centres: (n, 3) [m] in W.
        sizes: (n, 3) [m] length, width, height.
        rotations: (n, 3, 3) from the box's axes (forward, left, up) to W.
        speeds: (n,) [m/s].
        travelled: (n,) [m] so far; it falls where another one takes over the number.
    """

    numbers: Integers
    classes: Integers
    centres: Floats
    sizes: Floats
    rotations: Floats
    speeds: Floats
    travelled: Floats

    @classmethod
    def join(cls, parts: "list[Boxes]") -> "Boxes":
        """The boxes of several sources."""
        return cls(
            np.concatenate([each.numbers for each in parts]),
            np.concatenate([each.classes for each in parts]),
            np.concatenate([each.centres for each in parts]),
            np.concatenate([each.sizes for each in parts]),
            np.concatenate([each.rotations for each in parts]),
            np.concatenate([each.speeds for each in parts]),
            np.concatenate([each.travelled for each in parts]),
        )


class BoxSources:
    """All boxes of a world at a state.

    Args:
        world: its robots.
        compiled: its parked vehicles.
        state: whose buffer holds the values; its tree numbers the robots.
    """

    def __init__(self, world: WorldDescription, compiled: CompiledWorld, state: State) -> None:
        self._parked = _parked(compiled)
        numbers = instance_numbers(state.tree)
        self._robots = [
            (
                truth_of(state.tree, placed.name).start // WORD,
                RobotShape.of(placed.robot),
                numbers[placed.name],
                class_of_robot(placed.robot),
            )
            for placed in world.robots
        ]

    def at(self, state: State) -> Boxes:
        """The boxes at a state."""
        return Boxes.join([self._of_robots(state), *_of_traffic(state), self._parked])

    def _of_robots(self, state: State) -> Boxes:
        count = len(self._robots)
        found = Boxes(
            np.array([each[2] for each in self._robots], dtype=np.int64),
            np.array([each[3] for each in self._robots], dtype=np.int64),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 3, 3)),
            np.zeros(count),
            np.zeros(count),
        )
        for row, (start, shape, _, _) in enumerate(self._robots):
            words = state.floats[start:]
            qx, qy, qz, qw = words[ORIENTATION:VELOCITY].tolist()
            rotation = matrix_of((qx, qy, qz, qw))
            found.centres[row] = words[POSITION:ORIENTATION] + rotation @ shape.centre
            found.sizes[row] = shape.size
            found.rotations[row] = rotation
            found.speeds[row] = np.sqrt((words[VELOCITY:ANGULAR_VELOCITY] ** 2).sum())
        return found


def _of_traffic(state: State) -> list[Boxes]:
    arrays = traffic_arrays_of(state)
    if arrays is None:
        return []
    vehicles, people = arrays.vehicles, arrays.people
    rows = np.flatnonzero(vehicles[:, V.kind] >= 0.0)
    walkers = np.flatnonzero(people[:, P.kind] >= 0.0)
    driven, walking = posed_vehicles(vehicles[rows], state.time), posed_people(people[walkers])
    return [
        _standing_on(
            FIRST_VEHICLE + rows,
            driven.labels[:, 0].astype(np.int64),
            driven.places,
            _SIZES[vehicles[rows, V.kind].astype(np.int64)],
            driven.rotations,
            vehicles[rows][:, [V.speed, V.rolled]],
        ),
        _standing_on(
            FIRST_PERSON + walkers,
            walking.labels[:, 0].astype(np.int64),
            walking.places,
            walking.sizes[:, None] * _PERSON,
            walking.rotations,
            people[walkers][:, [P.speed, P.walked]],
        ),
    ]


def _standing_on(
    numbers: Integers,
    classes: Integers,
    feet: Floats,
    sizes: Floats,
    rotations: Floats,
    motion: Floats,
) -> Boxes:
    """Boxes by the middles (n, 3) of their undersides; `motion` (n, 2): speed, way travelled."""
    centres = feet + rotations[:, :, 2] * sizes[:, 2:] / 2.0
    return Boxes(numbers, classes, centres, sizes, rotations, motion[:, 0], motion[:, 1])


def _parked(compiled: CompiledWorld) -> Boxes:
    props = compiled.props
    rows = np.flatnonzero(np.isin(props.kinds, list(_PARKED)))
    kinds = [PropKind(int(each)) for each in props.kinds[rows]]
    cos, sin, flat = np.cos(props.yaws[rows]), np.sin(props.yaws[rows]), np.zeros(len(rows))
    axes = [cos, -sin, flat, sin, cos, flat, flat, flat, flat + 1.0]
    return _standing_on(
        StandingInstances(compiled).of_props(rows),
        np.array([CLASS_OF_PROP[kind] for kind in kinds], dtype=np.int64),
        props.positions[rows],
        np.array([_PARKED[kind] for kind in kinds]).reshape(-1, 3),
        np.column_stack(axes).reshape(-1, 3, 3),
        np.zeros((len(rows), 2)),
    )
