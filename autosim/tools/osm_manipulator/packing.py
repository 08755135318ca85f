"""Reads map files of every kind as XML, and writes them whole or not at all.

libosmium converts PBF to XML and back, so that this program edits maps in one form only. It runs in
a separate process, because some damaged files crash it.
"""

import bz2
import gzip
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim.isolated_reader import IsolatedReaderError, run_isolated
from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError
from autosim.world.osm.osm_sniff import OsmKind, UnusableFileError, kind_of, open_xml


def require_kind(path: Path) -> OsmKind:
    """The kind of a map file, by its name.

    Raises:
        ManipulatorError: the name has no known ending.
    """
    try:
        return kind_of(path)
    except UnusableFileError as fault:
        raise ManipulatorError(str(fault)) from fault


@contextmanager
def open_as_xml(path: Path) -> Iterator[BinaryIO]:
    """Opens the XML of a map file of any kind.

    Raises:
        ManipulatorError: it cannot be read.
    """
    kind = require_kind(path)
    try:
        if kind is not OsmKind.PBF:
            with open_xml(path, kind) as stream:
                yield stream
            return
        with ScratchFolder("map") as folder:
            text = folder / "map.osm"
            _convert(path, text, "osm")
            with text.open("rb") as stream:
                yield stream
    except (OSError, EOFError) as fault:
        raise ManipulatorError(f"{path}: cannot be read: {fault}") from fault


def write_map(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a map from its XML, compressed as the name of the file demands.

    The file appears complete or not at all, and an older file remains until then. The same chunks
    give the same bytes.

    Raises:
        ManipulatorError: it cannot be written.
    """
    kind = require_kind(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            made = Path(folder) / "made"
            _pack(made, chunks, kind)
            os.replace(made, path)
    except OSError as fault:
        raise ManipulatorError(f"{path}: cannot be written: {fault.strerror or fault}") from fault


def _pack(made: Path, chunks: Iterable[bytes], kind: OsmKind) -> None:
    if kind is OsmKind.PBF:
        text = made.with_name("map.osm")
        _write(text, chunks, OsmKind.XML)
        _convert(text, made, "pbf")
        _settle(made)
    else:
        _write(made, chunks, kind)


def _write(path: Path, chunks: Iterable[bytes], kind: OsmKind) -> None:
    with path.open("wb") as file:
        packer: BinaryIO = file
        if kind is OsmKind.GZIP:
            # Neither name nor time in the header: the same map gives the same bytes.
            packer = cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        elif kind is OsmKind.BZIP2:
            packer = cast(BinaryIO, bz2.BZ2File(file, "wb"))
        packer.writelines(chunks)
        if packer is not file:
            packer.close()
        file.flush()
        os.fsync(file.fileno())


def _settle(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _convert(source: Path, target: Path, form: str) -> None:
    """Copies a map from one format to another, with its bounds and its generator."""
    try:
        run_isolated(partial(_copy, source, target, form))
    except IsolatedReaderError as fault:
        raise ManipulatorError(f"{source}: {fault}") from fault


def _copy(source: Path, target: Path, form: str) -> None:
    import osmium

    try:
        processor = osmium.FileProcessor(str(source))
        writer = osmium.SimpleWriter(osmium.io.File(str(target), form), header=processor.header)
        try:
            for item in processor:
                writer.add(item)
        finally:
            writer.close()
    except (RuntimeError, ValueError, osmium.InvalidLocationError) as fault:
        raise ManipulatorError(f"{source.name}: libosmium refuses it: {fault}") from fault
