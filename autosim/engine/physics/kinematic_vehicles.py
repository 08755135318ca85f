"""The kinematic vehicles of a world: from commands to the motion of bodies, and to reports."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import Device, Part
from autosim.engine.physics.engine import ContactPoint
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.kinematic_collisions import KinematicCollisions
from autosim.jit import bind_arguments
from autosim.kinds.banks import MountedDevice, word_indices
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic import state_report
from autosim.kinds.kinematic.initial_pose import NOWHERE
from autosim.kinds.kinematic.kinematic_vehicle import HOLD, KinematicVehicle
from autosim.kinds.kinematic.vehicle_transform import FRAME_BYTES
from autosim.kinds.owners.state_words import robot_of
from autosim.model.bodies import BodyStates
from autosim.model.noise import stream_of
from autosim.model.notices import Notice
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.kinematic import ground_following
from autosim.vehicle.kinematic.ground_following import GroundFollowing
from autosim.vehicle.kinematic.kinematic_fleet import KinematicFleet, VehicleModel
from autosim.vehicle.kinematic.kinematic_step import (
    BRAKED,
    DRIVEN,
    GEAR,
    HELD,
    IN_WORLD,
    MECHANISM,
    STEER,
    STEERED,
    VELOCITY,
    YAW,
    X,
)
from autosim.vehicle.kinematic.motion_equations import DRIVE
from autosim.vehicle.kinematic.reports import (
    MOTION,
    NOISES,
    TRANSFORM,
    Errors,
    write_reports,
)

NEAR = 6.0
"""Gap [m] to a body that forces move at which a vehicle comes into the physics: more than both go
in several steps."""

_COMMANDS, _STATES = 6, 7
"""Numbers of values of a vehicle and of its state command."""

_ACCELERATION, _VELOCITY, _STEERING, _STAMP, _BRAKE = 0, 1, 2, 4, 5
"""Places of the values of a vehicle."""

_GEAR, _MODE, _HAND_BRAKE = 3, 4, 5
"""Places of the values of a state command."""

_FRAME_WORDS = FRAME_BYTES // WORD
"""Words of the state that the name of a frame takes."""

_PULLED = 0.5
"""Share from which on a hand brake holds."""

_NO_PAIRS: Integers = np.zeros((0, 2), dtype=np.int64)

HeightNear = Callable[[float, float, float], float]
"""The height [m] of the ground at x, y [m] that is nearest to a height; NaN where there is none."""


class _Attached:
    """The devices of one kind that stand beside some of the vehicles, on the same robots."""

    def __init__(self, vehicles: Sequence[MountedDevice[Device]], kind: str, width: int) -> None:
        found = [
            (row, device.start // WORD)
            for row, mounted in enumerate(vehicles)
            for part in robot_of(mounted).children
            for device in part.children
            if device.kind == kind
        ]
        self.rows: Integers = np.array([row for row, _ in found], dtype=np.int64)
        starts = np.array([start for _, start in found], dtype=np.int64)
        self.words: Integers = starts[:, None] + np.arange(width)


class KinematicVehicles:
    """All kinematic vehicles of all robots.

    Args:
        vehicles: in the order of their bodies.
        bodies: of all robots, their states as the last `read` found them. Those of the vehicles
            are driven ones; vehicles may push aside those that the engine moves.
        rays: what they drive on.
        height_near: finds the ground where one is put.
        step_seconds: length of a step [s].
        gravity: [m/s²].
        seed: of their noise.
        report: takes messages for the user.

    `fleet`: their models, whose arrays others may look at and command; `motions` (n, 13): the poses
    and velocities of their bodies at the end of the step. Without vehicles there is neither.
    `steering_angles` (bodies,) [rad] are written with them; of other bodies they are 0.
    """

    def __init__(
        self,
        vehicles: Sequence[MountedDevice[KinematicVehicle]],
        *,
        bodies: EngineBodies,
        rays: RayScene,
        height_near: HeightNear,
        step_seconds: float,
        gravity: float,
        seed: int,
        report: Callable[[Notice], None],
    ) -> None:
        parts, states = bodies.parts, bodies.states
        self._vehicles, self._physics, self._bodies = tuple(vehicles), bodies.physics, states
        self.steering_angles: Floats = np.zeros(len(parts))
        if not vehicles:
            return  # Most worlds need not compile what none of their robots has.
        records = [mounted.device for mounted in vehicles]
        self._rays, self._height_near, self._report = rays, height_near, report
        self._seconds = step_seconds
        self.fleet = KinematicFleet(
            [VehicleModel(each.law, each.model_values) for each in records],
            step_seconds=step_seconds,
        )
        count, rows = len(records), self.fleet.rows
        self._numbers: Integers = np.array([each.body for each in vehicles], dtype=np.int64)
        self._attach_interfaces()
        self._is_velocity = np.array([each.law.drive == "velocity" for each in records])
        self._timeouts = np.array([each.number("command_timeout") for each in records])
        self._measures = _measures(records, [parts[each] for each in self._numbers])
        self._commands = np.zeros((count, _COMMANDS))
        self.motions: Floats = np.zeros((count, 13))
        self.motions[:, 6] = 1.0
        self._ground = GroundFollowing.unknown(count)
        self._befores = np.zeros((count, 3))
        self._near = np.zeros(count)
        self._bind_kernels(
            states,
            np.array([body_of(each).reach for each in parts]),
            engine_moved=bodies.moved_numbers,
            gravity=gravity,
        )
        self._errors = _errors_of(vehicles, seed)
        self._reported = np.zeros((count, MOTION)), np.zeros((count, TRANSFORM))
        self.collisions = KinematicCollisions(self._numbers, parts=parts, bodies=states, rays=rays)
        rows[:, IN_WORLD:MECHANISM] = np.nan
        self._take_over(np.ones(count, dtype=np.bool_))

    def _attach_interfaces(self) -> None:
        """Finds the words of the state for the vehicles' commands and reports."""
        vehicles = self._vehicles
        self._words = word_indices(vehicles)[:, None] + np.arange(_COMMANDS)
        self._states = _Attached(vehicles, "VehicleStateCommand", _STATES)
        self._poses = _Attached(vehicles, "InitialPose", 4)
        self._told_motion = _Attached(vehicles, "VehicleKinematicState", 1 + MOTION)
        self._told_pose = _Attached(vehicles, "VehicleTransform", 1 + TRANSFORM)
        first = 1 + TRANSFORM
        self._told_frames = self._told_pose.words[:, :1] + first + np.arange(2 * _FRAME_WORDS)
        self._frames = _frames_of([mounted.device for mounted in vehicles])[self._told_pose.rows]
        self._told_states = _Attached(vehicles, "VehicleStateReport", len(state_report.FIELDS))

    def _bind_kernels(
        self, bodies: BodyStates, reaches: Floats, *, engine_moved: Integers, gravity: float
    ) -> None:
        """Binds the kernels of a step to the arrays of the vehicles; `reaches` (bodies,) [m]."""
        rows = self.fleet.rows
        self._find = bind_arguments(
            ground_following.find_wheel_heights,
            rows,
            self._measures,
            self.motions,
            self._rays.hierarchy,
            self._ground,
        )
        self._settle = bind_arguments(
            ground_following.place_on_ground,
            rows,
            self._measures,
            self._befores,
            self._ground,
            self._seconds,
            self.motions,
        )
        self._set_ways = bind_arguments(ground_following.set_ways, rows, gravity, self.fleet.ways)
        self._find_near = bind_arguments(
            ground_following.mark_near_bodies,
            self.motions,
            reaches[self._numbers],
            engine_moved,
            bodies.positions,
            reaches[engine_moved],
            NEAR,
            self._near,
        )

    def memories(self) -> tuple[Memory, ...]:
        """Memory of the vehicles in addition to the state."""
        if not self._vehicles:
            return ()
        names = tuple(mounted.node.name for mounted in self._vehicles)
        return (Memory("KinematicVehicle", names, self.fleet.rows),)

    def follow_bodies(self) -> None:
        """Continues from the poses of bodies that were moved."""
        if not self._vehicles:
            return
        moved = self._were_moved()
        # Bodies from a snapshot continue with their motion there.
        last = slice(
            ground_following.LAST_MOTION, ground_following.LAST_MOTION + ground_following.NUMBERS
        )
        self.motions[~moved] = self.fleet.rows[~moved, last]
        self._take_over(moved)

    def actuate(self, state: State) -> None:
        """Moves the vehicles on by a step, from the commands in `state`."""
        if not self._vehicles:
            return
        self._take_initial_poses(state)
        self._command(state)
        self._befores[:] = self.fleet.rows[:, X : YAW + 1]
        self._set_ways()
        self.fleet.advance()
        self.steering_angles[self._numbers] = self.fleet.rows[:, STEER]
        self._rays.complete(lambda _: (self._find(), 0))
        self._settle()
        self._find_near()
        self._physics.move_prescribed(self.motions, self._near > 0.0)

    def sense(self, state: State) -> None:
        """Writes what the vehicles report after a step."""
        if not self._vehicles:
            return
        now = state.step * self._seconds
        motion, pose = self._told_motion, self._told_pose
        if motion.rows.size or pose.rows.size:
            self._write_motion(state, now)
            state.ints[self._told_frames] = self._frames
        told = self._told_states
        if told.rows.size:
            row, words = told.rows, told.words
            state.floats[words[:, 0]], state.floats[words[:, 1]] = now, 100.0
            states = self.fleet.rows[
                row, ground_following.STATES : ground_following.STATES + _STATES
            ]
            state.floats[words[:, 2 : 2 + _STATES]] = states
            state.floats[words[:, 2 + _STATES]] = self.fleet.rows[row, ground_following.HOLD]

    def contacts(self, step: int) -> Integers:
        """The pairs (n, 2) of bodies that touch after a step, where the physics sees none."""
        return self.collisions.contacts(step) if self._vehicles else _NO_PAIRS

    def touches(self) -> Sequence[ContactPoint]:
        """Contact points, see `KinematicCollisions`."""
        return self.collisions.touches if self._vehicles else ()

    def _write_motion(self, state: State, now: float) -> None:
        motions, transforms = self._reported
        write_reports(
            self.fleet.models,
            self.fleet.parameters,
            self.fleet.rows,
            self._errors,
            state.step,
            motions,
            transforms,
        )
        for told, values in ((self._told_motion, motions), (self._told_pose, transforms)):
            if told.rows.size:
                state.floats[told.words[:, 0]] = now
                state.floats[told.words[:, 1:]] = values[told.rows]

    def _were_moved(self) -> Booleans:
        """The bodies that were moved since the last step of the vehicles."""
        rows, bodies, own = self.fleet.rows, self._bodies, self._numbers
        kept = rows[
            :,
            ground_following.LAST_MOTION : ground_following.LAST_MOTION + ground_following.NUMBERS,
        ]
        moved: Booleans = (kept[:, 0:3] != bodies.positions[own]).any(axis=1)
        moved |= (kept[:, 3:7] != bodies.orientations[own]).any(axis=1)
        moved |= (kept[:, 7:10] != bodies.velocities[own]).any(axis=1)
        return moved

    def _take_over(self, moved: Booleans) -> None:
        """Continues from the poses to which bodies were moved."""
        for vehicle in np.flatnonzero(moved).tolist():
            row, body = self.fleet.rows[vehicle], self._numbers[vehicle]
            rotation = self._bodies.rotations[body]
            position, offset = (
                self._bodies.positions[body],
                self._measures[vehicle, ground_following.OFFSET],
            )
            lift = self._measures[vehicle, ground_following.LIFT]
            foot = position + offset * rotation[:, 0] - lift * rotation[:, 2]
            is_new = bool(np.isnan(row[ground_following.IS_STARTED]))
            row[:IN_WORLD], row[MECHANISM:] = 0.0, 0.0
            row[X : X + 2] = foot[:2]
            row[YAW] = _yaw_of(rotation)
            row[VELOCITY] = (self._bodies.velocities[body] * rotation[:, 0]).sum()
            row[ground_following.HEIGHT] = np.nan
            self._ground.corners[vehicle] = np.nan
            self.motions[vehicle, 0:3] = position
            self.motions[vehicle, 3:7] = self._bodies.orientations[body]
            self.motions[vehicle, 7:10] = self._bodies.velocities[body]
            last = slice(
                ground_following.LAST_MOTION,
                ground_following.LAST_MOTION + ground_following.NUMBERS,
            )
            row[last] = self.motions[vehicle]
            if is_new:
                self._begin(vehicle, row, foot)

    def _begin(self, vehicle: int, row: Floats, foot: Floats) -> None:
        record = self._vehicles[vehicle].device
        is_origin = record.value("initialize_source") == "ORIGIN"
        waits = not is_origin and vehicle in self._poses.rows
        row[ground_following.STATES : ground_following.STATES + _STATES] = 0.0
        row[ground_following.STATES + _GEAR], row[ground_following.IS_STARTED] = DRIVE, not waits
        row[ground_following.HOLD] = state_report.NOT_COMMANDED
        frame = (*foot, row[YAW]) if is_origin else (0.0,) * 4
        row[ground_following.ORIGIN : ground_following.ORIGIN + 4] = frame

    def _take_initial_poses(self, state: State) -> None:
        """Puts vehicles where their devices say, which say something new."""
        given = state.floats[self._poses.words]
        kept = slice(ground_following.SET_POSE, ground_following.SET_POSE + 4)
        before = self.fleet.rows[self._poses.rows, kept]
        is_new = (given[:, 0] > NOWHERE) & (given != before).any(axis=1)
        for place in np.flatnonzero(is_new).tolist():
            self._put(int(self._poses.rows[place]), given[place], state.step)

    def _put(self, vehicle: int, pose: Floats, step: int) -> None:
        row = self.fleet.rows[vehicle]
        row[ground_following.SET_POSE : ground_following.SET_POSE + 4] = pose
        x, y, yaw, z = pose.tolist()
        near = self.motions[vehicle, 2] if z <= NOWHERE else z
        height = self._height_near(x, y, near)
        name = self._vehicles[vehicle].node.name
        if np.isnan(height):
            text = f"its initial pose x={x:g} m, y={y:g} m is not on the map: it stays"
            self._report(Notice("warning", name, step, text))
            return
        row[:IN_WORLD], row[MECHANISM:] = 0.0, 0.0
        row[X : YAW + 1] = x, y, yaw
        row[ground_following.HEIGHT], row[ground_following.IS_STARTED] = np.nan, 1.0
        self._ground.corners[vehicle] = np.nan
        self.motions[vehicle, :3] = x, y, height + self._measures[vehicle, ground_following.LIFT]

    def _command(self, state: State) -> None:
        """Turns the values of devices into commands of the models; some hold a vehicle instead."""
        values, rows, commands = state.floats[self._words], self.fleet.rows, self.fleet.commands
        states, place = (
            self._states,
            slice(ground_following.STATES, ground_following.STATES + _STATES),
        )
        if states.rows.size:
            given, kept = np.round(state.floats[states.words]), rows[states.rows, place]
            given[:, : _MODE + 1] = np.where(given > 0.0, given, kept)[:, : _MODE + 1]
            rows[states.rows, place] = given
        now, stamp = state.step * self._seconds, values[:, _STAMP]
        held = np.full(len(rows), state_report.FREE)
        held[rows[:, ground_following.STATES + _HAND_BRAKE] >= _PULLED] = state_report.HAND_BRAKE
        held[(stamp > 0.0) & (now - stamp > self._timeouts)] = state_report.IS_LATE
        needed = values[:, [_ACCELERATION, _VELOCITY, _STEERING]]
        is_commanded = np.isfinite(needed).all(axis=1) & (needed[:, 0] > HOLD)
        held[~is_commanded] = state_report.NOT_COMMANDED
        held[rows[:, ground_following.IS_STARTED] == 0.0] = state_report.WAITS
        commands[:, DRIVEN] = values[:, _ACCELERATION]
        commands[self._is_velocity, DRIVEN] = values[self._is_velocity, _VELOCITY]
        commands[:, STEERED], commands[:, BRAKED] = values[:, _STEERING], values[:, _BRAKE]
        commands[:, GEAR], commands[:, HELD] = rows[:, ground_following.STATES + _GEAR], held
        self._tell(held, state.step)
        rows[:, ground_following.HOLD] = held

    def _tell(self, held: Integers, step: int) -> None:
        """Reports vehicles that begin to wait or whose commands begin to be late."""
        before = self.fleet.rows[:, ground_following.HOLD]
        is_told = (held == state_report.WAITS) | (held == state_report.IS_LATE)
        begun = (held != before) & is_told
        for vehicle in np.flatnonzero(begun).tolist():
            name = self._vehicles[vehicle].node.name
            is_late = held[vehicle] == state_report.IS_LATE
            text = state_report.HOLDS[held[vehicle]]
            self._report(Notice("warning" if is_late else "info", name, step, text))


def _yaw_of(rotation: Floats) -> float:
    return float(portable.arctan2(rotation[1, 0], rotation[0, 0]))


def _frames_of(vehicles: Sequence[KinematicVehicle]) -> Integers:
    """The names (n, 2 `_FRAME_WORDS`) of the frames of vehicles, as words of the state."""
    names = ("origin_frame_id", "simulated_frame_id")
    texts = [
        str(each.value(name)).encode("utf-8").ljust(FRAME_BYTES, b"\0")
        for each in vehicles
        for name in names
    ]
    return np.frombuffer(b"".join(texts), dtype=np.int64).reshape(-1, 2 * _FRAME_WORDS)


def _measures(vehicles: Sequence[KinematicVehicle], parts: Sequence[Part]) -> Floats:
    """The measures (n, 5) of vehicles and the parts that they move, see `ground_following.REAR`."""
    measures = np.zeros((len(vehicles), 5))
    for row, (vehicle, part) in enumerate(zip(vehicles, parts, strict=True)):
        is_centre = vehicle.law.reference == "centre of mass"
        rear = -vehicle.number("b") if is_centre else 0.0
        front = vehicle.number("a") if is_centre else vehicle.number("wheelbase")
        lift = vehicle.number("ground_clearance") - body_of(part).low[2]
        offset = vehicle.reference_offset
        measures[row] = rear, front, 0.5 * vehicle.number("track"), offset, lift
    return measures


def _errors_of(vehicles: Sequence[MountedDevice[KinematicVehicle]], seed: int) -> Errors:
    names = ("pos", "pos", "rpy", "rpy", "rpy", "vel", "angvel", "steer")
    deviations = [
        [
            mounted.device.number(f"{name}_noise_stddev")
            if mounted.device.value("add_measurement_noise")
            else 0.0
            for name in names
        ]
        for mounted in vehicles
    ]
    streams = [
        [stream_of(seed, mounted.node.name, number) for number in range(NOISES)]
        for mounted in vehicles
    ]
    return Errors(
        np.array(deviations, dtype=np.float64).reshape(-1, NOISES),
        np.array(streams, dtype=np.uint64).reshape(-1, NOISES),
    )
