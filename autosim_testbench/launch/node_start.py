"""Starts the nodes of a launch file, with one message where the code of one fails."""

from collections.abc import Callable, Mapping
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostic
from autosim.config.launches import NodeEntry
from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.launch.node_classes import node_class
from autosim_testbench.launch.node_faults import NODE_FAULTS, fault_in_words, write_traceback
from autosim_testbench.nodes.clock import Clock
from autosim_testbench.nodes.node import Node, NodeContext


def start_node(
    file: Path,
    entry: NodeEntry,
    *,
    connection: Callable[[], BackendConnection],
    parameters: Mapping[str, str],
    setting: NodeContext,
    clock: Clock | None = None,
) -> Node:
    """A node of a launch file after its `setup`.

    Args:
        file: the launch file.
        entry: the node in it.
        connection: opens the node's connection.
        parameters: of the node, by name.
        setting: what the bench gives all of its nodes.
        clock: that of the bench; without one, the time of day.

    Raises:
        ConfigError: there is no such node, or its code fails; with the line of the launch file and
            that of the code.
        UserError: the node refuses its parameters.
    """
    kind = node_class(file, entry)
    try:
        node = kind()
        node.init(
            [f"__name:={entry.name}"],
            connection=connection(),
            clock=clock,
            parameters=parameters,
            setting=setting,
        )
    except UserError:
        raise
    except NODE_FAULTS as error:
        write_traceback(error, entry.name, setting.folder)
        raise start_fault(file, entry, error) from error
    return node


def start_fault(file: Path, entry: NodeEntry, error: BaseException) -> ConfigError:
    """The error of a node whose code fails before its first turn."""
    message = f"node {entry.name!r} failed in its set-up: {fault_in_words(error)}"
    return ConfigError([Diagnostic(file, entry.line, "error", message)])
