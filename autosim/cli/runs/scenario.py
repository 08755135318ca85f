"""`autosim scenario`: runs, checks, lists and tabulates OpenSCENARIO files."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from autosim.cli.cli_options import FILE, CommandGroup, Real, echo_escaped, example, explain_errors

if TYPE_CHECKING:
    from autosim.applications.openscenario.ego_run import RobotRunOptions


_Command = TypeVar("_Command", bound=Callable[..., object])


def _seconds(default: float) -> Callable[[_Command], _Command]:
    """The option of the time limit of a scenario."""
    return click.option(
        "--seconds",
        type=Real(min=0.1, max=36_000.0),
        default=default,
        show_default=True,
        help="Time limit of each scenario in simulated time [s].",
    )


_CONTROLLERS = click.option(
    "--controllers/--no-controllers",
    "has_controllers",
    default=True,
    help="Whether active controllers drive. Without, entities keep the motion of their actions.",
)
_STEP = click.option(
    "--step",
    type=Real(min=1e-4, max=1.0),
    default=0.01,
    show_default=True,
    help="Duration of a step [s].",
)
_MAPS = click.option(
    "--maps",
    type=click.Path(path_type=Path, exists=True),
    help="OpenDRIVE file, or folder with such, for scenarios that name a map that is not there.",
)
_SET = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a parameter of the scenario; may be repeated.",
)
_PARTIAL = click.option(
    "--partial",
    "is_partial",
    is_flag=True,
    help="Run a file though some of its elements are not executed.",
)


@click.group(cls=CommandGroup)
def scenario() -> None:
    """Runs, checks and lists OpenSCENARIO files: XML (.xosc) and DSL (.osc)."""


@scenario.command(
    epilog=example(
        "autosim scenario run cut_in.xosc --set EgoSpeed=20",
        "autosim scenario run cut_in.xosc --ego robots/impreza.xml --program my_driver.py",
    )
)
@click.argument("file", type=FILE)
@_seconds(300.0)
@_STEP
@_MAPS
@_SET
@_PARTIAL
@_CONTROLLERS
@click.option("--events", "shows_events", is_flag=True, help="List all state changes.")
@click.option(
    "--ego",
    type=FILE,
    help="Robot file: run in the physics world of the scenario's roads, where this robot plays the "
    "entity ego, hero or ego_vehicle, else the first vehicle.",
)
@click.option(
    "--program",
    type=FILE,
    help="User program that drives the ego. Default: the one that the property program of the "
    "ego's controller names, else userprograms/driver.py.",
)
@click.option(
    "--listen",
    default="127.0.0.1:0",
    show_default=True,
    help="HOST:PORT at which clients may watch a run with --ego.",
)
@click.option(
    "--pace",
    type=Real(min=0.0),
    default=0.0,
    help="Simulated time per real time of a run with --ego; 0: as fast as possible.",
)
@click.option(
    "--out",
    type=FILE,
    default=Path("out/scenario"),
    show_default=True,
    help="Folder for the results of a run with --ego.",
)
@explain_errors
def run(
    file: Path,
    seconds: float,
    step: float,
    maps: Path | None,
    assignments: tuple[str, ...],
    is_partial: bool,
    has_controllers: bool,
    shows_events: bool,
    ego: Path | None,
    program: Path | None,
    listen: str,
    pace: float,
    out: Path,
) -> None:
    """Runs a scenario with kinematic entities, as fast as possible.

    The exit code is 1 if it does not end by its stop trigger or with all its stories. With --ego a
    robot with a program takes part, in physics; then the exit code is 1 if it collides.
    """
    from autosim.applications.openscenario.scenario_trial import (
        UNREADABLE,
        TrialOptions,
        try_scenario,
    )

    if ego is None:
        _refuse_robot_options()
    else:
        options = _robot_options(file, ego, program, out, maps, assignments, (listen, pace))
        sys.exit(_run_robot(options, shows_events=shows_events))
    trial_options = TrialOptions(
        seconds=seconds,
        step=step,
        values=_values(assignments),
        maps=maps,
        is_strict=not is_partial,
        has_controllers=has_controllers,
    )
    trial = try_scenario(file, trial_options)
    for time, text in trial.events if shows_events else ():
        echo_escaped(f"{time:9.3f}  {text}")
    for refusal in trial.refusals:
        echo_escaped(refusal, err=True)
    for note in trial.notes:
        echo_escaped(f"note: {note}", err=True)
    for time, first, second in trial.collisions:
        echo_escaped(f"{time:9.3f}  collision of {first} and {second}")
    if trial.reason and not trial.refusals:
        prefix = "" if trial.outcome == UNREADABLE else "error: "
        echo_escaped(f"{prefix}{trial.reason}", err=True)
    ran = f", {trial.duration:.2f} s, digest {trial.digest}" if trial.digest else ""
    echo_escaped(f"{file}: {trial.outcome}{ran}")
    sys.exit(0 if trial.has_run else 1)


@scenario.command(epilog=example("autosim scenario check cut_in.xosc"))
@click.argument("file", type=FILE)
@_SET
@explain_errors
def check(file: Path, assignments: tuple[str, ...]) -> None:
    """Names all faults of a file, and all its elements that are not executed, with their lines."""
    from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario

    found, findings = read_scenario(file, _values(assignments))
    refusals = faults_of(findings)
    for each in refusals:
        echo_escaped(each)
    if refusals:
        sys.exit(1)
    if found is None:
        echo_escaped(f"{file}: no faults; it declares no scenario that could run")
        return
    echo_escaped(f"{file}: no faults; all elements are executed")


@scenario.command("list", epilog=example("autosim scenario list cut_in.xosc"))
@click.argument("file", type=FILE)
@explain_errors
def show_content(file: Path) -> None:
    """Lists the parameters, entities and events of a file."""
    from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario

    found, findings = read_scenario(file)
    if found is None:
        for each in faults_of(findings):
            echo_escaped(each, err=True)
        sys.exit(1)
    echo_escaped(f"OpenSCENARIO {found.version[0]}.{found.version[1]}, map: {found.map or 'none'}")
    for name, value in found.parameters:
        echo_escaped(f"parameter {name} = {value}")
    for entity in found.entities:
        echo_escaped(
            f"entity {entity.name}: {entity.kind} {entity.category} {entity.model}".rstrip()
        )
    for story in found.stories:
        for act in story.acts:
            for group in act.groups:
                events = [event for maneuver in group.maneuvers for event in maneuver.events]
                for event in filter(lambda each: each.actions, events):
                    actors = ", ".join(group.actors) or "none"
                    echo_escaped(f"event {act.name}/{event.name}: actors {actors}")


@scenario.command(epilog=example("autosim scenario scoreboard scenarios_of_others --out out/board"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@_seconds(1800.0)
@_STEP
@_MAPS
@_PARTIAL
@click.option(
    "--out",
    type=FILE,
    default=Path("out/scoreboard"),
    show_default=True,
    help="Folder for scoreboard.md, scoreboard.json and scoreboard.html.",
)
@explain_errors
def scoreboard(
    folder: Path, seconds: float, step: float, maps: Path | None, is_partial: bool, out: Path
) -> None:
    """Runs all scenarios of FOLDER and writes a table of how each ended."""
    from autosim.applications.openscenario.scenario_trial import ScenarioTrial, TrialOptions
    from autosim.applications.openscenario.scoreboard import make_scoreboard, write_scoreboard

    def show(trial: ScenarioTrial) -> None:
        echo_escaped(f"{trial.path.relative_to(folder)}: {trial.outcome}")

    options = TrialOptions(seconds=seconds, step=step, maps=maps, is_strict=not is_partial)
    board = make_scoreboard(folder, options, show)
    files = write_scoreboard(board, out)
    echo_escaped(board.summary())
    echo_escaped(f"wrote {', '.join(str(each) for each in files)}")


@scenario.command(epilog=example("autosim scenario sweep cut_in_variants.xosc"))
@click.argument("file", type=FILE)
@_seconds(300.0)
@_STEP
@_MAPS
@click.option("--limit", type=click.IntRange(1), help="Number of variants to run. Default: all.")
@explain_errors
def sweep(file: Path, seconds: float, step: float, maps: Path | None, limit: int | None) -> None:
    """Runs all variants of a distribution of parameters, and prints how each ended.

    The exit code is 1 if one of them does not end by itself.
    """
    from autosim.applications.openscenario.scenario_trial import TrialOptions, try_scenario
    from autosim.openscenario.reading.distribution_reader import read_distribution

    path, variants = read_distribution(file)
    variants = variants[:limit]
    failed = 0
    for values in variants:
        options = TrialOptions(seconds=seconds, step=step, values=values, maps=maps)
        trial = try_scenario(path, options)
        failed += not trial.has_run
        named = ", ".join(f"{name}={value}" for name, value in values.items())
        reason = f": {trial.reason}" if trial.reason else ""
        echo_escaped(
            f"{named}: {trial.outcome}{reason}, {trial.duration:.2f} s, "
            f"{len(trial.collisions)} collisions"
        )
    echo_escaped(f"{path}: {len(variants)} variants, {failed} did not end by themselves")
    sys.exit(1 if failed else 0)


def _refuse_robot_options() -> None:
    """Refuses options that only a run with a robot uses.

    Raises:
        click.UsageError: one was given.
    """
    context = click.get_current_context()
    for name in ("program", "listen", "pace", "out"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for runs with a robot: name its file with --ego")


def _robot_options(
    file: Path,
    ego: Path,
    program: Path | None,
    out: Path,
    maps: Path | None,
    assignments: tuple[str, ...],
    watched: tuple[str, float],
) -> "RobotRunOptions":
    from autosim.applications.openscenario.ego_run import RobotRunOptions

    return RobotRunOptions(
        file=file,
        robot=ego,
        program=program,
        out=out,
        maps=maps,
        values=tuple(_values(assignments).items()),
        address=watched[0],
        pace=watched[1],
    )


def _run_robot(options: "RobotRunOptions", *, shows_events: bool) -> int:
    """Runs a scenario with a robot, and gives the exit code."""
    from autosim.applications.openscenario.ego_run import run_with_robot

    summary = run_with_robot(options)
    for name, moment in summary.scenario.events.items() if shows_events else ():
        echo_escaped(f"{'-' if moment is None else f'{moment:9.3f}'}  event {name}")
    echo_escaped(summary.as_text())
    if summary.failure:
        echo_escaped(f"error: {summary.failure}", err=True)
    return 1 if summary.failure else 0


def _values(assignments: tuple[str, ...]) -> dict[str, str]:
    values = {}
    for each in assignments:
        name, mark, value = each.partition("=")
        if not mark or not name:
            raise click.UsageError(f"'{each}' is not an assignment: expected NAME=VALUE")
        values[name] = value
    return values
