"""`autosim osi`: messages of ASAM OSI, live."""

import click

from autosim.cli.cli_options import CREDENTIALS, Real, bridge_options, example, explain_errors
from autosim.wire import OSI_PORT


@click.command(
    epilog=example("autosim osi", "autosim osi lab:2008 --address 0.0.0.0 --port 8801 --view-only")
)
@bridge_options(port=OSI_PORT, view_only="Take no TrafficUpdates.")
@click.option(
    "--rate",
    type=Real(min=0.0, max=10_000.0),
    default=50.0,
    show_default=True,
    help="Messages per simulated second; 0: every step.",
)
@CREDENTIALS
@explain_errors
def osi(server: str, address: str, port: int, view_only: bool, rate: float) -> None:
    """Serves the world of a SERVER (HOST:PORT) as messages of ASAM OSI, live.

    Lichtblick and other clients of the Foxglove WebSocket protocol read GroundTruth, SensorView,
    SensorData, HostVehicleData and TrafficUpdate; TrafficUpdates that clients publish move robots
    and objects. Connections are not encrypted and have no password.
    """
    from autosim.osi.osi_packages import require_osi

    require_osi(is_live=True)
    from autosim.applications.osi.osi_program import OsiOptions, run_osi
    from autosim.applications.remote.attached_program import interruptible
    from autosim.applications.ros2.bridged_world import BridgedWorld

    world = BridgedWorld(server, "osi", rate, has_pictures=False)
    with interruptible():
        run_osi(OsiOptions(world, address, port, takes_updates=not view_only))
