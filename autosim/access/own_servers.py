"""The user's own servers on this machine: each leaves a file by which commands find it.

The file holds the server's token and, if it speaks TLS, the fingerprint of its certificate. A
server writes a new token in each run, when it has its port, and removes the file when it ends. So
the token of an earlier server at the same port opens nothing. A server that is killed leaves its
file: it names the server's process, and is ignored once that is gone.
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

_PROCESS = "process"
"""Name of the entry with the identity of the server's process."""


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
    content = {**asdict(server), _PROCESS: _identity("self")}
    for file in _files_of(server.address):
        write_private(file, json.dumps(content).encode())


def withdraw(server: OwnServer) -> None:
    """Removes the file of `announce`, unless another server has replaced it."""
    with suppress(AccessError, OSError):
        for file in _files_of(server.address):
            if _read(file)[0] == server:
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
        self._process = ""
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
                (self._found, self._process), self._seen = _read(file), seen
            return None if _is_gone(self._process) else self._found
        return None


def _read(file: Path) -> tuple[OwnServer | None, str]:
    """The server that a file names, and the identity of its process, "" where it has none."""
    content = read_private(file)
    try:
        if content is None:
            return None, ""
        values = json.loads(content)
        process = values.pop(_PROCESS, "")
        return OwnServer(**values), process
    except (ValueError, TypeError, AttributeError) as error:
        raise AccessError(f"{file}: error: it is damaged; start the server again") from error


def _identity(process: str) -> str:
    """A process as "NAMESPACE PID START", "" if it has ended.

    `process` is its number or "self". Numbers are used again, also after the machine has started
    again: the start (in ticks since then) tells them apart. Containers have namespaces of their
    own.
    """
    folder = Path("/proc") / process
    try:
        namespace = (folder / "ns" / "pid").readlink()
        # Behind the name, which may hold anything, START is the 20th field (proc_pid_stat(5)).
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        return f"{namespace} {folder.resolve().name} {fields[19]}"
    except (OSError, IndexError):
        return ""


def _is_gone(process: str) -> bool:
    """Whether the process of an identity has ended, as far as can be seen from here."""
    namespace, _, rest = process.partition(" ")
    if namespace != _identity("self").partition(" ")[0]:
        return False  # in another container, or written by a former version
    return _identity(rest.partition(" ")[0]) != process
