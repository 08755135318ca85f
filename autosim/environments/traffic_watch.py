"""Road users around a car of an environment: what it has hit, and what it is about to hit."""

from dataclasses import dataclass, field

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.kinds.kind import body_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.road_users import B
from autosim.traffic.scenarios.scenario_starts import verdict_of
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS, TrafficArrays, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.lane_rules import SignalState

PERSON_HALF = 0.3
"""Half the width [m] of the square that stands for a person."""

_CONTACT = 0.4
"""Distance [m] up to which a road user counts as what the car has hit: it moves within a step."""

_HORIZON, _STEP = 4.0, 0.2
"""Time [s] for which motion at constant velocity is foreseen, and between two looks."""

_LINE_TOLERANCE = 0.5
"""Distance [m] behind a stop line from which it counts as crossed."""

_POSE_WORDS = 13
"""Numbers of a body in the state: place, quaternion, velocity, angular velocity."""

_RED = (SignalState.RED, SignalState.RED_AMBER)


@dataclass(slots=True)
class TrafficWatch:
    """The road users around a car, read from the state when asked.

    Args:
        compiled: the map.
        robot: the car; its outline is that of all its parts.
        world: the world, whose traffic may have a scenario.
        name: of the car; all other robots of the world are vehicles, too. "": none is.

    `pose` (5,): x, y, z [m] in W, yaw [rad] and forward speed [m/s] of the car.
    """

    compiled: CompiledWorld
    robot: RobotDescription
    world: WorldDescription
    name: str = ""
    pose: Floats = field(default_factory=lambda: np.zeros(5))
    _middle: float = field(default=0.0, init=False)
    _half: Floats = field(default_factory=lambda: np.zeros(2), init=False)
    _state: State | None = field(default=None, init=False)
    _traffic: TrafficArrays | None = field(default=None, init=False)
    _signals: Integers | None = field(default=None, init=False)
    _lines: tuple[Integers, Floats] | None = field(default=None, init=False)
    _ground: GroundIndex | None = field(default=None, init=False)
    _lane: int = field(default=-1, init=False)
    _before: float = field(default=0.0, init=False)
    _others: Integers = field(default_factory=lambda: np.zeros((0, _POSE_WORDS), int), init=False)
    _outlines: Floats = field(default_factory=lambda: np.zeros((0, 3)), init=False)

    def __post_init__(self) -> None:
        self._middle, *half = outline_of(self.robot)
        self._half = np.array(half)

    def begin(self, state: State) -> None:
        """Begins an episode, whose state this is from now on."""
        self._state, self._traffic, self._lane = state, traffic_arrays_of(state), -1
        if not self.name:
            return
        nodes = {each.name: each for each in state.tree.robots}
        others = [each for each in self.world.robots if each.name != self.name]
        firsts = [
            next(part.start for part in nodes[each.name].children if part.kind != "State") // WORD
            for each in others
        ]
        self._others = np.array(firsts, dtype=np.int64)[:, None] + np.arange(_POSE_WORDS)
        self._outlines = np.array([outline_of(each.robot) for each in others]).reshape(-1, 3)

    def boxes(self) -> tuple[Floats, int]:
        """Boxes (n, 8) of vehicles, then of people, by `BoxColumns`; and the number of vehicles."""
        robots = self._robot_boxes()
        if self._traffic is None:
            return robots, len(robots)
        vehicles = self._traffic.vehicles
        vehicles = vehicles[vehicles[:, V.kind] >= 0.0]
        people = self._traffic.people
        people = people[people[:, 0] >= 0.0]
        boxes = np.zeros((len(vehicles) + len(people), len(B)))
        count = len(vehicles)
        boxes[:count, :4] = vehicles[:, [V.x, V.y, V.z, V.yaw]]
        boxes[count:, :4] = people[:, [1, 2, 3, 4]]
        kinds = [FLEET[int(each)] for each in vehicles[:, V.kind]]
        boxes[:count, B.half_length] = [0.5 * each.length for each in kinds]
        boxes[:count, B.half_width] = [0.5 * each.width for each in kinds]
        boxes[count:, [B.half_length, B.half_width]] = PERSON_HALF
        speeds = np.concatenate([vehicles[:, V.speed], people[:, 5]])
        boxes[:, B.speed_x] = speeds * portable.cos(boxes[:, B.yaw])
        boxes[:, B.speed_y] = speeds * portable.sin(boxes[:, B.yaw])
        return np.vstack([boxes[:count], robots, boxes[count:]]), count + len(robots)

    def _robot_boxes(self) -> Floats:
        """Boxes (n, 8) of the other robots."""
        boxes = np.zeros((len(self._others), len(B)))
        if self._state is None or not len(boxes):
            return boxes
        body = self._state.floats[self._others]
        x, y, z, w = body[:, 3:7].T
        yaw = portable.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
        middle, half_length, half_width = self._outlines.T
        boxes[:, B.x] = body[:, 0] + middle * portable.cos(yaw)
        boxes[:, B.y] = body[:, 1] + middle * portable.sin(yaw)
        boxes[:, B.z], boxes[:, B.yaw] = body[:, 2], yaw
        boxes[:, B.half_length], boxes[:, B.half_width] = half_length, half_width
        boxes[:, B.speed_x], boxes[:, B.speed_y] = body[:, 7], body[:, 8]
        return boxes

    def partner(self) -> str:
        """The road user that the car touches: `person`, `vehicle`, or "" for none."""
        boxes, count = self.boxes()
        own = self._box(_CONTACT)
        touched = [row for row, box in enumerate(boxes) if do_overlap(own, box)]
        if not touched:
            return ""
        return "person" if touched[-1] >= count else "vehicle"

    def time_to_collision(self) -> float:
        """Time [s] to a collision if all keep their velocities; infinite for none within 4 s."""
        boxes, _ = self.boxes()
        own = self._box(0.0)
        gaps = portable.hypot(boxes[:, B.x] - own[B.x], boxes[:, B.y] - own[B.y])
        speeds = portable.hypot(boxes[:, B.speed_x], boxes[:, B.speed_y])
        reach = _HORIZON * (abs(float(self.pose[4])) + speeds) + 15.0
        near = boxes[gaps < reach]
        for time in np.arange(_STEP, _HORIZON, _STEP).tolist():
            ahead = _moved(own[None], time)[0]
            if any(do_overlap(ahead, box) for box in _moved(near, time)):
                return float(time)
        return float(np.inf)

    def has_passed(self) -> bool | None:
        """Whether the scenario was passed; None before its end and without a scenario."""
        verdict = None if self._state is None else verdict_of(self.world, self._state)
        return None if verdict is None else verdict.passed

    def is_off_road(self) -> bool:
        """Whether the middle of the car is off all carriageways."""
        x, y, z, yaw, _ = self.pose.tolist()
        c, s = float(portable.cos(yaw)), float(portable.sin(yaw))
        middle = np.array([[x + c * self._middle, y + s * self._middle, z]])
        if self._ground is None:
            self._ground = GroundIndex.build(all_levels(self.compiled))
        return bool(self._ground.surfaces_at(middle)[0] != Surface.CARRIAGEWAY)

    def signal_lines(self) -> tuple[Floats, Integers]:
        """Stop lines (n, 5) with signals: x, y of both ends and z [m]; and the state of each."""
        if self._traffic is None:
            return np.zeros((0, 5)), np.zeros(0, dtype=np.int64)
        if self._lines is None:
            self._lines = self._stop_lines()
        lanes, lines = self._lines
        return lines, self._traffic.signals[self._groups[lanes]].astype(np.int64)

    def _stop_lines(self) -> tuple[Integers, Floats]:
        """The lanes (n,) with signals, and their stop lines (n, 5)."""
        roads = self.compiled.roads
        groups = self._groups
        lanes = [
            each
            for each in np.flatnonzero(groups >= 0).tolist()
            if roads.lanes[each].stop_line is not None
        ]
        lines = np.zeros((len(lanes), 5))
        for row, each in enumerate(lanes):
            lane = roads.lanes[each]
            half, line = 0.5 * lane.width, lane.stop_line or 0.0
            right, left = lane.position(line, -half), lane.position(line, half)
            lines[row] = *right[:2], *left[:2], left[2]
        return np.array(lanes, dtype=np.int64), lines

    @property
    def _groups(self) -> Integers:
        """The group (n,) of signals of each lane, -1 for none."""
        if self._signals is None:
            plan = make_plan(self.compiled, most=MOST_SIGNALS)
            self._signals = np.asarray(plan.lane_groups, dtype=np.int64)
        return self._signals

    def has_run_red(self) -> bool:
        """Whether the front has passed a stop line at red since the last call."""
        roads, traffic = self.compiled.roads, self._traffic
        if traffic is None:
            return False
        signals = self._groups
        lane, station = self._lane, self._before
        x, y, yaw = (float(each) for each in self.pose[[0, 1, 3]])
        reach = self._middle + float(self._half[0])
        front = (x + reach * float(portable.cos(yaw)), y + reach * float(portable.sin(yaw)))
        self._lane, self._before, _ = roads.nearest_lane(front, yaw)
        if lane < 0 or signals[lane] < 0:
            return False
        line = roads.lanes[lane].stop_line
        if line is None or station > line + _LINE_TOLERANCE:
            return False
        has_passed = self._lane != lane or self._before > line + _LINE_TOLERANCE
        return has_passed and traffic.signals[signals[lane]] in _RED

    def _box(self, margin: float) -> Floats:
        x, y, z, yaw, speed = self.pose.tolist()
        c, s = float(portable.cos(yaw)), float(portable.sin(yaw))
        length, width = (self._half + margin).tolist()
        x, y = x + c * self._middle, y + s * self._middle
        return np.array([x, y, z, yaw, length, width, c * speed, s * speed])


def outline_of(robot: RobotDescription) -> tuple[float, float, float]:
    """Outline of a robot around its first part: middle ahead, half length, half width [m]."""
    origin = np.array(robot.parts[0].position)
    bodies = [(np.array(part.position) - origin, body_of(part)) for part in robot.parts]
    low = np.min([place + body.low for place, body in bodies], axis=0)
    high = np.max([place + body.high for place, body in bodies], axis=0)
    x, y, _ = (0.5 * (high - low)).tolist()
    return float(low[0]) + x, x, y


def _moved(boxes: Floats, seconds: float) -> Floats:
    """Boxes (n, 8) after some time at their velocities."""
    moved = boxes.copy()
    moved[:, B.x] += seconds * boxes[:, B.speed_x]
    moved[:, B.y] += seconds * boxes[:, B.speed_y]
    return moved
