"""`autosim drive`: a person at the keys of a terminal or a joystick drives a robot."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from autosim.applications.common.terminal import tell
from autosim.applications.driving.driver_input import DriverInput, gear_of
from autosim.applications.driving.joystick import JoystickLayoutChoice, open_joystick
from autosim.applications.driving.key_events import raw_terminal
from autosim.applications.driving.keyboard import Keyboard
from autosim.applications.driving.manual_driving import DrivingSession, drive_manually, make_trip
from autosim.applications.driving.ownership import Ownership, ask_for_driver
from autosim.applications.remote.attached_program import interruptible, open_world_of
from autosim.client.link.mirror import Mirror
from autosim.client.link.participation import Participation
from autosim.client.link.served_world import choose_robot_of
from autosim.errors import UserError
from autosim.model.commands import DeviceError
from autosim.model.tree import SimulationTree
from autosim.userprogram.session.program_session import ProgramStopped

NAME = "autosim drive"


@dataclass(frozen=True, slots=True)
class DriveOptions:
    """Options of driving: server, robot (None: the first) and input device.

    `device` is the path of a joystick's, "auto": the first one; None: the keyboard of this
    terminal. `largest_angle` of the road wheels [rad]; None: the robot's own. `ask_to_take_over`
    is called with robot and program to decide whether to take over.
    """

    address: str
    """HOST:PORT of the server."""
    robot: str | None
    device: str | None
    layout: JoystickLayoutChoice
    """Layout of the joystick's axes."""
    largest_angle: float | None
    ask_to_take_over: Callable[[str, str], bool]


def drive(options: DriveOptions) -> None:
    """Drives until the driver or the server has had enough.

    Raises:
        UserError: it cannot be driven; the message says why.
        KeyboardInterrupt: the driver has pressed Ctrl-C, or the terminal is gone.
    """
    with (
        interruptible(),
        open_world_of(options.address) as mirror,
        _controls(options) as controls,
    ):
        trip = _trip(mirror.tree, choose_robot_of(mirror.tree, options.robot), options)
        trip = replace(trip, takes_over=_takes_over(trip.robot, options))
        try:
            _drive(mirror, controls, trip, options)
        except DeviceError as error:
            raise UserError(error.reason) from error
        except ProgramStopped as error:
            raise UserError("the simulation has ended or has disconnected the driver") from error


def _drive(
    mirror: Mirror, controls: DriverInput, trip: DrivingSession, options: DriveOptions
) -> None:
    figures = _Figures()
    ownership = Ownership(options.address, trip.robot, report=figures.say)
    terminal = sys.stdin.fileno() if isinstance(controls, Keyboard) else None
    with figures, _raw(terminal):
        figures.say(f"driving '{trip.robot}': {controls.help}")
        drive_manually(
            Participation(mirror), controls, trip, ownership=ownership, show=figures.show
        )


def _trip(tree: SimulationTree, robot: str, options: DriveOptions) -> DrivingSession:
    trip = make_trip(NAME, tree, robot)
    if options.largest_angle is None:
        return trip
    return replace(trip, steering=replace(trip.steering, largest=options.largest_angle))


def _takes_over(robot: str, options: DriveOptions) -> bool:
    """Whether the robot is taken over from a program.

    Raises:
        UserError: one drives it, and it is to continue.
    """
    driver = ask_for_driver(options.address, robot)
    if driver is None:
        return False
    if not options.ask_to_take_over(robot, driver.file):
        raise UserError(
            f"robot '{robot}' is driven by {driver.file}: take over with --take-over, or end it "
            f"with autosim ctl stop-program {driver.robot}"
        )
    return True


@contextmanager
def _controls(options: DriveOptions) -> Iterator[DriverInput]:
    if options.device is not None:
        with closing(open_joystick(options.device, options.layout)) as joystick:
            yield joystick
        return
    if not sys.stdin.isatty():
        raise UserError("there is no terminal to drive from; name a joystick with --device")
    yield Keyboard(sys.stdin.fileno())


@contextmanager
def _raw(descriptor: int | None) -> Iterator[None]:
    if descriptor is None:
        yield
        return
    with raw_terminal(descriptor):
        yield


class _Figures:
    """A status line that is overwritten on a terminal; messages appear below it."""

    def __init__(self) -> None:
        self._is_begun = False

    def show(self, speed: float, values: tuple[float, float, float]) -> None:
        """Shows the speed forwards [m/s] and the values of the actuator."""
        if not sys.stderr.isatty():
            return
        steering, push, brake = values
        gear = gear_of(speed=speed, acceleration=push)
        text = f"{gear} {3.6 * speed:6.1f} km/h  steering {steering:+.2f}  push {push:+.2f}"
        print(f"\r{text}  brake {brake:.2f}  ", end="", file=sys.stderr, flush=True)
        self._is_begun = True

    def say(self, text: str) -> None:
        """Prints a line."""
        self._end()
        tell(text)

    def _end(self) -> None:
        if self._is_begun:
            print(file=sys.stderr)
        self._is_begun = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self._end()
