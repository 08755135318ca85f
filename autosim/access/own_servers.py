"""The user's own servers on this machine: each leaves a file by which commands find it.

The file holds the server's token and, if it speaks TLS, the fingerprint of its certificate. A
server writes a new token in each run, when it has its port, and removes the file when it ends. So
the token of an earlier server at the same port opens nothing.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from autosim.access.private_files import AccessError, read_private, state_folder, write_private
from autosim.access.server_addresses import (
    address_file_name,
    listening_hosts,
    resolve,
    run_file_name,
    split,
)


@dataclass(frozen=True, slots=True)
class OwnServer:
    """The address, token and fingerprint of one of the user's servers.

    `fingerprint` of its certificate, "" if it does not encrypt.
    """

    address: str
    token: str
    fingerprint: str = ""


def servers_folder() -> Path:
    """The folder of the files.

    Raises:
        AccessError: this user has no home.
    """
    return state_folder() / "servers"


def tokens_file(address: str) -> Path:
    """The file with the tokens of servers at `address` (HOST:PORT).

    Raises:
        AccessError: there is no such host, or this user has no home.
    """
    host, port = split(address)
    return servers_folder() / f"{address_file_name(_numbers(host)[0], port)}.tokens"


def announce(server: OwnServer) -> None:
    """Lets the user's commands find a server.

    Raises:
        AccessError: its file cannot be written.
    """
    for file in _files_of(server.address):
        write_private(file, json.dumps(asdict(server)).encode())


def withdraw(server: OwnServer) -> None:
    """Removes the file of `announce`, unless another server has replaced it."""
    with suppress(AccessError, OSError):
        for file in _files_of(server.address):
            if _read(file) == server:
                file.unlink()


def _files_of(address: str) -> list[Path]:
    """The files of a server: one for each number of its host."""
    host, port = split(address)
    return [servers_folder() / f"{run_file_name(each, port)}.json" for each in _numbers(host)]


def _numbers(host: str) -> list[str]:
    try:
        return resolve(host)
    except OSError as error:
        raise AccessError(str(error)) from error


class OwnServerFinder:
    """Finds this user's server at an address. Each look is fresh: the server may have restarted.

    Args:
        address: HOST:PORT, as clients give it.
    """

    def __init__(self, address: str) -> None:
        self._files: tuple[Path, ...] = ()
        self._seen: tuple[int, int] | None = None
        self._found: OwnServer | None = None
        with suppress(ValueError):
            host, port = split(address)
            self._files = tuple(
                servers_folder() / f"{run_file_name(each, port)}.json"
                for each in listening_hosts(host)
            )

    def look(self) -> OwnServer | None:
        """The server; None if this user has none at the address.

        Raises:
            AccessError: other users can read or change its file.
        """
        for file in self._files:
            try:
                status = file.stat()
            except OSError:
                continue
            seen = (status.st_ino, status.st_mtime_ns)
            if seen != self._seen:
                self._found, self._seen = _read(file), seen
            return self._found
        return None


def _read(file: Path) -> OwnServer | None:
    content = read_private(file)
    try:
        return None if content is None else OwnServer(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise AccessError(f"{file}: error: it is damaged; start the server again") from error
