"""Stationary objects and traffic lights as messages of OSI."""

from dataclasses import dataclass

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import StationaryObject
from osi3.osi_trafficlight_pb2 import TrafficLight

from autosim.arrays import Integers
from autosim.client.traffic.signal_shapes import (
    HEIGHT,
    LENS_RADIUS,
    LENSES,
    PEOPLE_HEIGHT,
    PEOPLE_LENSES,
)
from autosim.osi.osi_map.lane_layout import LaneLayout
from autosim.osi.osi_values import IdKind, dimensions, identifier, orientation, vector
from autosim.traffic.signals.signal_heads import SignalHeads, make_signal_heads
from autosim.traffic.signals.signal_plan import SignalPlan, make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CAR, HEDGE, VAN, CompiledWorld, PropKind
from autosim.world.lanes.lane_rules import SignalState

_Kind = StationaryObject.Classification
_Light = TrafficLight.Classification

_PROPS = {
    PropKind.BROADLEAF: (_Kind.TYPE_TREE, (0.6, 0.6)),
    PropKind.CONIFER: (_Kind.TYPE_TREE, (0.5, 0.5)),
    PropKind.LAMP: (_Kind.TYPE_POLE, (0.08, 0.08)),
    PropKind.BENCH: (_Kind.TYPE_OTHER, (0.0, 0.0)),
    PropKind.PARKED_CAR: (_Kind.TYPE_OTHER, (0.0, 0.0)),
    PropKind.PARKED_VAN: (_Kind.TYPE_OTHER, (0.0, 0.0)),
    PropKind.HEDGE: (_Kind.TYPE_OTHER, (0.0, 0.0)),
}
"""Type of each kind of prop, and its length and width as shares of its height; zero: see
`_SIZES`."""

_SIZES = {
    PropKind.PARKED_CAR: CAR,
    PropKind.PARKED_VAN: VAN,
    PropKind.BENCH: (0.6, 1.8, 0.9),
    PropKind.HEDGE: HEDGE,
}
"""Length, width and height [m] of props of one size; a bench looks along its length."""

_COLOURS = (_Light.COLOR_RED, _Light.COLOR_YELLOW, _Light.COLOR_GREEN)
"""Colours of the lenses of a head, from above."""

_LIT = {
    SignalState.OFF: (),
    SignalState.RED: (0,),
    SignalState.RED_AMBER: (0, 1),
    SignalState.GREEN: (2,),
    SignalState.AMBER: (1,),
    SignalState.FLASHING: (1,),
}
"""Lenses, as places in `_COLOURS`, that are lit in each state."""


def add_stationary(truth: GroundTruth, world: CompiledWorld) -> None:
    """Adds buildings that are boxes, trees, lamps, benches and parked vehicles to a message."""
    for house in world.houses:
        x, y, z = house.position
        found = _add_object(truth, _Kind.TYPE_BUILDING)
        found.base.dimension.CopyFrom(dimensions(house.size))
        found.base.position.CopyFrom(vector((x, y, z + house.size[2] / 2.0)))
        found.base.orientation.CopyFrom(orientation((0.0, 0.0, house.yaw)))
        if house.model:
            found.model_reference = house.model
    props = world.props
    for kind, foot, yaw, height in zip(
        props.kinds, props.positions, props.yaws, props.heights, strict=True
    ):
        shape, shares = _PROPS[PropKind(int(kind))]
        size = _SIZES.get(
            PropKind(int(kind)), (shares[0] * height, shares[1] * height, float(height))
        )
        found = _add_object(truth, shape)
        found.base.dimension.CopyFrom(dimensions(size))
        found.base.position.CopyFrom(vector((foot[0], foot[1], foot[2] + size[2] / 2.0)))
        found.base.orientation.CopyFrom(orientation((0.0, 0.0, float(yaw))))


def _add_object(truth: GroundTruth, shape: int) -> StationaryObject:
    number = len(truth.stationary_object)
    found: StationaryObject = truth.stationary_object.add()
    found.id.value = identifier(IdKind.STATIONARY, number)
    found.classification.type = shape
    found.classification.density = _Kind.DENSITY_SOLID
    found.classification.material = _Kind.MATERIAL_OTHER
    return found


@dataclass(frozen=True, slots=True)
class _Bulb:
    """One lens: its message, the number of its signal, its place in `_COLOURS`, and its lanes."""

    message: TrafficLight
    signal: int
    colour: int
    lanes: tuple[int, ...]


class TrafficLights:
    """The lenses of all signals of a world, each a message.

    Args:
        world: of the signals.
        layout: of its lanes.
    """

    def __init__(self, world: CompiledWorld, layout: LaneLayout) -> None:
        plan = make_plan(world, most=MOST_SIGNALS)
        heads = make_signal_heads(plan, world)
        self._bulbs = [
            bulb
            for head in range(len(heads.groups))
            for bulb in _bulbs_of(heads, head, plan, layout)
        ]
        for number, bulb in enumerate(self._bulbs):
            bulb.message.id.value = identifier(IdKind.TRAFFIC_LIGHT, number)

    def add(self, truth: GroundTruth, shown: Integers, *, has_lanes: bool) -> None:
        """Adds the lenses to a message, in the states (s,) of `SignalState` of all signals.

        With `has_lanes`, they name the lanes that wait for them.
        """
        for bulb in self._bulbs:
            state = SignalState(int(shown[bulb.signal]))
            kind = bulb.message.classification
            if bulb.colour not in _LIT[state]:
                kind.mode = _Light.MODE_OFF
            elif state is SignalState.FLASHING:
                kind.mode = _Light.MODE_FLASHING
            else:
                kind.mode = _Light.MODE_CONSTANT
            found = truth.traffic_light.add()
            found.CopyFrom(bulb.message)
            if has_lanes:
                for lane in bulb.lanes:
                    found.classification.assigned_lane_id.add().value = lane


def _bulbs_of(heads: SignalHeads, head: int, plan: SignalPlan, layout: LaneLayout) -> list[_Bulb]:
    signal, is_people = int(heads.groups[head]), bool(heads.is_people[head])
    group = plan.groups[signal]
    found = []
    for colour, above in enumerate(PEOPLE_LENSES if is_people else LENSES):
        if is_people and colour == 1:
            continue
        message = TrafficLight()
        foot, yaw = heads.feet[head], float(heads.yaws[head])
        middle = PEOPLE_HEIGHT if is_people else HEIGHT
        size = (LENS_RADIUS, 2.0 * LENS_RADIUS, 2.0 * LENS_RADIUS)
        message.base.dimension.CopyFrom(dimensions(size))
        message.base.position.CopyFrom(
            vector(
                (
                    foot[0] + LENS_RADIUS * np.cos(yaw),
                    foot[1] + LENS_RADIUS * np.sin(yaw),
                    foot[2] + middle + above,
                )
            )
        )
        message.base.orientation.CopyFrom(orientation((0.0, 0.0, yaw)))
        kind = message.classification
        kind.color = _COLOURS[colour]
        kind.icon = _Light.ICON_PEDESTRIAN if is_people else _Light.ICON_NONE
        kind.is_out_of_service = False
        lanes = tuple(sorted({layout.lane_ids[lane] for lane in group.lasts}))
        found.append(_Bulb(message, signal, colour, lanes))
    return found
