"""Runs one node of a launch file in this process; the others are started elsewhere."""

import signal
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim_testbench.applications.run_bench import in_words
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.backends.rospy_node import call_ros
from autosim_testbench.launch.bench import require_folder
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.node_faults import (
    NODE_FAULTS,
    fault_in_words,
    write_traceback,
)
from autosim_testbench.launch.node_start import start_node
from autosim_testbench.launch.summary import count, summarise
from autosim_testbench.nodes.node import NodeContext


def run_node(
    launch: Launch, name: str, *, backend: str, mode: int | None, setting: NodeContext
) -> list[str]:
    """Runs a node until it ends, or is interrupted; then its exit functions have run.

    Args:
        launch: the file that describes it.
        name: of the node.
        backend: the address of what carries the messages.
        mode: the reality mode, where the file sets none for this node; None leaves it to the file.
        setting: its `files` are those next to the launch file.

    Returns:
        What it has sent and received, as lines.

    Raises:
        UserError: there is no such node or backend, or the node cannot run as the file says, or
            its code fails; with file and line.
    """
    entries = {each.name: each for each in launch.nodes}
    if name not in entries:
        raise UserError(f"{launch.file} has no node {name!r}{suggestion(name, entries)}")
    entry = entries[name]
    if setting.folder:
        require_folder(setting.folder)
    with closing(open_backend(backend)) as opened:
        parameters = {**entry.parameters_in(mode), **_private_parameters(backend, name)}
        node = start_node(
            launch.file,
            entry,
            connection=lambda: opened.connect(name),
            parameters=parameters,
            setting=replace(setting, files=launch.file.parent),
        )
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda *_: node.terminate())
        try:
            node.loop()
        except UserError:
            raise
        except NODE_FAULTS as error:
            write_traceback(error, name, setting.folder)
            raise UserError(f"node {name!r} failed: {fault_in_words(error)}") from error
    return in_words(summarise([count(node)]))


def _private_parameters(backend: str, name: str) -> Mapping[str, str]:
    """Parameters of a node on the parameter server of ROS."""
    if not backend.startswith("ros1://"):
        return {}
    found: Any = call_ros(f"http://{urlsplit(backend).netloc}", "getParam", f"/{name}", f"/{name}")
    return {each: str(value) for each, value in found.items()} if isinstance(found, dict) else {}
