"""Gets the world of a server onto this machine: its files, and the compiled map.

Nothing that a server says decides where a file is written: names are checked as those in any
configuration file, a world is known by the digests of the contents that came, and appears under its
final name only when it is whole. What is not data is not fetched, user programs above all; and how
much a server may send is limited.
"""

import hashlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import NO_ANSWER, ClientError, explain_rpc_error, is_silence
from autosim.client.link.served_world import described_tree
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.config.descriptions import RobotDescription
from autosim.config.files.data_files import is_data_file
from autosim.config.files.lookup import PathError, require_inside
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import NO_WORLD
from autosim.world.compiled.compiled_file import WorldFileError, load_compiled_world
from autosim.world.pipeline.fetched_worlds import FetchedWorlds

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class FetchedWorld:
    """A server's world on this machine.

    `file` is the world file, in a folder with all files that it refers to except code: user
    programs and plug-ins. `robots` are the server's robots by name, as it describes them, including
    the devices of its plug-ins: `load_compiled_world` takes them as `told`. The compiled map that
    was downloaded is `fetched_map` of the file.
    """

    file: Path
    robots: Mapping[str, RobotDescription]


ANSWER_SECONDS = 60.0
"""Longest time [s] for which a server that is not there yet is looked for, and of one answer: both
may just have been started together."""
LOAD_SECONDS = 3600.0
"""Times [s] that a server may take to appear, and to load its world."""

LOOK_SECONDS = 0.25
"""Time [s] between two looks for a server that is not there: soon for a person, and cheap."""

_OPTIONS = (*CHANNEL_OPTIONS, ("grpc.max_reconnect_backoff_ms", 1000))
"""Else gRPC looks for a server that is not there ever more rarely, up to every two minutes."""
MOST_FILES = 20_000
"""Number of files of one world: a bound on what a server makes a client keep, far above any
world."""

MOST_FILE_BYTES = 2 << 30
"""Number of bytes of one file: see `MOST_BYTES`."""

MOST_BYTES = 4 << 30
"""Limits on what a server may send of one world: a file, and all of them. The compiled map of a
city has some hundred megabytes."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


def fetch_world(
    address: str,
    *,
    cache: Path | None = None,
    patience: float = ANSWER_SECONDS,
    progress: Progress = lambda name, share: None,
    report: Callable[[str], None] = lambda text: None,
) -> FetchedWorld:
    """Fetches the world of the server at `address` (HOST:PORT), unless it is here already.

    Args:
        address: of the server; while it is not there or loads its world, this waits.
        cache: folder of compiled maps and, next to it, of fetched worlds; default
            `cache_directory()`.
        patience: longest wait [s] until the server is reachable and has a world.
        progress: called with the current file and the share of all bytes that has arrived (0..1).
        report: called at once with what is waited for, and how long, if there is no server or it
        has no world.

    Raises:
        ClientError: the server cannot be reached, has no files, or sends what it should not.
        OSError: the disk is full, or there is no cache.
    """
    place = FetchedWorlds(cache)
    place.prepare()
    with open_channel(address, _OPTIONS) as channel:
        try:
            fetching = WorldTransfer(SimulatorStub(channel), address, progress)
            fetching.await_world(patience, report)
            file = fetching.run(place)
            return FetchedWorld(file, fetching.ask_robots())
        except grpc.RpcError as error:
            raise explain_rpc_error(error, address) from error


def waiting_text(address: str, seconds: float) -> str:
    """Message for a client that is newer than its server."""
    return f"{_nobody_at(address)} for {seconds:g} s; Ctrl-C ends"


def _nobody_at(address: str) -> str:
    return f"no server listens at {address} yet: waiting for one"


def _lack(error: grpc.RpcError, address: str) -> str:
    """Reason for waiting after a call that failed with `error`; "" where waiting does not help."""
    if error.code() is grpc.StatusCode.UNAVAILABLE:
        is_there = is_silence(error.details() or "")
        return f"the server at {address} {NO_ANSWER}: waiting" if is_there else _nobody_at(address)
    if NO_WORLD in (error.details() or ""):
        return f"the server at {address} has no world yet: waiting until it is given one"
    return ""


class WorldTransfer:
    """Fetches the files of a server's world, with reports of the progress."""

    def __init__(self, stub: SimulatorStub, address: str, progress: Progress) -> None:
        self._stub = stub
        self._address = address
        self._progress = progress
        self._done = 0
        self._total = 1

    def await_world(self, patience: float, report: Callable[[str], None]) -> None:
        """Returns when the server answers and has a world; waits `patience` [s] for that."""
        end = time.monotonic() + patience
        told = ""
        while lack := self._missing(is_last=time.monotonic() >= end):
            if lack != told:
                told = lack
                report(f"{lack} for {patience:g} s; Ctrl-C ends")
            self._progress(lack, 0.0)  # each time, so that a caller that has gone is noticed
            time.sleep(LOOK_SECONDS)

    def _missing(self, *, is_last: bool) -> str:
        """Text of what is still missing, "" if nothing; if `is_last`, an error instead."""
        try:
            self._stub.Describe(pb.DescribeRequest(), timeout=ANSWER_SECONDS)
        except grpc.RpcError as error:
            lack = _lack(error, self._address)
            if is_last or not lack:
                raise
            return lack
        return ""

    def run(self, place: FetchedWorlds) -> Path:
        """Fetches the world and its compiled map; returns the path of the world file."""
        listed = self._list_when_loaded()
        files = self.checked(listed)
        compiled = listed.compiled if listed.HasField("compiled") else None
        self._total = max(1, sum(file.size for file in (*files, *filter(None, [compiled]))))
        world = place.worlds / _digest_of(listed.world, (*files, *filter(None, [compiled])))
        if not world.is_dir():
            self._fetch_all(files, world)
        if compiled is not None:
            self._fetch_compiled(compiled, place, world)
        place.trim(kept=world)
        self._progress("all is here", 1.0)
        return world / str(listed.world)

    def _list_when_loaded(self) -> pb.FileList:
        """The list of files, for which the server loads its world first; reports how far it is."""
        listing = self._stub.ListFiles.future(pb.ListFilesRequest(), timeout=LOAD_SECONDS)
        try:
            while True:
                with suppress(grpc.FutureTimeoutError):
                    return listing.result(timeout=LOOK_SECONDS)
                work = self._current_work()
                text = "waiting until the server has loaded its world"
                self._progress(f"{text}: {work}" if work else text, 0.0)
        finally:
            listing.cancel()  # without effect where it has been answered

    def _current_work(self) -> str:
        """Progress of the server while it loads, as it states it; "" where it states none."""
        request = pb.ControlRequest(action=pb.ControlRequest.STATUS)
        with suppress(grpc.RpcError):
            return self._stub.Control(request, timeout=LOOK_SECONDS).work
        return ""

    def ask_robots(self) -> Mapping[str, RobotDescription]:
        """The robots as the server describes them.

        Raises:
            ClientError: it is of another version.
        """
        described = self._stub.Describe(pb.DescribeRequest(), timeout=ANSWER_SECONDS)
        return described_tree(described, self._address).descriptions

    def checked(self, listed: pb.FileList) -> list[pb.OfferedFile]:
        """The files of the list that are fetched.

        Raises:
            ClientError: the server has no files, or the list is none that a server makes.
        """
        if not listed.world:
            raise ClientError(
                f"the world of the server at {self._address} has no files to be fetched: name a "
                "world that is the same here"
            )
        try:
            for file in listed.files:
                require_inside(file.name)
        except PathError as error:
            raise ClientError(
                f"the server at {self._address} offers a bad file: {error}"
            ) from error
        files = [file for file in listed.files if is_data_file(file.name)]
        if not _is_sound(listed) or listed.world not in {file.name for file in files}:
            raise ClientError(f"the server at {self._address} offers no sound list of files")
        self._check_sizes([*files, listed.compiled])
        return files

    def _check_sizes(self, files: Iterable[pb.OfferedFile]) -> None:
        sizes = [file.size for file in files]
        if max(sizes) > MOST_FILE_BYTES or sum(sizes) > MOST_BYTES:
            raise ClientError(
                f"the server at {self._address} offers {sum(sizes) / 1e9:.1f} GB, its largest file "
                f"{max(sizes) / 1e9:.1f} GB: at most {MOST_BYTES >> 30} GiB are fetched, and "
                f"{MOST_FILE_BYTES >> 30} GiB of one file"
            )

    def _fetch_all(self, files: Iterable[pb.OfferedFile], world: Path) -> None:
        part = Path(tempfile.mkdtemp(dir=world.parent, prefix=".", suffix=".part"))
        try:
            for file in files:
                place = part / file.name
                place.parent.mkdir(parents=True, exist_ok=True)
                self.fetch_file(file, place)
            with suppress(FileExistsError):
                part.rename(world)
        except OSError:
            if not world.is_dir():
                raise
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _fetch_compiled(self, file: pb.OfferedFile, place: FetchedWorlds, world: Path) -> None:
        """Lays the compiled map where fetched worlds alone find it."""
        target = place.map_file(file.digest)
        if not target.is_file():
            with tempfile.TemporaryDirectory(dir=place.folder, prefix=".") as part:
                new = Path(part) / target.name
                self.fetch_file(file, new)
                self._check_map(new)
                new.replace(target)
        place.link_map(world, file.digest)

    def _check_map(self, file: Path) -> None:
        try:
            load_compiled_world(file)
        except WorldFileError as error:
            raise ClientError(
                f"the server at {self._address} sent a map with a fault: {error}"
            ) from error

    def fetch_file(self, file: pb.OfferedFile, place: Path) -> None:
        """Writes a file of the server to `place`.

        Raises:
            ClientError: its content is not the offered one.
        """
        total, size = hashlib.sha256(), 0
        with place.open("xb") as stream:
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


def _is_sound(listed: pb.FileList) -> bool:
    names = [file.name for file in listed.files]
    offered = [*listed.files, *([listed.compiled] if listed.HasField("compiled") else [])]
    return (
        len(names) <= MOST_FILES
        and len(set(names)) == len(names)
        and all(file.size >= 0 and _SHA256.fullmatch(file.digest) for file in offered)
    )


def _digest_of(world: str, files: Iterable[pb.OfferedFile]) -> str:
    """The name of a fetched world: of its contents, each of which is checked when it comes."""
    lines = sorted(f"{file.name}\n{file.digest}\n" for file in files)
    return hashlib.sha256("".join([world, "\n", *lines]).encode()).hexdigest()
