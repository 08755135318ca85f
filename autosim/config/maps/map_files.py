"""Finds the files of a map: the map itself, the set-up, the heights."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autosim.config.files.lookup import PathError, Roots, confine, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.map_kinds import MAP_SUFFIXES, is_commonroad, is_map_name

SETUP_NAME = "setup.xml"
_HEIGHT_MAP_SUFFIXES = (".png", ".bmp", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file, and the name under which a configuration file refers to it."""

    name: str
    path: Path
    """Its location."""


@dataclass(frozen=True, slots=True)
class MapFiles:
    """The files of a map; None for those that were not found.

    Attributes:
        osm: map file of any kind.
        setup: set-up file of the map.
        height_map: picture, tile or folder with heights.
    """

    osm: NamedFile | None = None
    setup: NamedFile | None = None
    height_map: NamedFile | None = None


def find_named(
    block: Block, tag: str, attribute: str, roots: Roots, faults: Faults
) -> NamedFile | None:
    """The file or folder that the child `tag` names; None if there is none."""
    name = block.text(tag, attribute)
    if not name:
        return None
    try:
        return NamedFile(str(PurePosixPath(name)), find_file(name, roots))
    except PathError as error:
        faults.error(block.line_of(tag), f"<{tag}>: {error}")
        return None


def find_map_files(block: Block, roots: Roots, faults: Faults) -> MapFiles:
    """The files of a `Map` block: those that it names, else those in its folder."""
    finder = _MapFinder(block, roots, faults)
    osm = finder.named("OsmFile") if block.first("OsmFile") else finder.osm_in_folder()
    setup = finder.named("SetupFile") or finder.in_folder(_is_setup, "set-up file")
    height_map = finder.named("HeightMap", may_be_folder=True)
    height_map = height_map or finder.in_folder(_is_height_map, "height map")
    if osm and not (is_map_name(osm.name) or is_commonroad(osm.path)):
        message = f"<OsmFile>: expected a name that ends with one of {', '.join(MAP_SUFFIXES)}"
        faults.error(block.line_of("OsmFile"), message)
    return MapFiles(osm, setup, height_map)


class _MapFinder:
    def __init__(self, block: Block, roots: Roots, faults: Faults) -> None:
        self._block = block
        self._roots = roots
        self._faults = faults
        self._line = block.line_of("Folder")
        self._folder = find_named(block, "Folder", "path", roots, faults)
        self._content = self._list_folder()

    def named(self, tag: str, *, may_be_folder: bool = False) -> NamedFile | None:
        """The file that the child `tag` names."""
        found = find_named(self._block, tag, "path", self._roots, self._faults)
        if found and not (found.path.is_file() or may_be_folder):
            self._faults.error(self._block.line_of(tag), f"<{tag}>: '{found.name}' is not a file")
            return None
        return found

    def osm_in_folder(self) -> NamedFile | None:
        """The one map file of the folder."""
        found = self.in_folder(is_map_name, "map file")
        if self._folder and not any(map(is_map_name, self._content)):
            kinds = ", ".join(MAP_SUFFIXES)
            message = f"<Folder>: '{self._folder.name}' has no map file ({kinds})"
            self._faults.error(self._line, message)
        if not self._block.first("Folder"):
            self._faults.error(self._block, "<Map> needs <Folder> or <OsmFile>")
        return found

    def in_folder(self, is_wanted: Callable[[str], bool], what: str) -> NamedFile | None:
        """The one file of the folder that is wanted."""
        found = [name for name in self._content if is_wanted(name)]
        if self._folder is None or not found:
            return None
        if len(found) > 1:
            message = f"<Folder>: '{self._folder.name}' has more than one {what}: "
            self._faults.error(self._line, message + ", ".join(found[:5]))
            return None
        try:
            path = confine(self._folder.path / found[0], self._roots)
        except PathError as error:
            self._faults.error(self._line, f"<Folder>: {error}")
            return None
        return NamedFile(f"{self._folder.name}/{found[0]}", path)

    def _list_folder(self) -> tuple[str, ...]:
        if self._folder is None:
            return ()
        try:
            return tuple(sorted(_file_names(self._folder.path)))
        except OSError as error:
            message = f"<Folder>: cannot list '{self._folder.name}': {error.strerror}"
            self._faults.error(self._line, message)
            return ()


def _file_names(folder: Path) -> Iterable[str]:
    return (each.name for each in folder.iterdir() if each.is_file())


def _is_setup(name: str) -> bool:
    return name == SETUP_NAME


def _is_height_map(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.stem == "heightmap" and path.suffix in _HEIGHT_MAP_SUFFIXES
