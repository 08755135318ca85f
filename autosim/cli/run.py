"""`autosim run`."""

import sys
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, echo_escaped, example, explain_errors, server_options
from autosim.config.schemas.world import MOST_PEOPLE, MOST_VEHICLES


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
@click.option("--robot", help="The robot that the program drives. Default: the first.")
@server_options
@click.option(
    "--reload", "is_reloaded", is_flag=True, help="Restart the program when its file changes."
)
@click.option(
    "--record",
    metavar="NAME",
    help="Have the server record the run meanwhile, to NAME.mcap in its folder for records; with "
    "--scenario that is $AUTOSIM_RECORDS, or records/ here.",
)
@click.option(
    "--scenario",
    type=FILE,
    help="Play this scenario (AutoSim's or OpenSCENARIO's) without a window instead; PROGRAM, if "
    "given, drives the first robot in it.",
)
@click.option("--world", type=FILE, help="Where to play it. Default: the demo's town.")
@click.option("--osm", type=FILE, help="An OpenStreetMap extract to play it in instead.")
@click.option(
    "--traffic", type=click.IntRange(0, MOST_VEHICLES), help="Vehicles beside its actors."
)
@click.option("--people", type=click.IntRange(0, MOST_PEOPLE), help="People beside its actors.")
@click.option("--seed", default=0, show_default=True, help="The seed of its noise.")
@click.option(
    "--out",
    type=FILE,
    default=Path("out/scenario"),
    show_default=True,
    help="The folder for its figures.",
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
    """Runs the user program PROGRAM beside a running server; ARGUMENTS follow after --.

    What it prints is printed here. The exit code is 1 when it fails. Ctrl-C ends it, and its
    robot brakes. Cameras need a renderer: for pictures use autosim client --program.

    With --scenario it needs no server: the scenario is played as fast as it goes, and the exit code
    is 1 where it fails.
    """
    if program is not None and program.suffix in (".xml", ".osm", ".pbf"):
        raise click.UsageError(
            f"'{program}' is no program in Python; a scenario is played with --scenario, in the "
            "world of --world or the extract of --osm"
        )
    if scenario is not None:
        if world is not None and osm is not None:
            raise click.UsageError("give a world file (--world) or an extract (--osm), not both")
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
