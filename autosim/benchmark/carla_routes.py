"""Suites from route files of the CARLA Leaderboard, on the OpenDRIVE maps of CARLA's towns.

CARLA's axes are left-handed, as Unreal Engine's: its y is that of OpenDRIVE with the other sign.
Of the weather, rain and night are taken over; the scenarios of a route are not.

Source: the route files of Leaderboard 1.0 (`waypoint`) and 2.0 (`waypoints/position`),
https://leaderboard.carla.org.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from xml.sax.saxutils import quoteattr

from lxml import etree

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.files.lookup import search_roots
from autosim.config.reading.sources import open_source
from autosim.errors import UserError
from autosim.loading.world_writer import name_below
from autosim.world.opendrive.xodr_reader import read_xodr
from autosim.world.pipeline.opendrive_world import shift_of

_NIGHT = 0.0
"""Hour [h] that stands for a sun below the horizon."""

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_MAP_SUFFIXES = (".xodr", ".xodr.gz")


@dataclass(frozen=True, slots=True)
class CarlaRoute:
    """A route of the Leaderboard.

    `id` and `town` by name; `waypoints` x, y [m] in CARLA's left-handed axes; `rain` from 0 to 1;
    `is_night`: whether the sun is below the horizon.
    """

    id: str
    town: str
    waypoints: tuple[tuple[float, float], ...]
    rain: float = 0.0
    is_night: bool = False


def read_carla_routes(file: Path) -> list[CarlaRoute]:
    """The routes of a file.

    Raises:
        ConfigError: the file cannot be read, or is not XML.
        UserError: it has no routes, or one has no town or too few waypoints.
    """
    found = Diagnostics()
    source = open_source(file, found)
    if source is None:
        raise ConfigError(found.all)
    routes = [_route(file, node) for node in source.root.iter("route")]
    if not routes:
        raise UserError(f"{file} has no <route>: expected a route file of the CARLA Leaderboard")
    return routes


def _route(file: Path, node: etree._Element) -> CarlaRoute:
    where = f"{file}:{node.sourceline}: <route id={quoteattr(str(node.get('id')))}>"
    town = str(node.get("town", ""))
    if not town:
        raise UserError(f"{where} names no town")
    places = [*node.iterfind("waypoints/position"), *node.iterfind("waypoint")]
    waypoints = tuple((_number(each, "x", where), _number(each, "y", where)) for each in places)
    if len(waypoints) < 2:
        raise UserError(f"{where} has {len(waypoints)} waypoints: expected two or more")
    weather = next(iter([*node.iterfind("weathers/weather"), *node.iterfind("weather")]), None)
    rain, altitude = 0.0, 45.0
    if weather is not None:
        rain = min(max(_number(weather, "precipitation", where, 0.0) / 100.0, 0.0), 1.0)
        altitude = _number(weather, "sun_altitude_angle", where, altitude)
    return CarlaRoute(str(node.get("id", "")), town, waypoints, rain, altitude < 0.0)


def _number(node: etree._Element, name: str, where: str, default: float | None = None) -> float:
    """The number in an attribute.

    Raises:
        UserError: it is absent or not a number.
    """
    text = node.get(name)
    if text is None and default is not None:
        return default
    try:
        value = float(str(text))
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise UserError(f"{where}: <{node.tag}> has no number {name}: {printable(str(text))}")
    return value


def suite_of_routes(
    out: Path, routes: list[CarlaRoute], maps: Path, *, vehicles: int = 0, people: int = 0
) -> str:
    """The text of a suite file with a group for each route.

    Args:
        out: the file, whose name is that of the suite.
        routes: as `read_carla_routes` gives them.
        maps: folder of the towns' maps, `Town01.xodr`.
        vehicles: of traffic in each route.
        people: pedestrians in each route.

    Raises:
        ConfigError: a map cannot be read.
        UserError: a town has no map there, or the maps lie where suites cannot name them.
    """
    files = {town: map_of(town, maps) for town in {each.town for each in routes}}
    shifts = {town: _shift(file) for town, file in files.items()}
    roots = (out.resolve().parent, *search_roots())
    names = {town: name_below(file, roots) for town, file in files.items()}
    lines = [_group(each, names, shifts, vehicles, people) for each in routes]
    text = quoteattr(f"{len(routes)} routes of the CARLA Leaderboard")
    head = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Suite name={quoteattr(out.stem)} text={text}>\n'
    )
    return head + "".join(lines) + "</Suite>\n"


def map_of(town: str, maps: Path) -> Path:
    """The file of a town's map.

    Raises:
        UserError: there is none.
    """
    for suffix in _MAP_SUFFIXES:
        file = maps / f"{town}{suffix}"
        if Path(town).name == town and file.is_file():
            return file
    raise UserError(
        f"there is no map of {printable(town)} in {maps}: expected {printable(town)}.xodr, which "
        "CARLA has in CarlaUE4/Content/Carla/Maps/OpenDrive"
    )


def _shift(file: Path) -> tuple[float, float]:
    """Offset [m] from OpenDRIVE's coordinates of a file to W."""
    found = Diagnostics()
    content = read_xodr(file, found)
    found.raise_if_errors()
    x, y, _ = shift_of(content)
    return x, y


def _group(
    route: CarlaRoute,
    names: Mapping[str, str],
    shifts: Mapping[str, tuple[float, float]],
    vehicles: int,
    people: int,
) -> str:
    x, y = shifts[route.town]
    places = " ".join(f"{a + x:.2f},{y - b:.2f}" for a, b in route.waypoints)
    return "".join(_elements(route, names[route.town], places, vehicles, people))


def _elements(
    route: CarlaRoute, world: str, places: str, vehicles: int, people: int
) -> Iterator[str]:
    yield f"  <Routes name={quoteattr(f'route_{route.id}')} world={quoteattr(world)}"
    yield f' routes="1" waypoints={quoteattr(places)}'
    for name, count in (("vehicles", vehicles), ("people", people)):
        if count:
            yield f' {name}="{count}"'
    if route.rain:
        yield f' rain="{route.rain:g}"'
    if route.is_night:
        yield f' hours="{_NIGHT:g}"'
    yield "/>\n"
