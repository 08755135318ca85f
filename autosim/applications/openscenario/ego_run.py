"""Runs an OpenSCENARIO file in the physics world of its roads, with a robot as its ego."""

from dataclasses import dataclass
from pathlib import Path

from autosim.applications.openscenario.scenario_trial import find_map
from autosim.applications.run.play_scenario import ScenarioOptions, ScenarioSummary, play_scenario
from autosim.config.diagnostics import printable
from autosim.errors import UserError
from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario
from autosim.openscenario.records.action_records import AssignController
from autosim.openscenario.records.storyboard_records import XoscScenario
from autosim.traffic.scenarios.ego import EGO

DRIVER = Path("userprograms/driver.py")
"""Program that drives an ego without another one."""

_PROGRAM = "program"
"""Property of a controller that names a user program."""


@dataclass(frozen=True, slots=True)
class RobotRunOptions:
    """Scenario, robot, program and output of a run."""

    file: Path
    """The scenario."""
    robot: Path
    """Robot file of the ego."""
    program: Path | None
    """User program that drives it; None: that of the ego's controller, else `DRIVER`."""
    out: Path
    """Folder for the results."""
    maps: Path | None = None
    """Folder of maps, or a map file, for a scenario whose map is not there."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of parameters, by name."""
    address: str = "127.0.0.1:0"
    """HOST:PORT at which clients may watch."""
    pace: float = 0.0
    """Simulated time per real time at most; 0: as fast as it goes."""


def run_with_robot(options: RobotRunOptions) -> ScenarioSummary:
    """Compiles the scenario's roads, puts the robot where the ego begins, and plays the storyboard.

    Raises:
        UserError: the scenario cannot be executed, has no map or the map is not there.
    """
    scenario, findings = read_scenario(options.file, dict(options.values))
    refusals = faults_of(findings)
    if scenario is None or refusals:
        raise UserError(str(refusals[0]) if refusals else f"{options.file}: has no content")
    if not scenario.map:
        raise UserError(f"{options.file}: has no road network: a robot needs roads to drive on")
    place = find_map(scenario, options.maps)
    if place is None:
        name = printable(scenario.map, 80)
        raise UserError(f"{options.file}: there is no map '{name}': name one with --maps")
    return play_scenario(
        ScenarioOptions(
            scenario=options.file,
            place=place,
            out=options.out,
            program=options.program or _stated_program(options.file, scenario) or DRIVER,
            robot=options.robot,
            values=options.values,
            address=options.address,
            pace=options.pace,
        )
    )


def _stated_program(file: Path, scenario: XoscScenario) -> Path | None:
    """The user program that a controller of the ego names, None without one.

    It lies beside the scenario, or where programs are looked up.
    """
    vehicles = {each.name.lower(): each for each in scenario.entities if each.kind == "vehicle"}
    ego = next((vehicles[name] for name in EGO if name in vehicles), None)
    ego = ego or next(iter(vehicles.values()), None)
    assigned = [
        controller
        for each in scenario.init
        if isinstance(each.content, AssignController) and ego and each.entity == ego.name
        for controller in each.content.controllers
    ]
    for controller in (*assigned, *(ego.controllers if ego else ())):
        name = dict(controller.properties).get(_PROGRAM)
        if name:
            beside = file.parent / name
            return beside if beside.is_file() else Path(name)
    return None
