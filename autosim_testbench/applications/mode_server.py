"""The control socket of a running bench: through it another terminal switches a node's mode.

The socket is in a private folder, whatever transports the messages, and its address in a file
that only this user may read.
"""

import contextlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypedDict

from autosim.access.private_files import AccessError, state_folder, write_private
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim_testbench.backends.local import LocalBackend
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.summary import Glimpse
from autosim_testbench.nodes.reality import RealityMode

_REQUEST, _ANSWER = "request", "answer"

_ANSWER_SECONDS = 10.0
"""Longest time [s] until a bench answers: a tick of a large world takes less."""

_PERIOD_SECONDS = 0.1
"""Interval [s] between checks for connections."""


@dataclass
class _Request:
    """A request for a mode: the node, the mode, and a number that its answer repeats.

    `is_ordered`: whether the node has been ordered to take the mode.
    """

    node: str
    mode: int
    number: int
    is_ordered: bool = False


class _Answer(TypedDict):
    """An answer to a request for a mode: the request's number, and its error or ""."""

    number: int
    error: str


class Bench(Protocol):
    """The part of a bench that the mode server needs."""

    def glimpses(self) -> list[Glimpse]:
        """Current counts of each node."""

    def switch_mode(self, node: str, mode: RealityMode) -> None:
        """Has a node take a mode."""


class ModeServer:
    """Accepts connections while a bench runs. Use it in a `with` block."""

    def __init__(self, launch: Launch) -> None:
        self._names = [each.name for each in launch.nodes]
        self._backend = LocalBackend()
        self._connection = self._backend.connect("door")
        self._connection.subscribe(_REQUEST, self._came)
        self._asked: list[_Request] = []
        self._next_look = 0.0
        self._file = None
        with contextlib.suppress(AccessError):  # without a socket, the bench can run nevertheless
            self._file = _folder() / f"{os.getpid()}.json"
            said = {"bench": str(launch.file.resolve()), "address": self._backend.address}
            write_private(self._file, json.dumps(said).encode())

    def __enter__(self) -> "ModeServer":
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.unlink(missing_ok=True)
        self._connection.close()
        self._backend.close()

    def serve(self, bench: Bench) -> None:
        """Does what has been asked for; called between two turns of the bench."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _PERIOD_SECONDS
        self._connection.process()
        if self._asked:
            seen = {each["name"]: each for each in bench.glimpses()}
            self._asked = [each for each in self._asked if not self._is_done(each, seen, bench)]

    def _came(self, data: bytes) -> None:
        with contextlib.suppress(ValueError, TypeError):
            self._asked.append(_Request(**json.loads(data)))

    def _is_done(self, asked: _Request, seen: dict[str, Glimpse], bench: Bench) -> bool:
        """Does what was asked for, and answers once the node has been heard to have done it."""
        node, mode = asked.node, asked.mode
        if node not in self._names:
            error = f"the bench has no node {node!r}{suggestion(node, self._names)}"
        elif node not in seen:
            return False
        elif not seen[node]["modes"]:
            error = f"{node} has no reality mode: it is neither a combiner nor a splitter"
        elif mode not in seen[node]["modes"]:
            error = f"{node} has no mode {mode}, but {', '.join(map(str, seen[node]['modes']))}"
        elif seen[node]["mode"] != mode:
            if not asked.is_ordered:
                bench.switch_mode(node, RealityMode(mode))
                asked.is_ordered = True
            return False
        else:
            error = ""
        answer: _Answer = {"number": asked.number, "error": error}
        self._connection.publish(_ANSWER, json.dumps(answer).encode())
        return True


def request_mode(node: str, mode: int, file: Path | None = None) -> None:
    """Has a node of a bench that runs take a reality mode.

    Args:
        node: its name.
        mode: 0 physical, 1 virtual, 2 augmented.
        file: the bench's launch file; None where only one runs.

    Raises:
        UserError: no such bench runs, or the node cannot take the mode.
    """
    answers: list[_Answer] = []
    backend = LocalBackend(_address(file))
    connection = backend.connect("asker")
    try:
        connection.subscribe(_ANSWER, lambda data: answers.append(json.loads(data)))
        asked = {"node": node, "mode": mode, "number": os.getpid()}
        connection.publish(_REQUEST, json.dumps(asked).encode())
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not any(each["number"] == os.getpid() for each in answers):
            if time.monotonic() > deadline:
                raise UserError("the bench does not answer")
            connection.process(_PERIOD_SECONDS)
    finally:
        connection.close()
        backend.close()
    error = next(each["error"] for each in answers if each["number"] == os.getpid())
    if error:
        raise UserError(error)


def _address(file: Path | None) -> str:
    """Address of the bench of a launch file."""
    running = list(_running())
    found = [each for each in running if file is None or each["bench"] == str(file.resolve())]
    if not found:
        files = ", ".join(each["bench"] for each in running) or "none"
        raise UserError(f"no bench runs{f' of {file}' if file else ''}; those that do: {files}")
    if len(found) > 1:
        files = ", ".join(sorted({each["bench"] for each in found}))
        raise UserError(f"several benches run: {files}; name one with --bench, and run it once")
    address: str = found[0]["address"]
    return address


def _running() -> list[dict[str, str]]:
    found = []
    for file in sorted(_folder().glob("*.json")):
        if Path(f"/proc/{file.stem}").exists():
            found.append(json.loads(file.read_text()))
        else:
            file.unlink(missing_ok=True)  # its bench was killed
    return found


def _folder() -> Path:
    return state_folder() / "benches"
