"""Writes a world file: what `load_world` reads, with the comments of the files that are shipped."""

from collections.abc import Iterator
from math import pi
from pathlib import Path
from xml.sax.saxutils import quoteattr

from autosim.config.descriptions import (
    GraphicsDescription,
    PhysicsDescription,
    PlacedRobot,
    ProgramLimits,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.frames import world_yaw
from autosim.config.lookup import PathError, Roots

_HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<!--
  The world "{name}" as it stood when it was saved: places and headings of the robots, their user
  programs, and all that the world was loaded with. Speeds, tilts and what programs remember are
  not in a world file.

  Every file named here is looked up beside this one, in the folders of $AUTOSIM_PATH, in the
  working directory, and among the files that come with AutoSim.
  Axes of positions: x to the east, y up, z to the north, in metres from the centre of the map.
-->
"""


def write_world(world: WorldDescription, roots: Roots) -> str:
    """The text of a world file that describes `world`.

    Args:
        world: all its robots are of files.
        roots: the folders to which paths in the file are relative, as `search_roots` gives them.

    Raises:
        PathError: a file of the world lies in none of these folders.
    """
    lines = [
        f"<World name={quoteattr(world.name)}>",
        *_section("Graphics", "How a client draws the world.", _graphics(world.graphics)),
        *_section("Physics", "How the world moves.", _physics(world.physics)),
        *_section("Terrain", "The place.", _terrain(world.terrain, roots)),
        *_section("Objects", "All robots.", _objects(world, roots)),
        "</World>",
    ]
    name = world.name.replace("--", "- -")
    return _HEAD.format(name=name) + "\n".join(lines) + "\n"


def name_below(file: Path, roots: Roots) -> str:
    """How a world file names `file`: relative to the first of `roots` in which it lies.

    Raises:
        PathError: it lies in none of them.
    """
    resolved = file.resolve()
    for root in roots:
        if resolved.is_relative_to(root):
            return resolved.relative_to(root).as_posix()
    raise PathError(
        f"'{file.name}' lies in none of the folders in which files are looked up: save the world "
        f"beside it, or name its folder in $AUTOSIM_PATH"
    )


def _section(tag: str, comment: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"  <!-- {comment} -->"
    yield f"  <{tag}>"
    yield from (f"    {line}" for line in lines)
    yield f"  </{tag}>"


def _graphics(graphics: GraphicsDescription) -> Iterator[str]:
    yield '<View name="view">'
    yield f'  <Size width="{graphics.width}" height="{graphics.height}"/>'
    yield f'  <Shadows value="{str(graphics.has_shadows).lower()}"/>'
    yield f'  <Multisamples value="{graphics.multisamples}"/>'
    yield f'  <Far value="{graphics.far!r}"/>'
    yield "</View>"


def _physics(physics: PhysicsDescription) -> Iterator[str]:
    yield '<Dynamics name="dynamics">'
    yield f'  <StepsPerSecond value="{round(1.0 / physics.step_seconds)}"/>'
    yield f'  <Gravity value="{physics.gravity!r}"/>'
    yield "</Dynamics>"


def _terrain(terrain: TerrainDescription, roots: Roots) -> Iterator[str]:
    files = (
        ("OsmFile", terrain.osm),
        ("SetupFile", terrain.setup.source),
        ("HeightMap", terrain.height_map),
    )
    yield f"<Map name={quoteattr(terrain.setup.name)}>"
    for tag, file in files:
        if file is not None:
            yield f"  <{tag} path={quoteattr(name_below(file, roots))}/>"
    if terrain.driving_side is not None:
        yield f'  <DrivingSide value="{terrain.driving_side}"/>'
    yield "</Map>"


def _objects(world: WorldDescription, roots: Roots) -> Iterator[str]:
    for robot in world.robots:
        yield f"<Robot name={quoteattr(robot.name)}>"
        yield f"  <File path={quoteattr(name_below(robot.robot.source, roots))}/>"
        yield from (f"  {line}" for line in _place(robot))
        if robot.program is not None:
            yield f"  <UserProgram {_program(robot, robot.program)}/>"
        yield "</Robot>"


def _place(robot: PlacedRobot) -> Iterator[str]:
    if robot.position is None:
        return
    x, y, z = robot.position
    height = "" if z is None else f' y="{z:.6f}"'
    yield f'<Position x="{x:.6f}"{height} z="{y:.6f}"/>'
    # World W counts counter-clockwise from east, the file clockwise from north.
    clockwise = (world_yaw(robot.yaw or 0.0) + pi) % (2.0 * pi) - pi
    yield f'<RotY value="{clockwise:.6f}"/>'


def _program(robot: PlacedRobot, file: str) -> str:
    limits, usual = robot.program_limits, ProgramLimits()
    attributes = [("file", file), ("side", robot.program_side)]
    if robot.program_arguments:
        attributes.append(("arguments", " ".join(robot.program_arguments)))
    if limits.isolation != usual.isolation:
        attributes.append(("isolation", limits.isolation))
    if limits.deadline is not None:
        attributes.append(("deadline", repr(limits.deadline)))
    if limits.memory != usual.memory:
        attributes.append(("memory", str(limits.memory >> 20)))
    if limits.is_restarted:
        attributes.append(("restart", "true"))
    return " ".join(f"{name}={quoteattr(value)}" for name, value in attributes)
