"""Writes a world file for `load_world`, with comments like those of the shipped files."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import pi
from pathlib import Path
from xml.sax.saxutils import quoteattr

from autosim.config.descriptions import (
    PlacedRobot,
    Publication,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.diagnostics import name_as_text
from autosim.config.files.digests import path_digest, world_digest
from autosim.config.files.lookup import PathError, Roots, existing_folders, locate
from autosim.config.files.program_files import find_program
from autosim.config.reading.xml_reader import parse_xml
from autosim.config.scenarios import Scenario
from autosim.config.world_settings import (
    GraphicsDescription,
    PhysicsDescription,
    SkyDescription,
    TrafficDescription,
)
from autosim.config.xml_axes import world_yaw
from autosim.config.xml_record_writer import written_attributes, written_children
from autosim.kinds.kind import part_kind_of
from autosim.loading.robots.part_files import files_of
from autosim.loading.robots.robot_file import files_of_robot
from autosim.loading.scenario_environment import with_environment
from autosim.traffic.scenarios.entity_binding import bind_entities, on_map

_SAME_STEP_SECONDS = 1e-12
"""[s] Steps that differ by less are the same: the rounding of 1 / steps per second is smaller."""

_HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<!--
  The world "{name}" at the time of saving: positions and headings of robots and objects, user
  programs, and all that the world was loaded with. Speeds, tilts and what programs remember are
  not in a world file.

  Every file named here is looked up beside this one, in the folders of $AUTOSIM_PATH, in the
  working directory, and among the files that come with AutoSim.
  Axes of positions: x to the east, y up, z to the north, in metres from the map's origin.
-->
"""


def write_world(world: WorldDescription, roots: Roots) -> str:
    """The text of a world file that describes `world`.

    Args:
        world: all its robots come from files.
        roots: the folders to which paths in the file are relative, as `search_roots` gives them.

    Raises:
        PathError: a file of the world lies in none of these folders.
    """
    lines = [
        f"<World name={quoteattr(world.name)}>",
        *_section("Graphics", "How a client draws the world.", _graphics(world.graphics)),
        *_section("Physics", "How the world moves.", _physics(world.physics)),
        *_section("Terrain", "The place.", _terrain(world.terrain, roots)),
        *_traffic_section(world, roots),
        *_section("Objects", "All that stands in the world.", _objects(world, roots)),
        "</World>",
    ]
    name = world.name.replace("--", "- -")
    return _HEAD.format(name=name) + "\n".join(lines) + "\n"


def written_files(world: WorldDescription, roots: Roots) -> tuple[tuple[str, str], ...]:
    """The `files` of the world that `load_world` reads from the text of `write_world`.

    Args:
        world: all its robots come from files.
        roots: as `write_world` takes them.

    Raises:
        PathError: a file of the world lies in none of these folders.
        OSError: a file can no longer be read.
    """
    text = write_world(world, roots).encode()
    terrain = world.terrain
    used = (terrain.osm, terrain.setup.source, terrain.height_map)
    robots = [each.robot for each in world.robots]
    of_robots = [each.source for each in robots]
    of_objects = [each.path for each in files_of([each.body for each in world.objects])]
    named = [each.path for robot in robots for each in files_of_robot(robot)]
    files = {written_name(world): world_digest(parse_xml(text))}
    scenario = _scenario_of(world)
    played = [scenario.source, *_catalogs_of(scenario)] if scenario else []
    for path in filter(None, (*of_robots, *of_objects, *named, *used, *played)):
        kept = world.text_of(path)
        digest = path_digest(path) if kept is None else hashlib.sha256(kept).hexdigest()
        files[name_below(path, roots)] = digest
    return tuple(files.items())


def rewritten(changed: WorldDescription) -> WorldDescription:
    """`changed` with the `files` of the world file that would describe it.

    Raises:
        PathError: a file of the world lies in none of the folders in which files are looked up,
            or cannot be read any longer.
    """
    try:
        return replace(changed, files=written_files(changed, roots_of(changed)))
    except OSError as error:
        raise PathError(f"a file of the world cannot be read any longer: {error}") from error


def with_step_size(world: WorldDescription, steps_per_second: int) -> WorldDescription:
    """`world` with another integration step, and its `files` as `rewritten` gives them.

    Raises:
        PathError: as `rewritten`.
    """
    step_seconds = 1.0 / steps_per_second
    if abs(step_seconds - world.physics.step_seconds) < _SAME_STEP_SECONDS:
        return world
    return rewritten(replace(world, physics=replace(world.physics, step_seconds=step_seconds)))


def with_traffic(
    world: WorldDescription, *, vehicles: int | None = None, people: int | None = None
) -> WorldDescription:
    """`world` with other numbers of vehicles and people, and its `files` as by `rewritten`.

    Args:
        world: what it says of traffic stays, where the numbers are None.
        vehicles: the most at a time.
        people: the most at a time; 0 of both is a world without traffic.

    Raises:
        PathError: as `rewritten`.
    """
    if vehicles is None and people is None:
        return world
    before = world.traffic or TrafficDescription()
    wanted = replace(
        before,
        vehicles=before.vehicles if vehicles is None else vehicles,
        people=before.people if people is None else people,
    )
    traffic = wanted if wanted.vehicles or wanted.people or wanted.scenario else None
    return world if traffic == world.traffic else rewritten(replace(world, traffic=traffic))


def with_scenario(world: WorldDescription, scenario: Scenario) -> WorldDescription:
    """`world` with a scenario in its traffic, and its `files` as `rewritten` gives them.

    Day time, weather and friction are those of the scenario, where it states them.

    A scenario made by a program has no file: records of it can be watched, but not simulated again.

    Raises:
        UserError: the scenario names an actor that does not exist. PathError: as `rewritten`.
    """
    robots = [robot.name for robot in world.robots]
    scenario = bind_entities(scenario, robots, [thing.name for thing in world.objects])
    scenario = on_map(scenario, world.terrain.osm)
    traffic = replace(world.traffic or TrafficDescription(), scenario=scenario)
    world = with_environment(replace(world, traffic=traffic), scenario)
    if scenario.source is None or not world.files:
        return world
    files = [each.resolve() for each in (scenario.source, *_catalogs_of(scenario))]
    texts = {**dict(world.texts), **{each: each.read_bytes() for each in files}}
    folders = (*world.folders, *dict.fromkeys(each.parent for each in files))
    return rewritten(replace(world, texts=tuple(texts.items()), folders=folders))


def roots_of(world: WorldDescription) -> Roots:
    """The folders in which the files of a world are looked up."""
    return existing_folders([*locate(world.source)[1], *world.folders])


def written_name(world: WorldDescription) -> str:
    """The name of the file that `write_world` describes; an extract is not a world file."""
    name = name_as_text(world.source)
    return name if name.endswith(".xml") else f"{world.name}.xml"


def name_below(file: Path, roots: Roots) -> str:
    """The name of `file` in a world file, relative to the first of `roots` that holds it.

    Raises:
        PathError: none of them holds it, another file has that name in an earlier one, or its name
            is not text.
    """
    resolved = file.resolve()
    if any(ord(letter) < 32 or "\ud800" <= letter <= "\udfff" for letter in str(resolved)):
        raise PathError(f"no world file can name '{name_as_text(file)}': rename it, in UTF-8")
    for root in roots:
        if resolved.is_relative_to(root):
            name = resolved.relative_to(root)
            found = next((each / name for each in roots if (each / name).exists()), resolved)
            if found.resolve() == resolved:
                return name.as_posix()
            raise PathError(f"'{found}' is found before '{resolved}': rename one")
    raise PathError(
        f"'{file.name}' lies in none of the folders in which files are looked up: save the world "
        f"beside it, or name its folder in $AUTOSIM_PATH"
    )


def _section(tag: str, comment: str, lines: Iterator[str], attributes: str = "") -> Iterator[str]:
    yield f"  <!-- {comment} -->"
    yield f"  <{tag}{attributes}>"
    yield from (f"    {line}" for line in lines)
    yield f"  </{tag}>"


def _graphics(graphics: GraphicsDescription) -> Iterator[str]:
    yield from _element('View name="view"', graphics)
    if graphics.sky != SkyDescription():
        yield from _element("Sky", graphics.sky)


def _physics(physics: PhysicsDescription) -> Iterator[str]:
    yield from _element('Dynamics name="dynamics"', physics)


def _element(start: str, record: object) -> Iterator[str]:
    """An element with the children that state a record; `start` is its name and attributes."""
    yield f"<{start}>"
    yield from (f"  {line}" for line in written_children(record))
    yield f"</{start.split()[0]}>"


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
    yield from (f"  {line}" for line in written_children(terrain))
    yield "</Map>"


def _catalogs_of(scenario: Scenario) -> tuple[Path, ...]:
    """The catalog files that a scenario reads."""
    return scenario.storyboard.places if scenario.storyboard else ()


def _scenario_of(world: WorldDescription) -> Scenario | None:
    return world.traffic.scenario if world.traffic else None


def _traffic_section(world: WorldDescription, roots: Roots) -> Iterator[str]:
    if world.traffic is not None:
        demand = world.traffic.demand
        stated = "".join(f" {each}" for each in written_attributes(world.traffic))
        if demand is not None and demand.file is not None:
            stated += f" routes={quoteattr(name_below(demand.file, roots))}"
        lines = _traffic(world.traffic, roots)
        yield from _section("Traffic", "What moves by itself.", lines, stated)


def _traffic(traffic: TrafficDescription, roots: Roots) -> Iterator[str]:
    yield from written_children(traffic)
    if traffic.demand is None:
        for kind, share in traffic.shares:
            yield f'<Share kind="{kind}" value="{share!r}"/>'
    else:
        yield from (f"<Trip {_attributes(each)}/>" for each in traffic.demand.trips)
    if traffic.scenario is not None and traffic.scenario.source is not None:
        path = quoteattr(name_below(traffic.scenario.source, roots))
        reactive = any(each.is_reactive for each in traffic.scenario.actors)
        stated = ' reactive="idm"' if reactive else ""
        yield f"<Scenario path={path}{stated}/>"


def _attributes(record: object) -> str:
    return " ".join(written_attributes(record))


def _objects(world: WorldDescription, roots: Roots) -> Iterator[str]:
    for robot in world.robots:
        yield f"<Robot name={quoteattr(robot.name)}>"
        yield f"  <File path={quoteattr(name_below(robot.robot.source, roots))}/>"
        if robot.position is not None:
            yield from (f"  {line}" for line in _place(robot.position, robot.yaw or 0.0))
        if robot.program is not None:
            file = _program_file(robot.program, world, roots)
            yield f"  <UserProgram {_program(robot, file)}/>"
        if robot.robot.is_truth_readable:
            yield '  <ReadableTruth value="true"/>'
        for publication in robot.robot.publications:
            yield from (f"  {line}" for line in _publication(publication))
        yield "</Robot>"
    for each in world.objects:
        kind = part_kind_of(each.body)
        yield f"<{kind.name} name={quoteattr(each.name)}>"
        yield from (f"  {line}" for line in _place(each.position, each.yaw))
        yield from (f"  {line}" for line in kind.write_object(each.body))
        yield f"</{kind.name}>"


def _place(position: tuple[float, float, float | None], yaw: float) -> Iterator[str]:
    x, y, z = position
    height = "" if z is None else f' y="{z:.6f}"'
    yield f'<Position x="{x:.6f}"{height} z="{y:.6f}"/>'
    # World W counts counter-clockwise from east, the file clockwise from north.
    clockwise = (world_yaw(yaw) + pi) % (2.0 * pi) - pi
    yield f'<RotY value="{clockwise:.6f}"/>'


def _program_file(name: str, world: WorldDescription, roots: Roots) -> str:
    """The name of a program in the new file: the old one if it still leads to the same file.

    A program that is not found here belongs to a client, or has yet to be written.
    """
    try:
        file = find_program(name, locate(world.source)[1])
    except PathError:
        return name
    with suppress(PathError):
        if find_program(name, roots) == file:
            return name
    return name_below(file, roots)


def _publication(publication: Publication) -> Iterator[str]:
    yield f"<Publication {_attributes(publication)}>"
    yield from (f"  <Column {_attributes(column)}/>" for column in publication.columns)
    yield "</Publication>"


def _program(robot: PlacedRobot, file: str) -> str:
    stated = written_attributes(replace(robot, program=file))
    if not robot.program_arguments:
        stated = stated[:2]
    limits = written_attributes(robot.program_limits, with_usual=False)
    return " ".join([*stated, *limits])
