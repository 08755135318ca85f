"""The bridge: states of a server become messages, messages become commands to the server."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from autosim.config.descriptions import RobotDescription
from autosim.model.commands import Command
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.ros2.driving.robot_commands import RobotCommands
from autosim.ros2.message_types import Fields
from autosim.ros2.node_lockstep import CLOCK, CLOCK_TOPIC
from autosim.ros2.pictures import CameraTopics
from autosim.ros2.robots.joint_states import joint_topics
from autosim.ros2.robots.odometry import RobotTransforms, device_frame, odometry_topics
from autosim.ros2.robots.robot_description import urdf_of
from autosim.ros2.robots.robot_diagnostics import diagnostic_topics
from autosim.ros2.robots.traffic_truth import traffic_topics
from autosim.ros2.robots.vehicle_reports import vehicle_topics
from autosim.ros2.ros_frames import NANOSECONDS, part_frame, stamp_of
from autosim.ros2.ros_graph import GraphParticipant, Quality, Sink, ros_name
from autosim.ros2.sensors.device_topics import topics_of
from autosim.ros2.sensors.topics import AnyDevice, DeviceOf, RosTopic

_TRANSFORMS, _TEXT = "tf2_msgs/msg/TFMessage", "std_msgs/msg/String"

TRAFFIC_HZ = 10.0
"""Messages about traffic in a simulated second."""

_TOLERANCE_NS = 1_000_000
"""Time [ns] by which a state may come before a period begins: times of steps are rounded."""

Report = Callable[[str], None]
"""Called with what people should know."""


@dataclass(slots=True)
class _Published:
    """A topic, its publisher, and the number of the period in which it was published last."""

    topic: RosTopic
    publisher: Sink
    slot: int = -1


class Bridge:
    """The topics and subscriptions of all robots of one world.

    Args:
        node: that publishes and subscribes.
        state: of the world; `publish` reads its newest values.
        rate: states [Hz] of simulated time for which odometry, transforms and joints are
            published; 0: all.
        report: called with why messages were not obeyed.
        cameras: publishes pictures; owned from now on. None: there are none.
    """

    def __init__(
        self,
        node: GraphParticipant,
        state: State,
        *,
        rate: float = 50.0,
        report: Report = lambda text: None,
        cameras: CameraTopics | None = None,
    ) -> None:
        self._state, self._node, self._cameras = state, node, cameras
        self._types = node.types
        tree = state.tree
        robots = robots_of(tree)
        self._period = 1.0 / rate if rate > 0.0 else 0.0
        self._clock = node.publisher(CLOCK_TOPIC, CLOCK, Quality.SENSOR)
        self._transforms = [RobotTransforms(state, each) for each in robots]
        self._moving = self._published(
            RosTopic("/tf", _TRANSFORMS, self._moving_transforms, Quality.DEFAULT, self._period)
        )
        self._topics = [self._published(each) for each in self._all_topics(robots)]
        self._publish_static()
        self._publish_descriptions(robots)
        self._commands = [RobotCommands(node, state, each, report) for each in robots]

    def publish(self) -> None:
        """Publishes what the state says, as far as it is due and anything subscribes to it."""
        now = int(self._state.ints[1])
        for each in (self._moving, *self._topics):
            self._publish(each, now)
        if self._cameras is not None:
            self._cameras.serve(now)

    def publish_clock(self) -> None:
        """Publishes the time of the state: after all that belongs to it."""
        stamp = stamp_of(int(self._state.ints[1]))
        self._clock.publish(self._types.build(CLOCK, {"clock": stamp}))

    def commands(self) -> list[Command]:
        """The commands received since the last call, and those that a controller adds."""
        return [command for robot in self._commands for command in robot.take()]

    def close(self) -> None:
        """Ends the topics, the subscriptions, and the process that draws."""
        self._node.close()
        if self._cameras is not None:
            self._cameras.close()

    def _all_topics(self, robots: list[RobotDescription]) -> Iterator[RosTopic]:
        state, period = self._state, self._period
        for robot in robots:
            yield from odometry_topics(state, robot.name, period)
            yield from joint_topics(state, robot, period)
            yield from vehicle_topics(state, robot, period)
            for device in devices_of(state, robot):
                yield from topics_of(device)
        yield from traffic_topics(state, 1.0 / TRAFFIC_HZ)
        yield from diagnostic_topics(state, robots)

    def _published(self, topic: RosTopic) -> _Published:
        return _Published(topic, self._node.publisher(topic.name, topic.kind, topic.quality))

    def _publish(self, each: _Published, now: int) -> None:
        period = round(each.topic.period * NANOSECONDS)
        if period:
            slot, each.slot = each.slot, (now + _TOLERANCE_NS) // period
            if slot == each.slot:
                return
        if not each.publisher.is_wanted:
            return
        fields = each.topic.make(now)
        if fields is not None:
            each.publisher.publish(self._types.build(each.topic.kind, fields))

    def _moving_transforms(self, time: int) -> Fields:
        return {"transforms": [one for each in self._transforms for one in each.moving(time)]}

    def _publish_static(self) -> None:
        static = self._node.publisher("/tf_static", _TRANSFORMS, Quality.LATCHED)
        found = [one for each in self._transforms for one in each.static()]
        static.publish(self._types.build(_TRANSFORMS, {"transforms": found}))

    def _publish_descriptions(self, robots: list[RobotDescription]) -> None:
        for robot in robots:
            topic = f"/{ros_name(robot.name)}/robot_description"
            publisher = self._node.publisher(topic, _TEXT, Quality.LATCHED)
            publisher.publish(self._types.build(_TEXT, {"data": urdf_of(robot)}))


def robots_of(tree: SimulationTree) -> list[RobotDescription]:
    """The descriptions of all robots, under their names in the world, in the order of the tree."""
    return [replace(tree.descriptions[node.name], name=node.name) for node in tree.robots]


def devices_of(state: State, robot: RobotDescription) -> Iterator[AnyDevice]:
    """The devices of a robot that have values or pictures, with the frames of their values.

    A device with a position has its own frame; the values of others are in the frame of their part.
    """
    first = robot.parts[0].name
    for record in robot.devices:
        node = state.tree.find(f"{robot.name}.{record.part}.{record.name}")
        if node is None or not node.fields:
            continue
        has_place = getattr(record, "position", None) is not None
        frame = device_frame(robot, record.name)
        own = frame if has_place else part_frame(robot.name, record.part, first)
        yield DeviceOf(robot.name, node, record, own, state)
