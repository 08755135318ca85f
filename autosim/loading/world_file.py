"""Reads a world file and every file that it refers to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import tau
from pathlib import Path, PurePosixPath

from autosim.config.demand import Demand
from autosim.config.descriptions import (
    MapSetup,
    PartFile,
    PlacedObject,
    PlacedRobot,
    ProgramLimits,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.diagnostics import Diagnostic, Diagnostics, name_as_text
from autosim.config.files.digests import path_digest, world_digest
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.files.program_files import find_program
from autosim.config.maps.map_files import NamedFile, find_map_files, find_named
from autosim.config.maps.map_setup_file import read_map_setup
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import check_unique
from autosim.config.reading.missing_models import check_models, parts_of
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.scenarios import Scenario
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription, SkyDescription
from autosim.config.xml_axes import world_yaw
from autosim.errors import UserError
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.plugins import ALL_PLUGINS, PluginPolicy
from autosim.kinds.registry import PARTS
from autosim.loading.publications import check_publications, publications_of
from autosim.loading.robots.noise_checks import too_fast
from autosim.loading.robots.part_files import check_part_files, files_of, with_file
from autosim.loading.robots.robot_file import files_of_robot, read_robot
from autosim.loading.robots.robot_schema import ROBOT
from autosim.loading.scenario_environment import with_environment
from autosim.loading.traffic_block import check_traffic, traffic_of
from autosim.loading.world_schema import WORLD
from autosim.traffic.demand.route_file import read_routes
from autosim.traffic.demand.sumo_configuration import ROOTS as CONFIGURATIONS
from autosim.traffic.demand.sumo_configuration import read_configuration
from autosim.traffic.scenarios.entity_binding import bind_entities, on_map
from autosim.traffic.scenarios.recorded.recorded_scenario import with_reactive_actors
from autosim.traffic.scenarios.scenario_file import read_scenario_file
from autosim.traffic.traffic_node import NAME as TRAFFIC

_PARTS = {kind.name: kind for kind in PARTS}

DescribedRobots = Mapping[str, RobotDescription]
"""Robots as reported by a server, by their names."""

OsmChecker = Callable[[Path], list[Diagnostic]]


def read_world(
    source: Source,
    roots: Roots,
    osm_checker: OsmChecker | None = None,
    told: DescribedRobots | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> WorldDescription | None:
    """The world that a file describes; None, with diagnostics, if it has errors.

    The files that it refers to are read even if it has errors itself, so all faults of all files
    come at once.

    Args:
        source: the file.
        roots: the folders in which what it names is looked up.
        osm_checker: finds the faults of a map.
        told: the robots as reported by the server of this world, by their names: no plug-in is run
            here. None: it is a world of one's own.
        plugins: which plug-ins of this machine are run.
    """
    block = read_block(source, WORLD)
    if block is None:
        return None
    return _WorldReader(source, block, roots, osm_checker, told, plugins).read()


def build_graphics(section: Block) -> GraphicsDescription:
    """The graphics of a section `Graphics` without errors."""
    sky = read_record(SkyDescription, section.section("Sky"))
    return read_record(GraphicsDescription, section.section("View"), sky=sky)


def build_physics(section: Block) -> PhysicsDescription:
    """The physics of a section `Physics` without errors."""
    return read_record(PhysicsDescription, section.section("Dynamics"))


class _WorldReader:
    """Reads one world, whose own blocks are known, with the files that it refers to."""

    def __init__(
        self,
        source: Source,
        block: Block,
        roots: Roots,
        osm_checker: OsmChecker | None,
        told: DescribedRobots | None,
        plugins: PluginPolicy,
    ) -> None:
        self._source = source
        self._block = block
        self._roots = roots
        self._osm_checker = osm_checker
        self._told = told
        self._plugins = plugins
        self._faults = source.faults
        self._diagnostics: Diagnostics = source.faults.diagnostics
        self._robots: dict[Path, RobotDescription | None] = {}
        self._files = {name_as_text(source.path): world_digest(source.root)}
        self._texts = {source.path.resolve(): source.data}

    def read(self) -> WorldDescription | None:
        robots = [self._robot(each) for each in self._block.section("Objects").all("Robot")]
        objects = tuple(self._block.section("Objects").all(*_PARTS))
        for each in objects:
            self._check_object(each)
        check_models(parts_of(self._block), self._roots, self._faults)
        check_part_files(objects, self._roots, self._faults)
        terrain = self._terrain(self._block.section("Terrain"))
        check_unique(self._block.section("Objects").children, self._faults)
        self._check_traffic(self._block.first("Traffic"))
        scenario = self._scenario(self._block.first("Traffic"))
        if scenario is not None and terrain is not None:
            scenario = on_map(scenario, terrain.osm)
        routes = self._routes(self._block.first("Traffic"))
        if self._faults.has_errors or terrain is None or None in robots:
            return None
        if routes is None and self._names_routes():
            return None
        placed = tuple(_object(each, self._roots) for each in objects)
        self._share_files(files_of([each.body for each in placed]))
        world = WorldDescription(
            name=self._block.name,
            source=self._source.path,
            graphics=build_graphics(self._block.section("Graphics")),
            physics=build_physics(self._block.section("Physics")),
            terrain=terrain,
            robots=tuple(each for each in robots if each is not None),
            objects=placed,
            traffic=traffic_of(
                self._block.first("Traffic"), self._source.path.name, routes, scenario
            ),
            files=tuple(self._files.items()),
            texts=tuple(self._texts.items()),
        )
        return with_environment(world, scenario)

    def _check_rates(self, block: Block, robot: RobotDescription) -> None:
        """Notes devices with a rate above that of the world's steps."""
        steps = self._block.section("Physics").section("Dynamics").whole("StepsPerSecond")
        for device, rate in too_fast(robot.devices, 1.0 / steps):
            message = (
                f"'{block.name}.{device}' has new values {rate:g} times a second, but the world "
                f"{steps} steps: there is one in each step; raise <StepsPerSecond>, or lower the "
                "device's <UpdateRate>"
            )
            self._faults.warning(block, message)

    def _robot(self, block: Block) -> PlacedRobot | None:
        file = find_named(block, "File", "path", self._roots, self._faults)
        robot = self._described(file, block) if file else None
        self._check_program(block)
        publications = tuple(block.all("Publication"))
        check_publications(publications, robot, self._faults)
        is_placed = block.first("Position") is not None
        self._check_heading(block, is_placed)
        if robot is None or self._faults.has_errors:
            return None
        self._check_rates(block, robot)
        program = block.section("UserProgram")
        return read_record(
            PlacedRobot,
            program,
            name=block.name,
            robot=_in_world(robot, block),
            position=_position(block) if is_placed else None,
            yaw=world_yaw(block.real("RotY")) if is_placed else None,
            program_limits=read_record(ProgramLimits, program),
        )

    def _check_object(self, block: Block) -> None:
        self._check_heading(block, is_placed=True)
        check = _PARTS[block.tag].check
        if check is not None:
            no_robot = RobotBlocks(Block(ROBOT, ROBOT.name, block.line), part_tags=())
            check(block, no_robot, self._faults)

    def _check_traffic(self, block: Block | None) -> None:
        if block is None:
            return
        check_traffic(block, self._faults)
        for each in self._block.section("Objects").children:
            if each.name == TRAFFIC:
                message = f"{each.title} cannot have the name of the world's traffic: rename it"
                self._faults.error(each, message)

    def _scenario(self, block: Block | None) -> Scenario | None:
        file = find_named(block, "Scenario", "path", self._roots, self._faults) if block else None
        if block is None or file is None:
            return None
        scenario = read_scenario_file(file.path, self._diagnostics)
        if scenario is not None:
            self._texts[file.path] = file.path.read_bytes()
        self._share(file, block)
        if scenario is None:
            self._faults.error(block.line_of("Scenario"), f"'{file.name}' cannot be played")
            return None
        if block.text("Scenario", "reactive") == "idm":
            scenario = with_reactive_actors(scenario)
        objects = self._block.section("Objects")
        robots = [each.name for each in objects.all("Robot")]
        try:
            return bind_entities(scenario, robots, [each.name for each in objects.all(*_PARTS)])
        except UserError as error:
            self._faults.error(block.line_of("Scenario"), f"'{file.name}': {error}")
            return None

    def _names_routes(self) -> bool:
        traffic = self._block.first("Traffic")
        return traffic is not None and bool(traffic.get("routes"))

    def _routes(self, block: Block | None) -> Demand | None:
        """The routes of the file that the traffic names."""
        name = str(block.get("routes") or "") if block else ""
        if block is None or not name:
            return None
        source = self._routes_source(name, block)
        if source is None:
            return None
        if source.tag not in CONFIGURATIONS:
            return _of_file(read_routes(source), source.path)
        configuration = read_configuration(source)
        if configuration is None:
            return None
        names = [str(PurePosixPath(name).parent / each) for each in configuration.files]
        sources = [self._routes_source(each, block) for each in names]
        found = [each for each in sources if each is not None]
        demand = read_routes(*found) if len(found) == len(sources) else None
        return _of_file(configuration.bounded(demand) if demand else None, source.path)

    def _routes_source(self, name: str, block: Block) -> Source | None:
        """A file that states routes, which the world has from now on."""
        try:
            file = NamedFile(name, find_file(name, self._roots))
        except PathError as error:
            self._faults.error(block, f"routes: {error}")
            return None
        source = self._open(file)
        if source is not None:
            self._share(file, block)
        return source

    def _check_heading(self, block: Block, is_placed: bool) -> None:
        if not block.first("RotY"):
            return
        turn = block.real("RotY")
        if not is_placed:
            message = "<RotY> is ignored without <Position>: the robot is placed on a lane"
            self._faults.warning(block.line_of("RotY"), message)
        elif abs(turn) > tau:
            message = f"<RotY> is in radians, and {turn:g} is more than a turn: are these degrees?"
            self._faults.warning(block.line_of("RotY"), message)

    def _described(self, file: NamedFile, block: Block) -> RobotDescription | None:
        if file.path not in self._robots:
            source = self._open(file)
            self._robots[file.path] = self._read(source, block) if source else None
            self._share(file, self._block)
            described = self._robots[file.path]
            if described:
                self._share_files(files_of_robot(described))
        return self._robots[file.path]

    def _share_files(self, files: Iterable[PartFile]) -> None:
        for each in files:
            self._texts[each.path] = each.content
            self._share(NamedFile(each.name, each.path), self._block)

    def _read(self, source: Source, block: Block) -> RobotDescription | None:
        if self._told is None:
            return read_robot(source, self._roots, plugins=self._plugins)
        if block.name not in self._told:
            message = f"the server has no {block.title}: its world has just changed; try again"
            self._faults.error(block, message)
            return None
        return read_robot(source, self._roots, self._told[block.name])

    def _check_program(self, block: Block) -> None:
        name = block.text("UserProgram", "file")
        if not name:
            return
        try:
            find_program(name, self._roots)
        except PathError as error:
            self._faults.warning(block.line_of("UserProgram"), f"<UserProgram>: {error}")

    def _terrain(self, section: Block) -> TerrainDescription | None:
        block = section.first("Map")
        if block is None:
            return None
        files = find_map_files(block, self._roots, self._faults)
        setup = self._setup(files.setup, block)
        for file in (files.osm, files.setup, files.height_map):
            if file:
                self._share(file, block)
        if files.osm is None or setup is None:
            return None
        self._check_osm(files.osm.path)
        return read_record(
            TerrainDescription,
            block,
            osm=files.osm.path,
            setup=setup,
            height_map=files.height_map.path if files.height_map else None,
        )

    def _setup(self, file: NamedFile | None, block: Block) -> MapSetup | None:
        if file is not None:
            source = self._open(file)
            return read_map_setup(source, self._roots) if source else None
        if not block.first("SetupFile"):
            message = "the map has no setup.xml: the built-in dimensions of roads are taken"
            self._faults.warning(block, message)
        return MapSetup(name=self._block.name)

    def _open(self, file: NamedFile) -> Source | None:
        source = open_source(file.path, self._diagnostics)
        if source is not None:
            self._texts[file.path] = source.data
        return source

    def _check_osm(self, path: Path) -> None:
        if self._osm_checker:
            self._diagnostics.extend(self._osm_checker(path))

    def _share(self, file: NamedFile, block: Block) -> None:
        try:
            self._files[file.name] = path_digest(file.path)
        except OSError as error:
            self._faults.error(block, f"'{file.name}' cannot be read: {error.strerror}")


def _in_world(robot: RobotDescription, block: Block) -> RobotDescription:
    """`robot` with what the world adds to it; itself where that is nothing."""
    publications = publications_of(block.all("Publication"))
    is_truth_readable = block.is_true("ReadableTruth")
    if not publications and not is_truth_readable:
        return robot
    return replace(robot, publications=publications, is_truth_readable=is_truth_readable)


def _object(block: Block, roots: Roots) -> PlacedObject:
    body = with_file(_PARTS[block.tag].read_object(block), roots)
    return PlacedObject(block.name, body, _position(block), world_yaw(block.real("RotY")))


def _position(block: Block) -> tuple[float, float, float | None]:
    height = block.value("Position", "y")
    return (
        block.real("Position", "x"),
        block.real("Position", "z"),
        None if height is None else float(height),
    )


def _of_file(demand: Demand | None, file: Path) -> Demand | None:
    return replace(demand, file=file) if demand else None
