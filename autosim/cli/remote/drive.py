"""`autosim drive`."""

import sys
from typing import Literal

import click

from autosim.cli.cli_options import Real, example, explain_errors, server_options

_AXIS_NAMES = ("X", "Y", "Z", "RX", "RY", "RZ", "THROTTLE", "RUDDER", "WHEEL", "GAS", "BRAKE")
_AXIS = click.Choice(_AXIS_NAMES, case_sensitive=False)


@click.command(
    epilog=example(
        "autosim drive --robot impreza",
        "autosim drive --robot impreza --take-over",
        "autosim drive --device auto",
        "autosim drive --device /dev/input/event5 --layout wheel --server 192.168.0.7:2008",
    )
)
@click.option("--robot", help="Robot to drive. Default: the first.")
@click.option(
    "--device",
    help="Joystick, gamepad or wheel instead of the keyboard, such as /dev/input/event5; auto: "
    "the first one found.",
)
@click.option(
    "--layout",
    type=click.Choice(["auto", "stick", "gamepad", "wheel", "pedals"]),
    default="auto",
    show_default=True,
    help="Axes. stick: X steers, Y accelerates and brakes. gamepad: X and the triggers RZ and Z. "
    "wheel: X and the pedals Z and RZ. pedals: X and the pedals GAS and BRAKE.",
)
@click.option("--steering-axis", type=_AXIS, help="Axis for steering, instead of the layout's.")
@click.option("--throttle-axis", type=_AXIS, help="Axis for the throttle, instead of the layout's.")
@click.option("--brake-axis", type=_AXIS, help="Axis for the brake pedal, instead of the layout's.")
@click.option(
    "--pedals-rest",
    type=click.Choice(["low", "high"]),
    help="Axis end of a released pedal.",
)
@click.option(
    "--dead-zone",
    type=Real(0.0, 0.9),
    help="Fraction of an axis around its rest position that is ignored.",
)
@click.option(
    "--steering-angle",
    type=Real(0.01, 1.5),
    help="Angle of the road wheels at full lock [rad]. Default: from the robot's file.",
)
@click.option(
    "--take-over",
    is_flag=True,
    help="Stop the program that drives the robot without asking, and restart it afterwards.",
)
@server_options
@explain_errors
def drive(
    robot: str | None,
    device: str | None,
    layout: str,
    steering_axis: str | None,
    throttle_axis: str | None,
    brake_axis: str | None,
    pedals_rest: Literal["low", "high"] | None,
    dead_zone: float | None,
    steering_angle: float | None,
    take_over: bool,
    address: str,
) -> None:
    """Drives a robot by keyboard (W A S D or arrows, space brakes, Q quits) or joystick.

    If a program drives the robot, the command asks before it stops that program, and restarts it
    when you quit. Keys steer as far as the speed allows; without a key the steering returns to
    straight and the car coasts. On a joystick the first button (A) brakes, and the second (B)
    reverses the throttle of pedals and triggers. The car brakes when the joystick is unplugged and
    when this command ends, for whatever reason.
    """
    from autosim.applications.driving import drive_in_terminal as driving
    from autosim.applications.driving.event_device import Axis
    from autosim.applications.driving.joystick import JoystickLayoutChoice

    steering, throttle, brake = (
        None if name is None else Axis[name] for name in (steering_axis, throttle_axis, brake_axis)
    )
    driving.drive(
        driving.DriveOptions(
            address=address,
            robot=robot,
            device=device,
            layout=JoystickLayoutChoice(layout, steering, throttle, brake, pedals_rest, dead_zone),
            largest_angle=steering_angle,
            ask_to_take_over=lambda name, program: take_over or _asks(name, program),
        )
    )


def _asks(robot: str, program: str) -> bool:
    """Asks at the terminal whether to take over; False if standard input is not a terminal."""
    if not sys.stdin.isatty():
        return False
    question = f"'{robot}' is driven by {program}; take over?"
    return click.confirm(question, default=True, err=True)
