"""The files of a world that become part of a record, and where records lie."""

import os
import re
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.config.files.data_files import is_data_file
from autosim.config.files.digests import file_digest
from autosim.config.files.lookup import PathError, find_file, locate
from autosim.config.files.program_files import find_program, program_name
from autosim.loading.world_writer import roots_of
from autosim.records.record_format import RecordedFile, RecordError
from autosim.server.process.process_messages import RecordOrder
from autosim.server.worlds.offer import offered_world_file

MOST_BYTES = 64 * 1024 * 1024
"""[bytes] Larger files (the map of a city) are known by their digest alone."""

FOLDER_VARIABLE = "AUTOSIM_RECORDS"
"""The variable of the environment that names the folder for records which clients order."""

_FOLDER = "records"
"""Default folder, in the server's working directory, if the variable is not set."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def make_record_order(path: Path, world: WorldDescription) -> RecordOrder:
    """The order to record a run of `world` to `path`, with the files that the run depends on.

    Files of models and pictures are not among them: they change no state. Of user programs, and of
    files that are not data by their endings, only the digest is recorded.

    Raises:
        RecordError: the world file has an ending that records do not hold.
    """
    if not world.source.is_file():
        return RecordOrder(path, (), "")
    roots = roots_of(world)
    own = offered_world_file(world, roots)
    if not is_data_file(own.name):
        raise RecordError(
            f"{path}: a record holds files that are data by their endings, and '{own.name}' is "
            "not: give the world file a name that ends in .xml"
        )
    content = own.content if isinstance(own.content, bytes) else own.content.read_bytes()
    files = [RecordedFile(own.name, dict(world.files).get(own.name, own.digest), content)]
    for name, digest in world.files:
        if name != own.name:
            file = find_file(name, roots)
            kept = _content(file, world) if is_data_file(name) else None
            files.append(RecordedFile(name, digest, kept))
    return RecordOrder(path, (*files, *_programs(world)), own.name)


def _programs(world: WorldDescription) -> list[RecordedFile]:
    """The user programs that the world names, each once, without their contents."""
    roots, found = locate(world.source)[1], {}
    own = (each.program for each in world.robots if each.program_side == "server")
    for name in filter(None, own):
        with suppress(PathError, OSError):  # the simulation reports what is missing
            found[program_name(name)] = file_digest(find_program(name, roots))
    return [RecordedFile(name, digest, None, is_program=True) for name, digest in found.items()]


def _content(file: Path, world: WorldDescription) -> bytes | None:
    kept = world.text_of(file)
    if kept is None and file.stat().st_size <= MOST_BYTES:
        kept = file.read_bytes()
    return kept


class RecordNames:
    """The files of the records of one server: each run has its own."""

    def __init__(self) -> None:
        self._is_first = True
        self._firsts: dict[Path, Path] = {}

    def name_next(self, path: Path) -> Path:
        """The file of the next run: `path` for the first run of the server, else one after it."""
        is_first, self._is_first = self._is_first, False
        return path if is_first else self.following(path)

    def following(self, path: Path) -> Path:
        """The file of a record after that of `path`: the first of its kind that is not there."""
        first = self._firsts.get(path, path)
        numbered = (first.with_stem(f"{first.stem}-{number}") for number in count(2))
        own = next(each for each in numbered if not each.exists())
        self._firsts[own] = first
        return own


def record_path(name: str, world: str) -> Path:
    """The file of a record that a client has ordered: a new one, in the folder for records.

    Raises:
        RecordError: the name leads elsewhere, or there is such a record.
    """
    plain = name.removesuffix(".mcap")
    if not plain:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", world) + time.strftime("-%Y%m%d-%H%M%S")
    if not _NAME.fullmatch(plain):
        raise RecordError(
            f"'{name[:100]}' is not a name for a record: use letters, digits, '_', '-', '.'"
        )
    path = Path(os.environ.get(FOLDER_VARIABLE) or _FOLDER).absolute() / f"{plain}.mcap"
    if path.exists():
        raise RecordError(f"there is already a record '{path.name}': choose another name")
    return path
