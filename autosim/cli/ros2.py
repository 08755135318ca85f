"""`autosim ros2` and `autosim foxglove`, and the option --ros2 of servers."""

import click

from autosim.cli.cli_options import (
    CREDENTIALS,
    HostPort,
    Real,
    bridge_options,
    example,
    explain_errors,
)
from autosim.wire import DEFAULT_ADDRESS, FOXGLOVE_PORT

DEFAULT_ROUTER = "tcp/127.0.0.1:7447"
"""Endpoint at which ROS 2 looks for a zenoh router by default."""


ROS2 = click.option(
    "--ros2",
    "router",
    is_flag=False,
    flag_value=DEFAULT_ROUTER,
    metavar="[ENDPOINT]",
    help=f"Also connect with ROS 2, by the zenoh router at {DEFAULT_ROUTER} or this endpoint.",
)
"""Option of commands that start a server: a bridge to ROS 2 beside it."""


@click.command(
    epilog=example(
        "autosim ros2",
        "autosim ros2 lab:2008 --router tcp/robot:7447 --domain 7",
        "autosim ros2 --rate 240 --no-pictures",
        "autosim ros2 --lockstep 1 --rate 20",
    )
)
@click.argument("address", default=DEFAULT_ADDRESS, metavar="[SERVER]", type=HostPort())
@click.option(
    "--router",
    default=DEFAULT_ROUTER,
    show_default=True,
    metavar="ENDPOINT",
    help="The zenoh router of ROS 2 (rmw_zenohd); where none listens, this command is one.",
)
@click.option(
    "--domain",
    type=click.IntRange(0, 232),
    default=0,
    show_default=True,
    envvar="ROS_DOMAIN_ID",
    show_envvar=True,
    help="The ROS domain.",
)
@click.option(
    "--distribution",
    type=click.Choice(["humble", "jazzy", "kilted"]),
    default="jazzy",
    show_default=True,
    envvar="ROS_DISTRO",
    help="The distribution whose message definitions are used.",
)
@click.option(
    "--rate",
    type=Real(min=0.0, max=10_000.0),
    default=100.0,
    show_default=True,
    help="States per simulated second that are published; 0: every step.",
)
@click.option("--no-pictures", is_flag=True, help="Publish no camera images.")
@click.option(
    "--lockstep",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="NODES",
    help="Pause the simulation after each state until this many nodes have acknowledged it.",
)
@CREDENTIALS
@explain_errors
def ros2(
    address: str,
    router: str,
    domain: int,
    distribution: str,
    rate: float,
    no_pictures: bool,
    lockstep: int,
) -> None:
    """Connects the robots of a SERVER (HOST:PORT) with ROS 2.

    Sensors, transforms and the clock are published as standard messages; robots obey cmd_vel,
    Ackermann and Autoware commands; the services are those of simulation_interfaces. Nodes need
    RMW_IMPLEMENTATION=rmw_zenoh_cpp.
    """
    from autosim.ros2.ros_packages import require_packages

    require_packages()
    from autosim.applications.remote.attached_program import interruptible
    from autosim.applications.ros2.bridge_program import BridgeOptions, run_bridge
    from autosim.applications.ros2.bridged_world import BridgedWorld

    with interruptible():
        run_bridge(
            BridgeOptions(
                world=BridgedWorld(address, rate=rate, has_pictures=not no_pictures),
                router=router,
                domain=domain,
                distribution=distribution,
                lockstep=lockstep,
            )
        )


@click.command(
    epilog=example(
        "autosim foxglove", "autosim foxglove lab:2008 --address 0.0.0.0 --port 8800 --view-only"
    )
)
@bridge_options(port=FOXGLOVE_PORT, view_only="Take no commands from Foxglove.")
@click.option(
    "--rate",
    type=Real(min=0.0, max=10_000.0),
    default=100.0,
    show_default=True,
    help="States per simulated second that are published; 0: every step.",
)
@click.option("--no-pictures", is_flag=True, help="Publish no camera images.")
@CREDENTIALS
@explain_errors
def foxglove(
    server: str, address: str, port: int, view_only: bool, rate: float, no_pictures: bool
) -> None:
    """Shows the robots of a SERVER (HOST:PORT) in Foxglove, live.

    The topics are those of autosim ros2. Foxglove's connections are not encrypted and have no
    password: any program that reaches the address may watch and, without --view-only, drive.
    """
    from autosim.ros2.ros_packages import require_packages

    require_packages("foxglove")
    from autosim.applications.remote.attached_program import interruptible
    from autosim.applications.ros2.bridged_world import BridgedWorld
    from autosim.applications.ros2.foxglove_program import FoxgloveOptions, run_foxglove

    world = BridgedWorld(server, "foxglove", rate, has_pictures=not no_pictures)
    with interruptible():
        run_foxglove(FoxgloveOptions(world, address, port, takes_commands=not view_only))
