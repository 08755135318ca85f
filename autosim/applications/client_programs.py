"""Which user program a client runs: the one that it is given, or the one that the world names."""

from pathlib import Path

from autosim.client.programs import ProgramOrder
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.lookup import find_file, locate
from autosim.config.near_files import near_file
from autosim.errors import UserError


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
    """What the world file names for `robot` with `side="client"`; None where it names nothing.

    Raises:
        UserError: there is no such file.
    """
    if robot.program is None or robot.program_side != "client":
        return None
    file = find_file(robot.program, locate(world.source)[1])
    return ProgramOrder(file, robot.name, robot.program_arguments, robot.program_limits)


def find_program(given: Path) -> Path:
    """A program's file: at the path given, or where the files of worlds are looked up.

    Raises:
        UserError: there is none.
    """
    path, roots = locate(given)
    if path.is_dir():
        raise UserError(f"'{given}' is a folder, no user program")
    if not path.is_file():
        raise UserError(f"there is no user program '{given}'{near_file(given, roots)}")
    return path
