"""`autosim drive`."""

import click

from autosim.cli.common import SERVER, Real, example, explained


@click.command(
    epilog=example(
        "autosim drive --robot impreza",
        "autosim drive --device /dev/input/js0 --layout wheel --server 192.168.0.7:2008",
    )
)
@click.option("--robot", help="The robot to drive. Default: the first.")
@click.option("--device", help="A joystick, /dev/input/js0 say, instead of the keyboard.")
@click.option(
    "--layout",
    type=click.Choice(["gamepad", "wheel"]),
    default="gamepad",
    show_default=True,
    help="gamepad: axis 0 steers, axis 1 up and down. wheel: axis 0, pedals on axes 2 and 3.",
)
@click.option("--steering-axis", type=click.IntRange(0, 63), help="Another axis for steering.")
@click.option("--throttle-axis", type=click.IntRange(0, 63), help="Another one for the throttle.")
@click.option("--brake-axis", type=click.IntRange(0, 63), help="Another one for the brake pedal.")
@click.option(
    "--dead-zone",
    type=Real(0.0, 0.9),
    help="Share of an axis about its rest that counts for nothing.",
)
@click.option(
    "--steering-angle",
    type=Real(0.01, 1.5),
    default=0.5,
    show_default=True,
    help="Of the road wheels at full lock [rad].",
)
@SERVER
@explained
def drive(
    robot: str | None,
    device: str | None,
    layout: str,
    steering_axis: int | None,
    throttle_axis: int | None,
    brake_axis: int | None,
    dead_zone: float | None,
    steering_angle: float,
    address: str,
) -> None:
    """Drives a robot by hand: W A S D or the arrows, space brakes, Q ends; or by a joystick.

    The car brakes when you press nothing for 0.8 s, when the joystick is pulled out, and when
    this command ends, in whatever way. Hold a key to go on. On a joystick, button 0 brakes, and
    button 1 makes the pedal of a wheel go backwards.
    """
    from dataclasses import replace

    from autosim.applications.driving import drive as driving
    from autosim.applications.driving.joystick import LAYOUTS

    changes = {
        "steering_axis": steering_axis,
        "throttle_axis": throttle_axis,
        "brake_axis": brake_axis,
        "dead_zone": dead_zone,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    driving.drive(
        driving.DriveOptions(
            address=address,
            robot=robot,
            device=device,
            layout=replace(LAYOUTS[layout], **given),  # type: ignore[arg-type]
            largest_angle=steering_angle,
        )
    )
