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

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy.typing as npt

from autosim.arrays import Floats
from autosim.simulation.commands import DeviceState
from autosim.userprogram.exchange.images import Pixels
from autosim.userprogram.session.described import Described
from autosim.userprogram.session.readers import Reading
from autosim.userprogram.session.session import Session
from autosim.vehicle.measures import Vehicle

if TYPE_CHECKING:  # slow to import, and only programs that navigate need them
    from autosim.world.lanes.roads import RoadNetwork

_current: ContextVar[Session] = ContextVar("autosim user program")


class _Process:
    """The session of a process that runs one program and nothing else: for all its threads."""

    session: Session | None = None


class NoProgramError(RuntimeError):
    """A function of this module was called where no user program runs."""


@contextmanager
def active(session: Session, *, is_process_wide: bool = False) -> Iterator[None]:
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


def get_data(name: str) -> Reading:
    """The newest values of a device.

    Args:
        name: `robot.part.device`, or `robot.publication`.

    Returns:
        a float where the device has one value; a copy as an array (n,) where it has several,
        in the order of its fields; a str where it gives a text (a GPS sentence). SI units.
        Of a lidar an array (channels, columns) of ranges [m], 0 where there was no return: rows
        from the lowest channel, columns counter-clockwise from its direction.
        Of a list (a publication) an array (n, columns) of the rows that it has now.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE (a robot, a part or a link),
            INVALID_OPERATION (a camera: use `get_image`).
    """
    return _session().get_data(name)


def get_points(name: str) -> Floats:
    """The points that a lidar has met in its last revolution.

    Returns:
        (n, 3) [m] in the frame of its part, x forward, y left, z up, those measured first come
        first. Each is where it was seen from the part as it stood then: while the robot moves, the
        oldest are a revolution old.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE; INVALID_OPERATION: not a lidar.
    """
    return _session().get_points(name)


def set_data(name: str, values: npt.ArrayLike) -> None:
    """Sets an actuator or publishes a list, with effect from the next `wait` (or the end) on.

    Args:
        name: `robot.part.device`, or `robot.publication`.
        values: a value for each field: of a DriveActuator steering [rad, positive left],
            acceleration (-1..1) and brake (0..1), and, as you like, hand brake (0..1) and gear (1
            forward, 0 neutral, -1 reverse), which else stay as they are.
            Beyond its limits an actuator acts as at them.
            Of a publication its rows (n, columns), at most as many as it has room for; [] for none.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE, INVALID_OPERATION (a sensor, or
            values that are not finite numbers), DATA_SIZE_MISMATCH. Nothing is set then.
    """
    _session().set_data(name, values)


def wait(seconds: float) -> None:
    """Lets the simulation go on, and returns after `seconds` of simulated time.

    The time is rounded to whole steps, and is one step at least. Between two waits the simulation
    stands still, up to a deadline in wall-clock time after which the program is stopped.

    In a program with several threads, the simulation goes on while any of them waits: what the
    others read and set meanwhile depends on how fast they are. Only one wait is under way at a
    time; a second one begins when the first returns, and ends at its own time or then.
    """
    _session().wait(seconds)


def get_time() -> float:
    """Simulated time since the start [s]."""
    return _session().get_time()


def get_state(name: str) -> DeviceState:
    """What the devices of a robot are doing; `name` is the robot's or that of one of its devices.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE.
    """
    return _session().get_state(name)


def describe(name: str) -> Described:
    """What a robot, a part, a link or a device is made of, as its robot file says.

    The records are those of `autosim.config.descriptions`: frozen, in SI units and radians, in the
    frames of the simulation (x forward, y left, z up). So the `range` of
    `describe("impreza.chassis.psd_front")` is the reach of that sensor [m], and the `parts` of
    `describe("impreza")` are all its parts.

    Args:
        name: `robot`, `robot.part`, `robot.link`, `robot.part.device` or `robot.publication`.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE.
    """
    return _session().describe(name)


def measure(robot: str) -> Vehicle:
    """The measures of the vehicle that `robot` is: wheelbase, track, steering limit and so on.

    A robot with several drive actuators is measured by the wheels of its first one;
    `autosim.vehicle.measures.measure(describe(robot), actuator)` measures others.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE; INVALID_DEVICE: not a robot.
        ValueError: the robot has no drive actuator, or none with wheels.
    """
    return _session().measure(robot)


def get_image(camera: str) -> Pixels:
    """A picture of what a virtual camera sees now. On clients only.

    Returns:
        (height, width, 4) uint8, RGBA, rows from the top. It is read-only, and it is valid until
        `unlock_image`: copy what is needed longer.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE; INVALID_OPERATION: not a camera, on a server,
            or the last image is not unlocked yet.
    """
    return _session().get_image(camera)


def get_image_width() -> int:
    """Width of the pictures of `get_image` [pixels].

    Raises:
        DeviceError: INVALID_OPERATION on a server.
    """
    return _session().image_memory().width


def get_image_height() -> int:
    """Height of the pictures of `get_image` [pixels].

    Raises:
        DeviceError: INVALID_OPERATION on a server.
    """
    return _session().image_memory().height


def unlock_image() -> None:
    """Gives the memory of the last `get_image` back, so that the next one can be drawn."""
    _session().unlock_image()


def get_roads() -> "RoadNetwork":
    """The world's lanes, in W [m]."""
    return _session().navigation_map().roads


def get_origin() -> tuple[float, float]:
    """Latitude and longitude [deg, WGS 84] of W's origin."""
    return _session().navigation_map().origin


def to_local(latitude: float, longitude: float) -> Floats:
    """The point (2,) in W [m], x east, y north, of a place given in degrees (WGS 84)."""
    return _session().navigation_map().to_local(latitude, longitude)
