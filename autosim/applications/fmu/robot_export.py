"""Writes a robot, with its world and its program, as a co-simulation FMU (FMI 3.0).

The FMU holds the files of the world and the robots' programs, plug-ins and FMUs; it is run by
AutoSim, which has to be installed where it is simulated.
"""

import json
import re
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from autosim.applications.fmu.robot_run import WORLD_FOLDER, FmuContent, variables_of
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import PathError, find_file, locate, search_roots
from autosim.config.files.program_files import find_program
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.kinds.coupling.fmu_description import ENDING
from autosim.loading.loader import load_world

_SCRIPT, _CONTENT = "robot_slave.py", "robot_fmu.json"


@dataclass(frozen=True, slots=True)
class RobotExport:
    """Choices for the FMU of a robot.

    Attributes:
        robot: name of the robot; "": the first of the world.
        inputs: devices (`PART.DEVICE`) that the FMU commands; none: the actuators of a robot
            without a program, else nothing.
        outputs: beginnings of the names of values; none: all.
        seed: seed of all noise.
    """

    robot: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    seed: int = 0


def export_robot(world_file: str | Path, out: Path, export: RobotExport) -> FmuContent:
    """Writes the FMU of a robot of a world.

    Args:
        world_file: the world.
        out: the FMU, replaced if it exists.
        export: choices.

    Returns:
        the content of the FMU.

    Raises:
        UserError: the world has errors, there is no such robot or value, `out` is not named as an
            FMU, or pythonfmu3 is missing.
    """
    if find_spec("pythonfmu3") is None:
        raise UserError("this needs the optional package pythonfmu3: pip install 'autosim[fmi]'")
    if out.suffix != ENDING:
        raise UserError(f"{out}: the name of an FMU ends in {ENDING}")
    path, roots = locate(world_file)
    world = load_world(path, roots=roots)
    with ScratchFolder("fmu") as folder:
        content = _content(world, path.name, out.stem, export)
        _pack(folder, content, _files(world, path, roots))
        _build(folder, out, content)
    return content


def _content(world: WorldDescription, file: str, name: str, export: RobotExport) -> FmuContent:
    robots = {each.name: each for each in world.robots}
    robot = export.robot or next(iter(robots), "")
    if robot not in robots:
        known = ", ".join(robots) or "no robots"
        raise UserError(f"{file}: there is no robot '{robot}'; the world has {known}")
    with Simulation(world, seed=export.seed, idle=list(robots)) as simulation:
        inputs = export.inputs
        if not inputs and robots[robot].program is None:
            inputs = tuple(_actuators(simulation, robot))
        variables = variables_of(simulation, robot, inputs, export.outputs)
        step = simulation.step_seconds
    return FmuContent(
        re.sub(r"\W", "_", name),
        str(uuid.uuid5(uuid.NAMESPACE_URL, repr((world.files, robot, export.seed, variables)))),
        f"Robot '{robot}' of the world '{world.name}', simulated by AutoSim.",
        f"worlds/{file}",
        robot,
        export.seed,
        step,
        variables,
    )


def _actuators(simulation: Simulation, robot: str) -> Iterator[str]:
    node = simulation.tree.find(robot)
    for each in node.walk() if node else ():
        if each.access.value == "drive":
            yield each.name.partition(".")[2]


def _files(
    world: WorldDescription, path: Path, roots: tuple[Path, ...]
) -> Iterator[tuple[str, Path]]:
    """The files of a world and its code, by their names below a root."""
    yield f"worlds/{path.name}", path
    for name, _ in world.files:
        if (found := _found(name, roots)) is not None and found.resolve() != path.resolve():
            yield name, found
    for robot in world.robots:
        for used in robot.robot.plugins:
            if (found := _found(used.name, roots)) is not None:
                yield used.name, found
        if robot.program is not None:
            program = find_program(robot.program, roots or search_roots())
            name = robot.program.removeprefix("userprograms/")
            yield f"userprograms/{name}", program


def _found(name: str, roots: tuple[Path, ...]) -> Path | None:
    try:
        return find_file(name, roots)
    except PathError:
        return None


def _pack(folder: Path, content: FmuContent, files: Iterator[tuple[str, Path]]) -> None:
    (folder / _CONTENT).write_text(json.dumps(content.as_json()), "utf-8")
    for name, path in files:
        target = folder / WORLD_FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _build(folder: Path, out: Path, content: FmuContent) -> None:
    from pythonfmu3 import FmuBuilder

    built = FmuBuilder.build_FMU(
        Path(__file__).with_name(_SCRIPT),
        dest=folder / "built",
        project_files=[folder / _CONTENT, folder / WORLD_FOLDER],
        needsExecutionTool=True,
        canHandleVariableCommunicationStepSize=False,
        canGetAndSetFMUState=False,
        canSerializeFMUState=False,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(built, out)
