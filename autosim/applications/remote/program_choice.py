"""Choice of the user program of a client: the given one, or the one that the world names."""

from dataclasses import replace
from pathlib import Path

from autosim.client.programs.client_programs import ProgramOrder
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.files import program_files
from autosim.config.files.lookup import locate, search_roots
from autosim.config.files.near_files import near_file
from autosim.errors import UserError
from autosim.world.pipeline.fetched_worlds import is_fetched


def choose_robot(world: WorldDescription, name: str | None) -> PlacedRobot:
    """The robot of that name; the first one where `name` is None.

    Raises:
        UserError: there is none.
    """
    robots = {robot.name: robot for robot in world.robots}
    if name is None and robots:
        return world.robots[0]
    if name is None or name not in robots:
        known = ", ".join(robots) or "none"
        wanted = "no robot" if name is None else f"no robot '{name}'"
        raise UserError(f"there is {wanted} in world '{world.name}' (robots: {known})")
    return robots[name]


def named_program(world: WorldDescription, robot: PlacedRobot) -> ProgramOrder | None:
    """The program that the world file names for `robot` with `side="client"`; None without one.

    If the world came from a server, its files are not trusted: the program is one of the user's
    own program folders.

    Raises:
        UserError: there is no such file.
    """
    if robot.program is None or robot.program_side != "client":
        return None
    roots = search_roots() if is_fetched(world.source) else locate(world.source)[1]
    file = program_files.find_program(robot.program, roots)
    return ProgramOrder(file, robot.name, robot.program_arguments, robot.program_limits)


def chosen_program(
    world: WorldDescription,
    *,
    program: Path | None,
    robot: str | None,
    arguments: tuple[str, ...] = (),
) -> ProgramOrder | None:
    """The program to run: the one given, else the one that the world names for the robot given.

    Its `arguments` follow the robot's name; where there are none, those that the world names with
    its program do. None where neither is given, or the world names none.

    Raises:
        UserError: there is no such robot or file.
    """
    if program is None and robot is None:
        return None
    driven = choose_robot(world, robot)
    if program is not None:
        return ProgramOrder(resolve_program(program), driven.name, arguments)
    named = named_program(world, driven)
    return replace(named, arguments=arguments) if named and arguments else named


def resolve_program(given: Path) -> Path:
    """A program's file: at the path given, or where the files of worlds are looked up.

    As in world files, `userprograms/` may be left out.

    Raises:
        UserError: there is none.
    """
    path, roots = locate(given)
    if path.is_dir():
        raise UserError(f"'{given}' is a folder, no user program")
    if not path.is_file():
        path, _ = locate(Path(program_files.PROGRAM_FOLDER) / given)
    if not path.is_file():
        raise UserError(f"there is no user program '{given}'{near_file(given, roots)}")
    return path
