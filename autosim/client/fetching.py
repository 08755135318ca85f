"""Gets the world of a server onto this machine: its files, and the compiled map.

Nothing that a server says decides where a file is written: names are checked as those in any
configuration file, contents against their digests, and a world appears under its final name only
when it is whole. User programs are not fetched.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import grpc

from autosim.client.failures import ClientError, explain_rpc_error
from autosim.client.updates import CHANNEL_OPTIONS
from autosim.config.lookup import PathError, require_inside
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import NO_WORLD
from autosim.world.cache import ENDING, cache_directory
from autosim.world.world_file import WorldFileError, load_world

Progress = Callable[[str, float], None]
ANSWER_SECONDS = 60.0
LOAD_SECONDS = 3600.0
"""How long [s] a server may take to be there, and to load its world."""

LOOK_SECONDS = 0.25
"""Between two looks for a server that is not there."""

_OPTIONS = (*CHANNEL_OPTIONS, ("grpc.max_reconnect_backoff_ms", 1000))
"""Else gRPC looks for a server that is not there ever more rarely, up to every two minutes."""
MOST_FILES = 20_000


def fetch_world(
    address: str,
    *,
    cache: Path | None = None,
    patience: float = ANSWER_SECONDS,
    progress: Progress = lambda name, share: None,
    report: Callable[[str], None] = lambda text: None,
) -> Path:
    """Fetches the world of the server at `address` (HOST:PORT), unless it is here already.

    Args:
        address: of the server; while it is not there or loads its world, this waits.
        cache: where compiled maps are kept, and beside it fetched worlds; `cache_directory()`.
        patience: how long [s] the server may take to be there and to be given a world.
        progress: called with the file in hand and the share of all bytes that are here (0..1).
        report: told at once what is waited for, and how long, where there is no server or it has
            no world.

    Returns:
        The world file, in a folder with all that it refers to but programs.

    Raises:
        ClientError: the server cannot be reached, has no files, or sends what it should not.
        OSError: the disk is full, or there is no cache.
    """
    compiled = cache_directory() if cache is None else cache
    worlds = compiled.parent / "served"
    for folder in (compiled, worlds):
        folder.mkdir(parents=True, exist_ok=True)
    with grpc.insecure_channel(address, options=_OPTIONS) as channel:
        try:
            fetching = _Fetching(SimulatorStub(channel), address, progress)
            fetching.await_world(patience, report)
            return fetching.run(worlds, compiled)
        except grpc.RpcError as error:
            raise explain_rpc_error(error, address) from error


def waiting_text(address: str, seconds: float) -> str:
    """What people are told who are ahead of their server."""
    return f"{_nobody_at(address)} for {seconds:g} s; Ctrl-C ends"


def _nobody_at(address: str) -> str:
    return f"nobody listens at {address} yet: waiting for a server"


def _lack(error: grpc.RpcError, address: str) -> str:
    """What is waited for after a call that failed with `error`; "" where waiting is of no use."""
    if error.code() is grpc.StatusCode.UNAVAILABLE:
        return _nobody_at(address)
    if NO_WORLD in (error.details() or ""):
        return f"the server at {address} has no world yet: waiting until it is given one"
    return ""


class _Fetching:
    def __init__(self, stub: SimulatorStub, address: str, progress: Progress) -> None:
        self._stub = stub
        self._address = address
        self._progress = progress
        self._done = 0

    def await_world(self, patience: float, report: Callable[[str], None]) -> None:
        """Returns when the server answers and has a world; waits `patience` [s] for that."""
        end = time.monotonic() + patience
        told = ""
        while lack := self._missing(is_last=time.monotonic() >= end):
            if lack != told:
                told = lack
                report(f"{lack} for {patience:g} s; Ctrl-C ends")
            self._progress(lack, 0.0)  # each time: whoever waits finds out that nobody listens
            time.sleep(LOOK_SECONDS)

    def _missing(self, *, is_last: bool) -> str:
        """What is waited for, "" when it is there; where `is_last`, what is missing is raised."""
        try:
            self._stub.Describe(pb.DescribeRequest(), timeout=ANSWER_SECONDS)
        except grpc.RpcError as error:
            lack = _lack(error, self._address)
            if is_last or not lack:
                raise
            return lack
        return ""

    def run(self, worlds: Path, compiled: Path) -> Path:
        self._progress("waiting until the server has loaded its world", 0.0)
        listed = self._stub.ListFiles(pb.ListFilesRequest(), timeout=LOAD_SECONDS)
        self._check(listed)
        self._total = max(1, sum(file.size for file in listed.files) + listed.compiled.size)
        target = worlds / _digest_of(listed)
        if not target.is_dir():
            self._fetch_all(listed, target)
        self._fetch_compiled(listed.compiled, compiled)
        self._progress("all is here", 1.0)
        return target / str(listed.world)

    def _check(self, listed: pb.FileList) -> None:
        if not listed.world:
            raise ClientError(
                f"the world of the server at {self._address} has no files to be fetched: name a "
                "world that is the same here"
            )
        names = {file.name for file in listed.files}
        if len(listed.files) > MOST_FILES or listed.world not in names:
            raise ClientError(f"the server at {self._address} offers no sound list of files")
        try:
            for name in names:
                require_inside(name)
        except PathError as error:
            raise ClientError(
                f"the server at {self._address} offers a bad file: {error}"
            ) from error

    def _fetch_all(self, listed: pb.FileList, target: Path) -> None:
        part = Path(tempfile.mkdtemp(dir=target.parent, prefix=".", suffix=".part"))
        try:
            for file in listed.files:
                place = part / file.name
                place.parent.mkdir(parents=True, exist_ok=True)
                self._fetch(file, place)
            with suppress(FileExistsError):
                part.rename(target)
        except OSError:
            if not target.is_dir():
                raise
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _fetch_compiled(self, file: pb.OfferedFile, folder: Path) -> None:
        """Puts the compiled map into the cache, where loading the world finds it."""
        digest = file.name.removesuffix(ENDING)
        if not digest.isalnum() or (folder / file.name).is_file():
            return
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
        os.close(descriptor)
        part = Path(name)
        try:
            self._fetch(file, part)
            if load_world(part).digest != digest:
                raise WorldFileError(f"the compiled map is not that of {digest[:12]}")
            part.replace(folder / file.name)
        except WorldFileError as error:
            raise ClientError(f"the server at {self._address} sent no map: {error}") from error
        finally:
            part.unlink(missing_ok=True)

    def _fetch(self, file: pb.OfferedFile, place: Path) -> None:
        total, size = hashlib.sha256(), 0
        with place.open("wb") as stream:
            for piece in self._stub.ReadFile(pb.ReadFileRequest(name=file.name)):
                size += len(piece.data)
                if size > file.size:
                    break
                total.update(piece.data)
                stream.write(piece.data)
                self._done += len(piece.data)
                self._progress(file.name, min(1.0, self._done / self._total))
        if size != file.size or total.hexdigest() != file.digest:
            raise ClientError(
                f"'{file.name}' came from the server at {self._address} with another content than "
                "it said: try again"
            )


def _digest_of(listed: pb.FileList) -> str:
    lines = sorted(f"{file.name}\n{file.digest}\n" for file in listed.files)
    return hashlib.sha256("".join([listed.world, "\n", *lines]).encode()).hexdigest()
