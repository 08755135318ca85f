"""Driving by hand: a person at keys or a joystick takes part in the step as a user program does.

So one person or program drives a robot at a time; and when the person's process ends, in whatever
way, or says nothing for the server's deadline, the robot brakes.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import numpy as np

from autosim.applications.attach import interruptible, open_world_of
from autosim.applications.driving.controls import HALT, Controls, actuator_values
from autosim.applications.driving.joystick import LayoutChoice, open_joystick
from autosim.applications.driving.keyboard import Keyboard, raw_terminal
from autosim.applications.terminal import tell
from autosim.client.participation import participate
from autosim.client.served import require_robot
from autosim.errors import UserError
from autosim.simulation.commands import DeviceError
from autosim.simulation.tree import Node, SimulationTree
from autosim.userprogram.session import ProgramStopped, Session

PERIOD = 0.05
"""Simulated time [s] from one look at the controls to the next."""


@dataclass(frozen=True, slots=True)
class DriveOptions:
    """Which robot (None: the first) of which server to drive with what.

    `device` is the path of a joystick's, "auto": the first one; None: the keyboard of this
    terminal. `largest_angle` of the road wheels [rad].
    """

    address: str
    robot: str | None
    device: str | None
    layout: LayoutChoice
    largest_angle: float


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
        robot = require_robot(mirror.tree, options.robot)
        actuator = _actuator(mirror.tree, robot)
        tell(f"driving '{robot}': {controls.help}")
        try:
            with (
                _line_of_figures(),
                participate(mirror, program="autosim drive", robot=robot) as session,
            ):
                _drive(session, actuator, controls, options.largest_angle)
        except DeviceError as error:
            raise UserError(error.reason) from error
        except ProgramStopped as error:
            raise UserError("the simulation has ended, or has let go of the driver") from error


def _drive(session: Session, actuator: Node, controls: Controls, largest_angle: float) -> None:
    part = actuator.parent
    assert part is not None
    while not controls.is_over:
        speed = forward_speed(session, part)
        wish = controls.read(time.monotonic())
        values = actuator_values(wish, speed=speed, largest_angle=largest_angle)
        session.set_data(actuator.name, values)
        _show(speed, values)
        session.wait(PERIOD)
    halt = actuator_values(HALT, speed=0.0, largest_angle=largest_angle)
    session.set_data(actuator.name, halt)
    session.finish()


def forward_speed(session: Session, part: Node) -> float:
    """Speed [m/s] of a part along its x axis."""
    x, y, z, w = session.field(part, "orientation")
    ahead = np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])
    return float(ahead @ session.field(part, "velocity"))


def _actuator(tree: SimulationTree, robot: str) -> Node:
    node = tree.find(robot)
    assert node is not None
    for each in node.walk():
        if each.kind == "DriveActuator":
            return each
    raise UserError(f"robot '{robot}' has no DriveActuator: it cannot be driven")


@contextmanager
def _controls(options: DriveOptions) -> Iterator[Controls]:
    if options.device is not None:
        with closing(open_joystick(options.device, options.layout)) as joystick:
            yield joystick
        return
    if not sys.stdin.isatty():
        raise UserError("there is no terminal to drive from; name a joystick with --device")
    descriptor = sys.stdin.fileno()
    with raw_terminal(descriptor):
        yield Keyboard(descriptor, now=time.monotonic())


@contextmanager
def _line_of_figures() -> Iterator[None]:
    """What is said after the line that is written over begins below it."""
    try:
        yield
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _show(speed: float, values: tuple[float, float, float]) -> None:
    """A line that is written over, where a person can see it."""
    if sys.stderr.isatty():
        steering, push, brake = values
        text = f"{3.6 * speed:6.1f} km/h  steering {steering:+.2f}  push {push:+.2f}"
        print(f"\r{text}  brake {brake:.2f}  ", end="", file=sys.stderr, flush=True)
