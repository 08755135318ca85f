"""The world of a record: its files, unpacked from the record like any other world's.

A record may come from elsewhere, so nothing in it is run. Only its data files are unpacked; user
programs and plug-ins are those of this machine, and only with the content that the run had.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import printable
from autosim.config.files.data_files import is_data_file
from autosim.config.files.lookup import PathError, Roots, find_file, require_inside, search_roots
from autosim.config.reading.map_kinds import is_map_file
from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.kinds.plugins import NO_PLUGINS, PluginPolicy
from autosim.loading.loader import load_world, world_for_osm
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError, RunMetadata


@contextmanager
def recorded_world(path: Path, *, is_simulated: bool = True) -> Iterator[WorldDescription]:
    """The world of the record at `path`; its files exist inside the context.

    Files that are too large to be part of a record are looked up where the files of any world are.

    Args:
        path: of the record.
        is_simulated: the world is to be simulated, with the plug-ins of its robots, which are
            looked up in the user's own roots. Else only the states of the record are shown, and no
            plug-in is run or has to be there.

    Raises:
        RecordError: the record cannot be read, holds a file that is not data, or a file of its
            world is missing.
        ConfigError: its world cannot be used by this version of AutoSim, or a plug-in is missing or
            has another content than in the run.
    """
    with Record(path) as record, ScratchFolder("record") as folder:
        about, root = record.about, folder.resolve()
        if record.damaged_files:
            raise RecordError(
                f"{path}: is damaged in {' and '.join(record.damaged_files)}, of its world: its "
                "values can be plotted and exported, but it cannot be shown or simulated"
            )
        if not about.world_file:
            raise RecordError(f"{path}: its world was made without files, and cannot be opened")
        _unpack(record, root)
        roots = (root, *search_roots())
        _require_files(record, roots)
        world = _load(record, root / about.world_file, roots, is_simulated=is_simulated)
        _check_files(path, about, world)
        yield world


def _unpack(record: Record, root: Path) -> None:
    """Writes the data files of a record below `root`, which is empty.

    Raises:
        RecordError: a name leads out of `root` or is not that of a data file, or a file cannot be
            written.
    """
    for name, data in record.files.items():
        shown = printable(name)
        try:
            file = root / require_inside(name)
        except PathError as error:
            raise RecordError(
                f"{record.path}: was altered: it holds a file whose {error}"
            ) from error
        if not is_data_file(name):
            raise RecordError(
                f"{record.path}: was altered: it holds '{shown}', and records hold only data "
                "files, no code; nothing of it was run"
            )
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as new:
                new.write(data)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise RecordError(
                f"{record.path}: cannot unpack its file '{shown}': {reason}"
            ) from error


def _require_files(record: Record, roots: Roots) -> None:
    """Makes sure that all files of the run's world are there."""
    if not is_data_file(record.about.world_file):
        shown = printable(record.about.world_file)
        raise RecordError(f"{record.path}: was altered: '{shown}' is not a world file")
    try:
        for name in (record.about.world_file, *(name for name, _ in record.about.files)):
            find_file(name, roots)
    except PathError as error:
        raise RecordError(f"{record.path}: a file of its world is missing: {error}") from error
    if record.about.world_file not in record.files:
        raise RecordError(f"{record.path}: its world file is missing in it")


def _load(record: Record, own: Path, roots: Roots, *, is_simulated: bool) -> WorldDescription:
    robots = record.tree.descriptions
    used = {each.name: each.version for robot in robots.values() for each in robot.plugins}
    plugins = PluginPolicy(expected=used) if is_simulated else NO_PLUGINS
    if is_map_file(own):
        return world_for_osm(own, plugins=plugins)
    if is_simulated:
        return load_world(own, roots=roots, plugins=plugins)
    return load_world(own, roots=roots, told=robots)


def _check_files(path: Path, about: RunMetadata, world: WorldDescription) -> None:
    """Refuses files from elsewhere that are not those of the run."""
    present = dict(world.files)
    for name, digest in about.files:
        if name != about.world_file and present.get(name, digest) != digest:
            raise RecordError(f"{path}: '{name}' of this machine is another file than the run had")
