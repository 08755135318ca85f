"""The world of a record: its files, taken out of the record, as any other world's."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.applications.common.worlds import OSM_SUFFIXES
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import PathError, find_file, require_inside, search_roots
from autosim.loading.loader import load_world, world_for_osm
from autosim.records.contents import About, RecordError
from autosim.records.record_file import Record


@contextmanager
def recorded_world(path: Path) -> Iterator[WorldDescription]:
    """The world of the record at `path`; its files exist inside the context.

    Files that are too large to be part of a record are looked up where the files of any world are.

    Raises:
        RecordError: the record cannot be read, or a file of its world is missing.
        ConfigError: its world cannot be used by this version of AutoSim.
    """
    with Record(path) as record, tempfile.TemporaryDirectory(prefix="autosim-record-") as folder:
        about, root = record.about, Path(folder).resolve()
        if record.damaged_files:
            raise RecordError(
                f"{path}: is damaged in {' and '.join(record.damaged_files)}, of its world: its "
                "values can be plotted and exported, but it cannot be shown or simulated"
            )
        if not about.world_file:
            raise RecordError(f"{path}: its world was made without files, and cannot be opened")
        try:
            for name, data in record.files.items():
                file = root / require_inside(name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            roots = (root, *search_roots())
            for name, _ in about.files:
                find_file(name, roots)
        except PathError as error:
            raise RecordError(f"{path}: a file of its world is missing: {error}") from error
        own = root / about.world_file
        if about.world_file.endswith(OSM_SUFFIXES):
            world = world_for_osm(own)
        else:
            world = load_world(own, roots=roots)
        _check_files(path, about, world)
        yield world


def _check_files(path: Path, about: About, world: WorldDescription) -> None:
    """Refuses files from elsewhere that are not those of the run."""
    present = dict(world.files)
    for name, digest in about.files:
        if name != about.world_file and present.get(name, digest) != digest:
            raise RecordError(f"{path}: '{name}' of this machine is another file than the run had")
