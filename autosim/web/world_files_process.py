"""Files of the world for pages: made in their own process, so that no stream waits for them."""

import asyncio
import subprocess
import sys
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from autosim.client.gltf.world_files import ServedFile, WorldFiles
from autosim.client.link.world_fetching import fetch_world
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control, start_python
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.fetched_worlds import fetched_map

MANIFEST = "/world/manifest.json"
"""Address of the manifest, which names all other files."""

_CACHE_BYTES = 256 * 1024 * 1024
"""Limit [bytes] of files that are kept in memory: those of a town take a few megabytes."""


class NoFilesError(Exception):
    """The files of the world cannot be made; the message says why."""


class WorldFilesProcess:
    """A process that makes the files of one server's present world.

    Belongs to one event loop.

    Args:
        address: HOST:PORT of the server.
        is_eager: make the manifest as soon as a world is known.
    """

    def __init__(self, address: str, *, is_eager: bool = True) -> None:
        self._address = address
        self._is_eager = is_eager
        self._worker = ThreadPoolExecutor(1, "autosim-web-files")
        self._control: ControlSocket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._kept: OrderedDict[str, ServedFile | None] = OrderedDict()
        self._size = 0
        self._waiting: dict[str, asyncio.Future[ServedFile | None]] = {}
        self._number = 0

    def begin(self) -> None:
        """Starts making the files of the world that the server has now; forgets those before."""
        self._number += 1
        self._kept.clear()
        self._waiting.clear()
        self._size = 0
        if self._process is not None:
            self._process.kill()  # The worker may be waiting for its answer.
        self._worker.submit(self._end)
        if self._is_eager:
            # Pages ask for it first, and it takes longest.
            self._ask(MANIFEST)

    async def file(self, uri: str) -> ServedFile | None:
        """The file at an address; None for an address that the manifest does not name.

        Raises:
            NoFilesError: the world cannot be made.
        """
        if uri in self._kept:
            self._kept.move_to_end(uri)
            return self._kept[uri]
        number = self._number
        if not number:
            raise NoFilesError("the server has no world yet")
        found = await asyncio.shield(self._waiting.get(uri) or self._ask(uri))
        if number == self._number and uri not in self._kept and found is not None:
            self._kept[uri] = found
            self._size += len(found.content)
            while self._size > _CACHE_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest.content) if oldest is not None else 0
        return found

    async def close(self) -> None:
        """Ends the process."""
        loop = asyncio.get_running_loop()
        if self._process is not None:
            self._process.kill()  # The worker may be waiting for its answer.
        await loop.run_in_executor(self._worker, self._end)
        self._worker.shutdown(wait=False)

    def _ask(self, uri: str) -> "asyncio.Future[ServedFile | None]":
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._worker, self._answer, uri)
        self._waiting[uri] = answer

        def forget(done: "asyncio.Future[ServedFile | None]") -> None:
            if self._waiting.get(uri) is done:
                del self._waiting[uri]
            if not done.cancelled():
                done.exception()  # Without a page that waits, nothing reads it.

        answer.add_done_callback(forget)
        return answer

    def _restart(self) -> None:
        self._end()
        self._control, theirs = ControlSocket.pair()
        self._process = start_python("autosim.web.world_files_process", theirs)
        theirs.close()
        with suppress(ControlClosedError):
            self._control.send(self._address)

    def _answer(self, uri: str) -> ServedFile | None:
        """The file, from the process; in the worker's thread."""
        if self._control is None:
            self._restart()
        try:
            message = self._exchange(uri)
        except ControlClosedError:
            self._restart()
            try:
                message = self._exchange(uri)
            except ControlClosedError as error:
                reason = "the process that makes the files of the world has ended"
                raise NoFilesError(reason) from error
        if isinstance(message, str):
            raise NoFilesError(message)
        assert message is None or isinstance(message, ServedFile)
        return message

    def _exchange(self, uri: str) -> object:
        assert self._control is not None
        self._control.send(uri)
        message, _ = self._control.receive()
        return message

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


def _load(address: str) -> WorldFiles:
    """The files of the world of the server at `address`.

    Raises:
        UserError: the world cannot be fetched or made; the message says why.
    """
    fetched = fetch_world(address)
    world = load_world(fetched.file, told=fetched.robots)
    sent = fetched_map(world.terrain.osm)
    return WorldFiles(world, compile_world(world.terrain, sent=sent))


def main(control_descriptor: int) -> None:
    """The process's whole life: an address, then requests and answers."""
    control = inherited_control(control_descriptor)
    with suppress(ControlClosedError):
        address, _ = control.receive()
        files: WorldFiles | None = None
        failure = ""
        try:
            files = _load(str(address))
        except (UserError, OSError) as error:
            failure = str(error)
        while True:
            uri, _ = control.receive()
            if files is None:
                control.send(failure)
            elif uri == MANIFEST:
                control.send(files.manifest_file())
            else:
                control.send(files.file(str(uri)))


if __name__ == "__main__":
    # Functions of this module are pickled by name: under its own, not as `__main__`.
    from autosim.web import world_files_process

    world_files_process.main(int(sys.argv[1]))
