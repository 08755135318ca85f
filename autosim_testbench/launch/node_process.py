"""A process that runs one node: `python -m autosim_testbench.launch.node_process`.

It speaks with the bench in lines of JSON, so that it works in the same way behind ssh. The first
line of its input is its order; it answers `{"ready": true}` once it has connected; the next line
starts it. Each line after that asks for its counts, or only confirms that the bench is still
there. When its input ends, or the node does, it ends and prints its counts. A node on
another machine also takes silence for the end, because a lost network is not reported. The output
of the node goes to the error output.

In step each line after the order is a turn: the time on the bench's clock, and which messages the
node gets. It answers which ones it has published.
"""

import json
import os
import select
import signal
import sys
import threading
import time
from pathlib import Path
from typing import IO, TypedDict

from autosim.config.launches import NodeEntry
from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.launch.delivery_order import OrderedConnection
from autosim_testbench.launch.machines import remove_carried
from autosim_testbench.launch.node_faults import (
    NODE_FAULTS,
    fault_in_words,
    print_traceback,
)
from autosim_testbench.launch.node_start import start_node
from autosim_testbench.launch.summary import count, glimpse
from autosim_testbench.nodes.clock import Clock, SteppedClock, WallClock
from autosim_testbench.nodes.node import PERIOD, Node, NodeContext

_FAILED = 1
"""Exit code of a process whose node failed in its own code."""

_USER_ERROR = 2
"""Exit code of a process whose node cannot run as the launch file says."""


_STUCK = 3
"""Exit code of a process whose node does not end when ordered."""

_END_SECONDS = 10.0
"""Longest time [s] that a node whose bench has ended may take to end; then its process does."""

ALIVE = "alive"
"""The line that says that the bench is still there, and asks nothing."""


ASK = "glimpse"
"""The line that asks what a node has done so far."""


class NodeOrder(TypedDict):
    """The first line of a node's process, as JSON (`order_of`)."""

    name: str
    """Name of the node."""

    pkg: str
    """Module of its class."""

    type: str
    """Its class."""

    parameters: dict[str, str]
    """Its parameters, by name."""

    line: int
    """Line of the node in the launch file."""

    file: str
    """The launch file, on the machine of the process."""

    backend: str
    """Address of the backend there."""

    seed: int
    """Seed of all that is random."""

    folder: str | None
    """Folder of the node's files; None for none."""

    silence: float | None
    """Time [s] without a line after which the bench counts as gone; None for never."""

    in_step: bool
    """Whether the bench orders the node's turns."""

    period: float
    """Longest time [s] between two turns otherwise."""


def order_of(
    entry: NodeEntry,
    *,
    file: Path,
    backend: str,
    seed: int,
    folder: Path | None,
    silence: float | None = None,
    in_step: bool = False,
    period: float = PERIOD,
) -> str:
    """The line that gives a process its node to run.

    Args:
        entry: the node.
        file: the launch file, on the machine of the process.
        backend: its address there.
        seed: of all that is random.
        folder: for the node's files; None: nowhere.
        silence: time [s] without a line after which the bench counts as gone; None for never.
        in_step: whether its turns are ordered by the bench.
        period: longest time [s] between two turns otherwise.
    """
    order: NodeOrder = {
        "name": entry.name,
        "pkg": entry.pkg,
        "type": entry.type,
        "parameters": dict(entry.parameters),
        "line": entry.line,
        "file": str(file),
        "backend": backend,
        "seed": seed,
        "folder": str(folder) if folder else None,
        "silence": silence,
        "in_step": in_step,
        "period": period,
    }
    return json.dumps(order)


def main() -> int:
    """Runs the node that the first line of the input names, and returns the exit code."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lines = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    # Ctrl+C in a terminal reaches all processes; the bench ends this one when it has ended itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order: NodeOrder = json.loads(lines.readline())
    try:
        run = _take_turns if order["in_step"] else _run_freely
        node, fault = run(order, lines, answers)
        try:
            counts = count(node)
        except NODE_FAULTS as error:
            counts, fault = count(node, asks=False), fault or error
    except UserError as error:
        _say(answers, {"error": str(error)})
        return _USER_ERROR
    finally:
        if order["silence"] is not None:  # another machine
            remove_carried(order["backend"])
    if fault is None:
        _say(answers, {"counts": counts})
        return 0
    print_traceback(fault)
    _say(answers, {"error": fault_in_words(fault), "counts": counts})
    return _FAILED


_Ended = tuple[Node, BaseException | None]
"""A node after its end, and what its code has raised."""


def _run_freely(order: NodeOrder, lines: IO[bytes], answers: IO[str]) -> _Ended:
    connection = open_backend(order["backend"]).connect(order["name"])
    node = _start(order, connection, WallClock())
    _say(answers, {"ready": True})
    silence = order["silence"]
    if _next_line(lines, silence):
        is_asked = threading.Event()
        node.register_core_function(lambda: _answer(is_asked, node, answers))
        threading.Thread(target=_listen, args=(lines, is_asked, node, silence), daemon=True).start()
        try:
            node.loop(order["period"])
        except NODE_FAULTS as error:
            return node, error
    return node, None


def _take_turns(order: NodeOrder, lines: IO[bytes], answers: IO[str]) -> _Ended:
    clock = SteppedClock()
    connection = OrderedConnection(open_backend(order["backend"]).connect(order["name"]))
    node = _start(order, connection, clock)
    _say(answers, {"ready": True})
    silence = order["silence"]
    if _next_line(lines, silence):
        try:
            _answer_turns(node, clock, connection, lines=lines, answers=answers, silence=silence)
        except NODE_FAULTS as error:
            return node, error
    return node, None


def _answer_turns(
    node: Node,
    clock: SteppedClock,
    connection: OrderedConnection,
    *,
    lines: IO[bytes],
    answers: IO[str],
    silence: float | None,
) -> None:
    node.begin()
    try:
        while not node.is_terminated and (line := _next_line(lines, silence)):
            if line.strip() == ASK.encode():
                _say(answers, {"glimpse": glimpse(node)})
                continue
            turn = json.loads(line)
            clock.advance_to(turn["time_ns"])
            connection.expect([(*each,) for each in turn["messages"]])
            node.turn()
            _say(answers, {"turn": connection.take_published(), "ended": node.is_terminated})
    finally:
        node.end()


def _start(order: NodeOrder, connection: BackendConnection, clock: Clock) -> Node:
    file = Path(order["file"])
    entry = NodeEntry(
        order["name"], order["pkg"], order["type"], order["parameters"], order["line"]
    )
    return start_node(
        file,
        entry,
        connection=lambda: connection,
        clock=clock,
        parameters=entry.parameters,
        setting=NodeContext(
            order["seed"], Path(order["folder"]) if order["folder"] else None, file.parent
        ),
    )


def _listen(lines: IO[bytes], is_asked: threading.Event, node: Node, silence: float | None) -> None:
    while _next_line(lines, silence):
        is_asked.set()
    node.terminate()
    time.sleep(_END_SECONDS)
    os._exit(_STUCK)  # it hangs in its own code, and would keep running without a bench


def _next_line(lines: IO[bytes], silence: float | None) -> bytes:
    """The next line that asks for something; nothing where the bench is gone."""
    while select.select([lines], [], [], silence)[0]:
        line = lines.readline()
        if line.strip() != ALIVE.encode():
            return line
    return b""


def _answer(is_asked: threading.Event, node: Node, answers: IO[str]) -> None:
    if is_asked.is_set():
        is_asked.clear()
        _say(answers, {"glimpse": glimpse(node)})


def _say(answers: IO[str], what: dict[str, object]) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
