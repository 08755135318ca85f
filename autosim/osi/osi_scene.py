"""All messages of a world: its topics, and how their messages are made from a state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficupdate_pb2 import TrafficUpdate

from autosim.model.state import State
from autosim.osi.host_vehicle import HostVehicle
from autosim.osi.osi_map.lane_layout import LaneLayout
from autosim.osi.osi_map.lanes import add_lanes
from autosim.osi.osi_map.logical_lanes import add_logical_lanes
from autosim.osi.osi_map.objects_and_lights import TrafficLights, add_stationary
from autosim.osi.osi_objects.passive_objects import PassiveObjects
from autosim.osi.osi_objects.robot_messages import RobotObject
from autosim.osi.osi_objects.traffic_messages import TrafficMessages
from autosim.osi.osi_values import interface_version, orientation, timestamp, vector
from autosim.osi.packed_rows import with_length
from autosim.osi.sensor_views import OsiSensor, describe_sensors, measurements_of, sensors_of
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.map_projection import MapProjection

_GROUND_TRUTH = 7
"""Number of the field global_ground_truth of a SensorView."""

_ASIDE = 0.3
"""Distance [m] beyond the edge of a lane up to which an object is still in it."""


@dataclass(frozen=True, slots=True)
class OsiTopic:
    """A channel.

    `name`; `kind`: the type of its messages; `make`: makes one at a time [ns]; `period` [s] of
    simulated time between two messages, 0: one for each state.
    """

    name: str
    kind: str
    make: Callable[[int], bytes]
    period: float = 0.0


class OsiScene:
    """The messages of one world.

    Args:
        state: of the world; messages have its newest values.
        world: the compiled map; None: messages have no lanes, signals and buildings.
    """

    def __init__(self, state: State, world: CompiledWorld | None = None) -> None:
        self._state, self._world = state, world
        tree = state.tree
        described = [replace(tree.descriptions[each.name], name=each.name) for each in tree.robots]
        self.robots = [RobotObject(state, each, number) for number, each in enumerate(described)]
        self.objects = PassiveObjects(state)
        self._traffic = traffic_arrays_of(state)
        self._users = None if self._traffic is None else TrafficMessages(self._traffic)
        self._projection = None if world is None else MapProjection(world.origin)
        self._layout = None if world is None else LaneLayout.of(world.roads)
        self._lights = None
        if world is not None and self._layout is not None and self._traffic is not None:
            self._lights = TrafficLights(world, self._layout)
        self._hosts = [HostVehicle(state, each, self._projection) for each in self.robots]
        self._sensors = [sensors_of(state, each) for each in self.robots]
        self._truth: tuple[int, GroundTruth] | None = None
        self._map: bytes | None = None
        self._has_map = False

    def static_map(self) -> bytes:
        """Lanes, boundaries and stationary objects, as the rest of a `GroundTruth`, encoded.

        By the rules of protobuf, bytes that follow a message are merged into it.
        """
        if self._map is None:
            self._map = self._make_map()
        return self._map

    def complete(self, topic: OsiTopic, time: int) -> bytes:
        """A message of a topic with all that does not change.

        It is the first one that a receiver gets; later ones are without.
        """
        self._truth, self._has_map = None, True
        message = topic.make(time)
        self._truth, self._has_map = None, False
        if topic.kind == "GroundTruth":
            return message + self.static_map()
        if topic.kind == "SensorView":
            return message + with_length(_GROUND_TRUTH, self.static_map())
        return message

    def _make_map(self) -> bytes:
        if self._world is None or self._layout is None:
            return b""
        truth = GroundTruth()
        add_lanes(truth, self._world, self._layout)
        add_logical_lanes(truth, self._world.roads, self._layout)
        add_stationary(truth, self._world)
        return bytes(truth.SerializeToString())

    def topics(self) -> Iterator[OsiTopic]:
        """All channels: the ground truth, and those of each robot."""
        yield OsiTopic("GroundTruth", "GroundTruth", self.ground_truth)
        for robot, host, sensors in zip(self.robots, self._hosts, self._sensors, strict=True):
            yield OsiTopic(f"{robot.name}/SensorView", "SensorView", self._viewing(host, sensors))
            yield OsiTopic(f"{robot.name}/HostVehicleData", "HostVehicleData", _encoding(host))
            yield OsiTopic(f"{robot.name}/TrafficUpdate", "TrafficUpdate", self._updating(host))
            for sensor in sensors:
                make = measurements_of(sensor)
                if make is not None:
                    name = f"{robot.name}/{sensor.name}/SensorData"
                    yield OsiTopic(name, "SensorData", make, sensor.period)

    def ground_truth(self, time: int) -> bytes:
        """Everything that moves or changes, at a simulated time [ns], encoded."""
        return bytes(self._ground_truth(time).SerializeToString())

    def _ground_truth(self, time: int) -> GroundTruth:
        if self._truth is not None and self._truth[0] == time:
            return self._truth[1]
        truth = GroundTruth(version=interface_version(), timestamp=timestamp(time))
        truth.moving_object.extend(each.message() for each in self.robots)
        truth.moving_object.extend(self.objects.messages())
        if self._users is not None:
            truth.moving_object.extend(self._users.messages(time))
        if truth.moving_object:
            truth.host_vehicle_id.value = truth.moving_object[0].id.value
        if self._world is not None:
            latitude, longitude = self._world.origin
            truth.proj_string = (
                f"+proj=tmerc +lat_0={latitude!r} +lon_0={longitude!r} +k=1 +x_0=0 +y_0=0 "
                "+datum=WGS84 +units=m +no_defs"
            )
            truth.map_reference = self._world.name
            self._assign_lanes(truth)
        if self._lights is not None and self._traffic is not None:
            self._lights.add(truth, self._traffic.signals, has_lanes=self._has_map)
        self._truth = (time, truth)
        return truth

    def _assign_lanes(self, truth: GroundTruth) -> None:
        """Names the lanes on which vehicles are."""
        assert self._world is not None
        assert self._layout is not None
        roads = self._world.roads
        on_road: list[MovingObject] = [
            each for each in truth.moving_object if each.type == MovingObject.TYPE_VEHICLE
        ]
        if not on_road or not len(roads.points):
            return
        places = [each.base.position for each in on_road]
        points = np.array([(p.x, p.y, p.z) for p in places])
        points[:, 2] -= [each.base.dimension.height / 2.0 for each in on_road]
        headings = np.array([each.base.orientation.yaw for each in on_road])
        lanes, coordinates = roads.nearest_lanes(points, headings)
        within = roads.widths[lanes] / 2.0 + _ASIDE
        for message, lane, is_on in zip(
            on_road, lanes, np.abs(coordinates[:, 1]) <= within, strict=True
        ):
            if is_on:
                found = message.moving_object_classification
                found.assigned_lane_id.add().value = self._layout.lane_ids[int(lane)]

    def _viewing(self, host: HostVehicle, sensors: list[OsiSensor]) -> Callable[[int], bytes]:
        view = SensorView(version=interface_version())
        view.sensor_id.value = view.host_vehicle_id.value = host.id
        view.mounting_position.position.CopyFrom(vector((0.0, 0.0, 0.0)))
        view.mounting_position.orientation.CopyFrom(orientation((0.0, 0.0, 0.0)))
        describe_sensors(view, sensors)

        def make(time: int) -> bytes:
            view.timestamp.CopyFrom(timestamp(time))
            view.host_vehicle_data.CopyFrom(host.message(time))
            view.global_ground_truth.CopyFrom(self._ground_truth(time))
            view.global_ground_truth.host_vehicle_id.value = host.id
            return bytes(view.SerializeToString())

        return make

    def _updating(self, host: HostVehicle) -> Callable[[int], bytes]:
        def make(time: int) -> bytes:
            update = TrafficUpdate(version=interface_version(), timestamp=timestamp(time))
            update.update.append(host.robot.message())
            update.internal_state.append(host.message(time))
            return bytes(update.SerializeToString())

        return make


def _encoding(host: HostVehicle) -> Callable[[int], bytes]:
    def make(time: int) -> bytes:
        return bytes(host.message(time).SerializeToString())

    return make
