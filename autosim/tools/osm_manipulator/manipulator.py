"""The OSM Manipulator as a recipe: read, survey, place, and write if the user likes the result."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autosim.config.descriptions import House, HouseList, ModelReference
from autosim.config.diagnostics import Diagnostic, Diagnostics
from autosim.config.files.lookup import locate
from autosim.loading.loader import load_house_list, load_map_setup
from autosim.tools.osm_manipulator.fitting import find_candidates
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest, Progress, without_progress
from autosim.tools.osm_manipulator.house_placement import PlacedHouse, place_houses
from autosim.tools.osm_manipulator.house_rows import HouseRows, make_rows
from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError
from autosim.tools.osm_manipulator.osm_document import NewNode, read_document
from autosim.tools.osm_manipulator.packing import open_as_xml, require_kind, write_map
from autosim.tools.osm_manipulator.survey import HouseNode, Survey, survey_map
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.tags import parse_length, parse_number

Stamp = tuple[int, int]
"""Time of the last change [ns] and size of a file; (0, 0) where there is none."""

_SURVEY_SHARE, _FITTING_SHARE = 0.7, 0.9
"""Share of the work that is done after the survey, and after finding places: measured on towns."""


@dataclass(frozen=True, slots=True)
class Furnished:
    """A map with its new houses, before anything is written.

    Attributes:
        request: the request.
        survey: the map.
        kinds: the kinds of houses that may be set.
        standing: the houses that nodes of the map place.
        houses: the new houses.
        warnings: warnings about the files.
        unused: number of stations (half metres of row) by land uses without a section in the list.
        stamps: states of the files, to notice changes.
        removed: ids of the standing houses that the user removed.
    """

    request: FurnishRequest
    survey: Survey
    kinds: tuple[House, ...]
    standing: tuple[PlacedHouse, ...]
    houses: tuple[PlacedHouse, ...]
    warnings: tuple[Diagnostic, ...]
    unused: tuple[tuple[str, int], ...]
    stamps: tuple[Stamp, ...]
    removed: frozenset[int] = frozenset()

    def with_houses(self, houses: Sequence[PlacedHouse]) -> "Furnished":
        """The same map with only these houses, some of which may be among `standing`."""
        kept = {house.node for house in houses if house.node is not None}
        return replace(
            self,
            houses=tuple(house for house in houses if house.node is None),
            removed=frozenset(h.node for h in self.standing if h.node is not None) - kept,
        )

    def is_still_true(self, request: FurnishRequest) -> bool:
        """Whether this is the result of `request`, and its files have not changed since."""
        return request == self.request and self.stamps == _stamps(request)


def furnish(request: FurnishRequest, progress: Progress = without_progress) -> Furnished:
    """Finds places for houses. The same request gives the same houses.

    Args:
        request: the map and how to furnish it.
        progress: called from 0 to 1; it ends the work by raising `CancelledError`.

    Raises:
        ConfigError: a file cannot be used; every fault is named.
        ManipulatorError: the map cannot be furnished.
        CancelledError: `progress` raised it.
    """
    progress("read the files", 0.0)
    stamps = _stamps(request)
    diagnostics = Diagnostics()
    house_list = _load_houses(request.houses, diagnostics)
    setup = None
    if request.setup is not None:
        setup = load_map_setup(request.setup, diagnostics=diagnostics)
    survey = survey_map(
        request.original,
        setup,
        diagnostics=diagnostics,
        progress=lambda step, share: progress(step, _SURVEY_SHARE * share),
    )
    rows = make_rows(survey.streets)
    houses = (
        _fill(survey, rows, house_list, request=request, progress=progress)
        if request.is_filled
        else []
    )
    progress("done", 1.0)
    return Furnished(
        request=request,
        survey=survey,
        kinds=house_list.houses,
        standing=tuple(_standing(node) for node in survey.house_nodes),
        houses=tuple(houses),
        warnings=diagnostics.warnings,
        unused=_unused(survey, rows, house_list) if request.is_filled else (),
        stamps=stamps,
    )


def _fill(
    survey: Survey,
    rows: HouseRows,
    house_list: HouseList,
    *,
    request: FurnishRequest,
    progress: Progress,
) -> list[PlacedHouse]:
    """Houses in rows along the streets."""
    candidates = find_candidates(
        survey,
        rows,
        house_list.houses,
        request.spacing,
        progress=lambda step, share: progress(
            step, _SURVEY_SHARE + (_FITTING_SHARE - _SURVEY_SHARE) * share
        ),
    )
    return place_houses(
        rows,
        candidates,
        between=request.spacing.between,
        seed=request.seed,
        progress=lambda step, share: progress(
            step, _FITTING_SHARE + (1.0 - _FITTING_SHARE) * share
        ),
    )


def _standing(node: HouseNode) -> PlacedHouse:
    """The house of a node, as `house_nodes` writes them."""
    tags = node.tags
    width, height, length = (parse_length(tags.get(f"size{axis}")) or 1.0 for axis in "XYZ")
    model = ModelReference(tags["filePath"], tags.get("fileType", ""))
    house = House(tags.get("name", ""), tags.get("landuse", ""), model, (width, height, length))
    yaw = math.remainder(math.pi / 2.0 - (parse_number(tags.get("rotY")) or 0.0), math.tau)
    return PlacedHouse(house, node.centre, yaw, node.node)


def _stamps(request: FurnishRequest) -> tuple[Stamp, ...]:
    files = (request.original, request.houses, request.setup)
    return tuple(_stamp(file) for file in files if file is not None)


def _stamp(file: Path) -> Stamp:
    try:
        status = locate(file)[0].stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def write_furnished(
    furnished: Furnished, target: Path, progress: Progress = without_progress
) -> None:
    """Writes the map with its new houses; the original stays as it is.

    Args:
        furnished: what `furnish` found.
        target: the file to write; its name gives the compression.
        progress: called from 0 to 1.

    Raises:
        ManipulatorError: the target is one of the files read, or cannot be written.
        CancelledError: `progress` raised it; nothing was written.
    """
    check_target(furnished.request, target)
    progress("take the map apart", 0.0)
    with open_as_xml(furnished.request.original) as stream:
        document = read_document(stream)
    document.remove_nodes(furnished.removed)
    document.add_nodes(house_nodes(furnished.houses, furnished.survey.projection))
    progress("write the map", 0.5)
    write_map(target, _followed(document.chunks(), lambda: progress("put it in its place", 1.0)))


def _followed(chunks: Iterator[bytes], end: Callable[[], None]) -> Iterator[bytes]:
    """Yields `chunks` and then calls `end`, right before the file appears."""
    yield from chunks
    end()


def check_target(request: FurnishRequest, target: Path) -> None:
    """Checks that the target is none of the files that are read.

    Raises:
        ManipulatorError: it is one of them, or its name is not that of a map file.
    """
    require_kind(target)
    for source in (request.original, request.houses, request.setup):
        if source is not None and _is_same_file(source, target):
            raise ManipulatorError(
                f"the target file {source} is also an input: choose another name"
            )
    if target.is_dir():
        raise ManipulatorError(f"the target file {target} is a folder")


def _is_same_file(first: Path, second: Path) -> bool:
    if first.resolve() == second.resolve():
        return True
    return first.exists() and second.exists() and first.samefile(second)


def house_nodes(houses: tuple[PlacedHouse, ...], projection: MapProjection) -> list[NewNode]:
    """Makes the nodes of houses, with the tags that the simulator reads.

    `rotY` is clockwise from north, the z axis of model files, along which a front faces.
    """
    centres = np.array([house.centre for house in houses], dtype=np.float64).reshape(-1, 2)
    places = projection.to_geographic(centres).tolist()
    return [
        NewNode(latitude, longitude, _tags(house))
        for house, (latitude, longitude) in zip(houses, places, strict=True)
    ]


def _tags(placed: PlacedHouse) -> dict[str, str]:
    house = placed.house
    width, height, length = house.size
    return {
        "filePath": house.model.path,
        "fileType": house.model.type,
        "landuse": house.landuse,
        "name": house.name,
        "rotY": f"{(math.pi / 2.0 - placed.yaw) % math.tau:.4f}",
        "sizeX": f"{width:g}",
        "sizeY": f"{height:g}",
        "sizeZ": f"{length:g}",
    }


def _load_houses(path: Path, diagnostics: Diagnostics) -> HouseList:
    """Loads the house list.

    Raises:
        ConfigError: it cannot be used.
        ManipulatorError: it is empty.
    """
    found = load_house_list(path, diagnostics=diagnostics)
    if not found.houses:
        raise ManipulatorError(f"{path}: the house list names no houses")
    return found


def _unused(survey: Survey, rows: HouseRows, houses: HouseList) -> tuple[tuple[str, int], ...]:
    sections = sorted({house.landuse for house in houses.houses})
    is_unknown = survey.land.at(rows.edges, sections) < 0
    names = Counter(survey.land.names_at(rows.edges[is_unknown]))
    return tuple(names.most_common())
