"""`autosim demo`."""

import sys
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, NewRecord, Real, echo_escaped, example, explain_errors
from autosim.config.world_limits import MOST_PEOPLE, MOST_VEHICLES


@click.command(
    epilog=example("autosim demo --seconds 60", "autosim demo --map my_town.osm.pbf --traffic 40")
)
@click.option("--world", type=FILE, help="World file to drive in. Default: the shipped town.")
@click.option(
    "--map",
    "--osm",
    "osm",
    type=FILE,
    help="Map to drive in instead: OpenStreetMap, OpenDRIVE, Lanelet2 or CommonRoad.",
)
@click.option(
    "--seconds",
    type=Real(min=0.1),
    default=60.0,
    show_default=True,
    help="Duration in simulated time [s].",
)
@click.option("--seed", default=0, show_default=True, help="Seed of all noise.")
@click.option(
    "--traffic",
    type=click.IntRange(0, MOST_VEHICLES),
    help="Number of vehicles in traffic. Default: some in the shipped town, else that of the world "
    "file.",
)
@click.option(
    "--people",
    type=click.IntRange(0, MOST_PEOPLE),
    help="Number of pedestrians. Default: as for --traffic.",
)
@click.option("--headless", is_flag=True, help="Open no window, even with a display.")
@click.option(
    "--renderer",
    help="Panda3D display module: pandagl, p3headlessgl or p3tinydisplay. Default: the first that "
    "works.",
)
@click.option(
    "--out",
    type=FILE,
    default=Path("out/demo"),
    show_default=True,
    help="Folder for pictures and figures.",
)
@click.option(
    "--scenario",
    type=FILE,
    help="Scenario to play: AutoSim's format, OpenSCENARIO (.xosc, .osc), CommonRoad or a table "
    "of recorded actors. It sets the duration and passes or fails.",
)
@click.option("--record", type=NewRecord(), help="Record the run to this .mcap file.")
@click.option(
    "--web", "opens_browser", is_flag=True, help="Also open a browser to watch and drive."
)
@explain_errors
def demo(
    world: Path | None,
    osm: Path | None,
    seconds: float,
    seed: int,
    traffic: int | None,
    people: int | None,
    headless: bool,
    renderer: str | None,
    out: Path,
    record: Path | None,
    scenario: Path | None,
    opens_browser: bool,
) -> None:
    """Drives a car through a town: server, client and user program, pictures and figures."""
    if world is not None and osm is not None:
        raise click.UsageError("give a world file (--world) or a map (--map), not both")
    from autosim.applications.run.demo import DemoOptions, run_demo, web_address

    summary = run_demo(
        DemoOptions(
            world=world,
            osm=osm,
            seconds=seconds,
            seed=seed,
            is_headless=headless,
            renderer=renderer,
            out=out,
            record=record,
            vehicles=traffic,
            people=people,
            scenario=scenario,
            web=web_address(is_wanted=opens_browser),
            opens_browser=opens_browser,
        )
    )
    echo_escaped(summary.as_text())
    if summary.failure:
        echo_escaped(f"error: {summary.failure}", err=True)
        sys.exit(1)
