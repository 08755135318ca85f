"""A process that runs one node: `python -m autosim.testbench.launch.node_process`.

It speaks with the bench in lines of JSON, so that it works in the same way behind ssh. The first
line of its input is its order; it answers `{"ready": true}` once it has connected; the next line
lets it go. Each line after that asks what it has done so far. When its input ends, or the node
does, it ends and says what it has counted. What the node prints goes to the error output.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import IO, Any

from autosim.errors import UserError
from autosim.testbench.backends.opening import open_backend
from autosim.testbench.launch.launch_file import NodeEntry
from autosim.testbench.launch.node_classes import node_class
from autosim.testbench.launch.summary import count, glimpse
from autosim.testbench.nodes.node import Node, Setting

_USER_ERROR = 2
"""Exit code of a process whose node cannot run as the launch file says."""


def order_of(entry: NodeEntry, *, file: Path, backend: str, seed: int, folder: Path | None) -> str:
    """The line that tells a process what to run."""
    order = {
        "name": entry.name,
        "pkg": entry.pkg,
        "type": entry.type,
        "parameters": dict(entry.parameters),
        "line": entry.line,
        "file": str(file),
        "backend": backend,
        "seed": seed,
        "folder": str(folder) if folder else None,
    }
    return json.dumps(order)


def main() -> int:
    """Runs the node that the first line of the input names, and returns the exit code."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    order = json.loads(sys.stdin.readline())
    try:
        node = _start(order)
        _say(answers, {"ready": True})
        if sys.stdin.readline():
            is_asked = threading.Event()
            node.register_core_function(lambda: _answer(is_asked, node, answers))
            threading.Thread(target=_listen, args=(is_asked, node), daemon=True).start()
            node.loop()
    except UserError as error:
        _say(answers, {"error": str(error)})
        return _USER_ERROR
    _say(answers, {"counts": count(node)})
    return 0


def _start(order: dict[str, Any]) -> Node:
    file = Path(order["file"])
    entry = NodeEntry(
        order["name"], order["pkg"], order["type"], order["parameters"], order["line"]
    )
    node = node_class(file, entry)()
    node.init(
        [f"__name:={entry.name}"],
        connection=open_backend(order["backend"]).connect(entry.name),
        parameters=entry.parameters,
        setting=Setting(
            order["seed"], Path(order["folder"]) if order["folder"] else None, file.parent
        ),
    )
    return node


def _listen(is_asked: threading.Event, node: Node) -> None:
    for _ in sys.stdin:
        is_asked.set()
    node.terminate()


def _answer(is_asked: threading.Event, node: Node, answers: IO[str]) -> None:
    if is_asked.is_set():
        is_asked.clear()
        _say(answers, {"glimpse": glimpse(node)})


def _say(answers: IO[str], what: dict[str, Any]) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
