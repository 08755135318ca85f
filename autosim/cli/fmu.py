"""`autosim fmu`: a robot as an FMU."""

from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors


@click.command(
    epilog=example(
        "autosim fmu worlds/yard.xml --out scout.fmu",
        "autosim fmu worlds/cars.xml --robot left --out car.fmu \\",
        "    --input chassis.drive_chassis --output chassis.velocity --output chassis.velocimeter",
    )
)
@click.argument("world", type=FILE)
@click.option("--robot", default="", metavar="NAME", help="The robot; by default the first.")
@click.option("--out", type=FILE, required=True, help="FMU to write.")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="PART.DEVICE",
    help="Actuator whose values are inputs; may be repeated. By default all actuators of a robot "
    "without a program, and none of a robot with one.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="NAME",
    help="Part, device or value of the robot that is an output; may be repeated. Default: all.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all noise.")
@explain_errors
def fmu(
    world: Path,
    robot: str,
    out: Path,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    seed: int,
) -> None:
    """Writes a robot of a WORLD, with its program, as a co-simulation FMU (FMI 3.0).

    The FMU simulates the whole world and gives the values that `Simulation` gives for the same
    seed and commands. AutoSim has to be installed where it is used.
    """
    from autosim.applications.fmu.robot_export import RobotExport, export_robot

    content = export_robot(world, out, RobotExport(robot, inputs, outputs, seed))
    count = sum(each.is_input for each in content.variables)
    echo_escaped(
        f"wrote {out}: robot '{content.robot}', {count} inputs, {len(content.variables) - count} "
        f"outputs, steps of {content.step:g} s"
    )
