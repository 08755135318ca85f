"""The functions that a user program imports.

A user program is a file with `main(argv)`, where `argv[0]` is its robot's name. It reads sensors
with `get_data`, sets actuators with `set_data`, and lets simulated time pass with `wait`: while it
does anything else, the simulation stands still. The same file runs on the server and on a client.
Names of devices are `robot.part.device`.

    from autosim.userprogram import get_data, set_data, wait

    def main(argv):
        robot = argv[0]
        while get_data(f"{robot}.chassis.psd_front") > 5.0:
            set_data(f"{robot}.chassis.drive_chassis", [0.0, 0.3, 0.0])
            wait(0.05)
        set_data(f"{robot}.chassis.drive_chassis", [0.0, 0.0, 1.0])
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

import numpy.typing as npt

from autosim.arrays import Floats
from autosim.model.belief import StateEstimate
from autosim.model.commands import DeviceState
from autosim.userprogram.ipc.camera_images import Image, Picture
from autosim.userprogram.session.node_explanations import Explanation
from autosim.userprogram.session.node_records import Described
from autosim.userprogram.session.program_session import Session
from autosim.userprogram.session.readers import Reading
from autosim.userprogram.session.traffic_vehicles import TrafficPerson, TrafficVehicle, VehicleOrder
from autosim.vehicle.info.vehicle_info import VehicleInfo
from autosim.world.lanes.lane_rules import SignalState

if TYPE_CHECKING:  # slow to import, and only programs that navigate need them
    from autosim.world.lanes.roads import RoadNetwork

_current: ContextVar[Session] = ContextVar("autosim user program")


class _Process:
    """The session of a process that runs one program and nothing else: for all its threads."""

    session: Session | None = None


class NoProgramError(RuntimeError):
    """A function of this module was called where no user program runs."""


@contextmanager
def use_session(session: Session, *, is_process_wide: bool = False) -> Iterator[None]:
    """Inside, the functions of this module work on `session`.

    In this thread; where `is_process_wide`, in those that the program starts as well.
    """
    token = _current.set(session)
    if is_process_wide:
        _Process.session = session
    try:
        yield
    finally:
        _current.reset(token)


def _session() -> Session:
    session = _current.get(_Process.session)
    if session is None:
        raise NoProgramError(
            "this works only in a user program: name the file as a robot's program in a world "
            "file, or run it with autosim run. A program that runs in a thread of the simulation "
            "calls it in the thread of its main(argv) alone"
        )
    return session


def on_snapshot(save: Callable[[], object]) -> None:
    """Registers `save()`, whose result is kept with each snapshot of the simulation.

    It is called inside `wait`, returns anything that can be pickled, and changes nothing. A program
    that decides by what it reads alone needs neither this nor `on_restore`.
    """
    _session().on_snapshot(save)


def on_restore(restore: Callable[[object], None]) -> None:
    """Registers `restore(saved)`, which is called after a rewind to a snapshot.

    It is called inside `wait`, before that returns at the earlier time. `saved` is a copy of what
    `save` of `on_snapshot` returned for that snapshot, None where there is none.
    """
    _session().on_restore(restore)


def get_data(name: str) -> Reading:
    """The newest values of a device.

    Args:
        name: `robot.part.device`, or `robot.publication`.

    Returns:
        a float where the device has one value; a copy as an array (n,) where it has several,
        in the order of its fields; a str where it gives a text (a GPS sentence), with a line for
        each where it gives several (RMC, GGA). SI units.
        Of a lidar an array (channels, columns) of ranges [m], 0 where there was no return: rows
        from the lowest channel, columns counter-clockwise from its direction; if it has intensities
        an array (2, channels, columns), the ranges first.
        Of a list (a publication, the targets of a radar) an array (n, columns) of the rows that it
        has now.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE (a robot, a part or a link),
            INVALID_OPERATION (a camera: use `get_image`).
    """
    return _session().get_data(name)


def get_points(name: str) -> Floats:
    """The points that a lidar has hit in its last revolution.

    Returns:
        (n, 3) [m] in the frame of its part, x forward, y left, z up, in the order of measurement.
        Each is relative to the pose of the part when it was measured: while the robot moves, the
        oldest are a revolution old.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE; INVALID_OPERATION: not a lidar.
    """
    return _session().get_points(name)


def get_state_estimate(robot: str) -> StateEstimate:
    """Believed motion of `robot`: pose, velocity, acceleration, and their covariance.

    Where no device of the robot owns the belief, it is the truth.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE; INVALID_DEVICE: not a robot.
    """
    return _session().get_state_estimate(robot)


def get_state_truth(robot: str) -> StateEstimate:
    """True motion of `robot`, where the world file allows programs to know it.

    Raises:
        DeviceError: as `get_state_estimate`; INVALID_OPERATION: the robot has no
            `<ReadableTruth value="true"/>` in the world file.
    """
    return _session().get_state_truth(robot)


def set_state_estimate(
    robot: str,
    *,
    position: npt.ArrayLike,
    orientation: npt.ArrayLike | None = None,
    heading: float | None = None,
    velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    acceleration: npt.ArrayLike = (0.0, 0.0, 0.0),
    covariance: npt.ArrayLike | None = None,
) -> None:
    """Sets what `robot` believes of its motion now, with effect from the next `wait` on.

    Args:
        robot: that has the device `ProgramState`.
        position: (3,) of the middle of its first part [m] in W.
        orientation: (4,) the quaternion x, y, z, w that turns from the part's axes to W; or
        heading: [rad] clockwise from north, of a robot that stands level.
        velocity: (3,) [m/s] in W.
        angular_velocity: (3,) [rad/s] in W.
        acceleration: (3,) [m/s²] in W.
        covariance: (9, 9) of the errors of position, orientation and velocity (see
            `StateEstimate`); zero where it is not known.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE; INVALID_OPERATION: the robot
            has no `ProgramState`, another program owns the belief, or a value is not valid. Nothing
            is set then.
    """
    _session().set_state_estimate(
        robot,
        position=position,
        orientation=orientation,
        heading=heading,
        velocity=velocity,
        angular_velocity=angular_velocity,
        acceleration=acceleration,
        covariance=covariance,
    )


def set_data(name: str, values: npt.ArrayLike | str | bytes) -> None:
    """Sets an actuator or publishes a list, with effect from the next `wait` (or the end) on.

    Args:
        name: `robot.part.device`, or `robot.publication`.
        values: a value for each field: of a DriveActuator steering [rad, positive left],
            acceleration (-1..1) and brake (0..1), and, as you like, hand brake (0..1) and gear (1
            forward, 0 neutral, -1 reverse), which else stay as they are.
            Beyond its limits an actuator acts as at them.
            Of a publication its rows (n, columns), at most as many as it has room for; [] for none.
            Of a RadioDevice also a text, which it sends with the next number: `text_of_numbers`
            of `autosim.robots` reads it from the columns of the message.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE, INVALID_OPERATION (a sensor, or
            values that are not finite numbers), DATA_SIZE_MISMATCH. Nothing is set then.
    """
    _session().set_data(name, values)


def wait(seconds: float) -> None:
    """Continues the simulation, and returns after `seconds` of simulated time.

    The time is rounded to whole steps, and is one step at least. Between two waits the simulation
    is paused, up to a deadline in wall-clock time after which the program is stopped.

    In a program with several threads, the simulation continues while any of them waits: what the
    others read and set meanwhile depends on how fast they are. Only one wait is active at a
    time; a second one begins when the first returns, and ends at its own time or then.
    """
    _session().wait(seconds)


def get_time() -> float:
    """Simulated time since the start [s]."""
    return _session().get_time()


def get_state(name: str) -> DeviceState:
    """State of a robot's devices; `name` is the robot's or that of one of its devices.

    INVALID where a value of this device is not a number. Never PAUSED: while the simulation is
    paused, so is the program.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE.
    """
    return _session().get_state(name)


def describe(name: str) -> Described:
    """Description of a robot, a part, a link, a device or an object, from its file.

    The records are those of `autosim.config.descriptions`: frozen, in SI units and radians, in the
    frames of the simulation (x forward, y left, z up). So the `range` of
    `describe("impreza.chassis.psd_front")` is the reach of that sensor [m], and the `parts` of
    `describe("impreza")` are all its parts.

    Args:
        name: `robot`, `robot.part`, `robot.link`, `robot.part.device`, `robot.publication` or
            `object`. Of an object the record of its body, whose place is in the state.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE.
    """
    return _session().describe(name)


def explain(name: str) -> Explanation:
    """Documentation of a node, its parameters and its values, in words and with units.

    Also of devices whose kind comes from a plug-in: `explain("boat.hull.bow_thruster").fields[0]`
    has a name, a `unit`, `limits` and a `meaning`.

    Args:
        name: as `describe` takes it.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE.
    """
    return _session().explain(name)


def get_vehicle_info(robot: str) -> VehicleInfo:
    """The measures of the vehicle that `robot` is: wheelbase, track, steering limit and so on.

    A robot with several drive actuators is measured by the wheels of its first one;
    `autosim.vehicle.info.vehicle_info.vehicle_info(describe(robot), actuator)` measures others.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE; INVALID_DEVICE: not a robot.
        ValueError: the robot has no drive actuator, or none with wheels.
    """
    return _session().measure(robot)


def get_image(camera: str, kind: str = "") -> Image:
    """A picture of what a virtual camera sees now, or saw when it made its last one.

    Args:
        camera: `robot.part.device`.
        kind: one of those that the robot file gives the camera; "": the first of them. `rgb` is
            (height, width, 4) uint8, RGBA; `depth` (height, width) float32 [m]; `semantic`
            (height, width) uint8, see `CLASSES`; `instance` (height, width) int32, see
            `get_instances`; `normals` (height, width, 3) float32; `flow` (height, width, 2)
            float32 [pixels].

    Returns:
        the picture, rows from the top. It is read-only, and it is valid until `unlock_image`: copy
        what is needed longer.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE; INVALID_OPERATION: not a camera, not one of its
            kinds, no renderer, or the last image is not unlocked yet.
    """
    return _session().get_image(camera, kind)


def get_pictures(*cameras: str) -> tuple[Picture, ...]:
    """Pictures of several cameras at once, each in all its kinds, of the same state.

    Args:
        cameras: `robot.part.device` of each.

    Returns:
        one picture for each camera, in their order, with the step and the time that it shows. The
        arrays are the caller's: nothing has to be unlocked.

    Raises:
        DeviceError: as `get_image`.
    """
    return _session().get_pictures(*cameras)


def get_instances() -> dict[str, int]:
    """The numbers of robots and objects in pictures of the kind `instance`, by their names.

    What stands in the world (buildings, trees, lamps) has numbers from 65536 on.
    """
    return _session().get_instances()


def get_image_width(camera: str = "") -> int:
    """Width of the pictures of a camera [pixels]; of "", of those without their own size.

    Raises:
        DeviceError: INVALID_OPERATION without a renderer.
    """
    return _session().picture_size(camera)[0]


def get_image_height(camera: str = "") -> int:
    """Height of the pictures of a camera [pixels]; of "", of those without their own size.

    Raises:
        DeviceError: INVALID_OPERATION without a renderer.
    """
    return _session().picture_size(camera)[1]


def unlock_image() -> None:
    """Gives the memory of the last `get_image` back, so that the next one can be drawn."""
    _session().unlock_image()


def get_roads() -> "RoadNetwork":
    """The world's lanes, in W [m]."""
    return _session().navigation_map().roads


def order_signal(number: int, state: SignalState | None) -> None:
    """Orders what a traffic signal shows, with effect from the next `wait` on.

    The signals of its junction change to a phase that fits, with amber and red between as always:
    no two in conflict are green together. The order holds until another one, or until the program
    ends. `get_roads().lanes[12].signal` is what lane 12 has now, `signal_number` its number.

    Args:
        number: of the signal.
        state: GREEN or RED; OFF or FLASHING, which turn the whole junction off; None: whatever
            comes by itself.

    Raises:
        DeviceError: UNKNOWN_ROBOT: the world has no traffic; INVALID_OPERATION: no such number.
    """
    _session().order_signal(number, state)


def get_vehicles() -> list[TrafficVehicle]:
    """The vehicles of traffic that are on their way now; none in a world without traffic."""
    return _session().traffic_vehicles()


def get_people() -> list[TrafficPerson]:
    """The people of traffic who are on foot now; none in a world without traffic."""
    return _session().traffic_people()


def order_vehicle(
    number: int,
    *,
    speed: float | None = None,
    lane_change: Literal["left", "right"] | None = None,
    street: int | None = None,
    route: Sequence[str] | None = None,
    place: tuple[int, float] | None = None,
    remove: bool = False,
) -> None:
    """Commands a vehicle of traffic, with effect from the next `wait` on.

    It still stops for others, signals and obstacles. The order holds until another one for the same
    vehicle, or until the program ends; without a wish it drives by itself again.

    Args:
        number: of the vehicle, as in `get_vehicles`; of a free place with `place`.
        speed: [m/s] that it drives, also above the limit.
        lane_change: direction of a change to the next lane, made where there is room.
        street: its next one, where it has the choice; `get_roads().lanes[12].road` is a number.
        route: the streets through which it drives, by the names that edges of `<Trip>` and of
            SUMO's routes have, such as `["12#0", "-7"]`; between two that do not follow each other
            it takes the fastest way, and after the last one it drives by itself again.
        place: the lane, and [m] along it, where its front appears where the place is free.
        remove: whether it vanishes at once.

    Raises:
        DeviceError: UNKNOWN_ROBOT: the world has no traffic; INVALID_OPERATION: no such number, no
            such street, or no such place.
    """
    order = VehicleOrder.of(
        number, speed=speed, lane_change=lane_change, street=street, place=place, remove=remove
    )
    _session().order_vehicle(number, order, route)


def get_origin() -> tuple[float, float]:
    """Latitude and longitude [deg, WGS 84] of W's origin."""
    return _session().navigation_map().origin


def to_local(latitude: float, longitude: float) -> Floats:
    """The point (2,) in W [m], x east, y north, of a place given in degrees (WGS 84)."""
    return _session().navigation_map().to_local(latitude, longitude)
