"""`autosim run`."""

import sys
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors, server_options
from autosim.config.world_limits import MOST_PEOPLE, MOST_VEHICLES


@click.command(
    epilog=example(
        "autosim run userprograms/driver.py --robot impreza",
        "autosim run my_program.py --server 192.168.0.7:2008 -- fast 3",
        "autosim run my_program.py --reload",
        "autosim run my_driver.py --scenario scenarios/jay_walker.xml",
        "autosim run my_program.py --record lap-3",
    )
)
@click.argument("program", type=FILE, required=False)
@click.option("--robot", help="Robot that the program drives. Default: the first.")
@server_options
@click.option(
    "--reload", "is_reloaded", is_flag=True, help="Restart the program when its file changes."
)
@click.option(
    "--record",
    metavar="NAME",
    help="Record the run on the server, to NAME.mcap in its folder for records; with --scenario "
    "in $AUTOSIM_RECORDS, or records/ here.",
)
@click.option(
    "--scenario",
    type=FILE,
    help="Play this scenario (AutoSim's format, OpenSCENARIO, CommonRoad or a table of recorded "
    "actors) without a server and a window; PROGRAM, if given, drives its first robot.",
)
@click.option("--world", type=FILE, help="World file for --scenario. Default: the demo's town.")
@click.option(
    "--map",
    "--osm",
    "osm",
    type=FILE,
    help="Map to play it in instead: OpenStreetMap, OpenDRIVE, Lanelet2 or CommonRoad.",
)
@click.option(
    "--traffic",
    type=click.IntRange(0, MOST_VEHICLES),
    help="Number of vehicles in addition to the scenario's actors.",
)
@click.option(
    "--people",
    type=click.IntRange(0, MOST_PEOPLE),
    help="Number of pedestrians in addition to the scenario's actors.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the scenario's noise.")
@click.option(
    "--out",
    type=FILE,
    default=Path("out/scenario"),
    show_default=True,
    help="Folder for the scenario's results.",
)
@click.argument("arguments", nargs=-1)
@explain_errors
def run(
    program: Path | None,
    robot: str | None,
    address: str,
    is_reloaded: bool,
    record: str | None,
    arguments: tuple[str, ...],
    scenario: Path | None,
    world: Path | None,
    osm: Path | None,
    traffic: int | None,
    people: int | None,
    seed: int,
    out: Path,
) -> None:
    """Runs a user program on this machine, connected to a running server.

    ARGUMENTS, after --, go to the program. Its output appears here. The exit code is 1 if it fails.
    Ctrl-C stops it, and its robot brakes. Cameras need a renderer: for programs that use pictures,
    use autosim client --program.

    With --scenario no server is needed: the scenario is played as fast as possible, and the exit
    code is 1 if it fails.
    """
    if program is not None and program.suffix in (".xml", ".osm", ".pbf", ".xodr"):
        raise click.UsageError(
            f"'{program}' is not a Python program; to play a scenario, use --scenario, with "
            "--world or --map"
        )
    if scenario is not None:
        if world is not None and osm is not None:
            raise click.UsageError("give a world file (--world) or a map (--map), not both")
        _play(scenario, world or osm, program, arguments, (traffic, people), seed, out, record)
        return
    if program is None:
        raise click.UsageError("give a PROGRAM to run, or a scenario to play (--scenario)")
    from autosim.applications.remote.attached_program import AttachOptions, run_attached_program

    options = AttachOptions(
        program=program,
        address=address,
        robot=robot,
        arguments=arguments,
        is_reloaded=is_reloaded,
        record=record,
    )
    if not run_attached_program(options):
        sys.exit(1)


def _play(
    scenario: Path,
    place: Path | None,
    program: Path | None,
    arguments: tuple[str, ...],
    beside: tuple[int | None, int | None],
    seed: int,
    out: Path,
    record: str | None,
) -> None:
    from autosim.applications.run.demo import DEMO_WORLD
    from autosim.applications.run.play_scenario import ScenarioOptions, play_scenario

    vehicles, people = beside
    summary = play_scenario(
        ScenarioOptions(
            scenario=scenario,
            place=place or Path(DEMO_WORLD),
            out=out,
            seed=seed,
            program=program,
            arguments=arguments,
            vehicles=vehicles,
            people=people,
            record=record,
        )
    )
    echo_escaped(summary.as_text())
    if summary.failure:
        echo_escaped(f"error: {summary.failure}", err=True)
        sys.exit(1)
