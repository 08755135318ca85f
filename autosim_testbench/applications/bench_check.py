"""Checks a launch file: its syntax, and the nodes and topics that it names."""

from pathlib import Path

from autosim.config.diagnostics import ConfigError
from autosim.config.reading.sources import Source
from autosim.errors import UserError
from autosim_testbench.applications.topology import topology_of
from autosim_testbench.launch.declared_parameters import parameter_faults
from autosim_testbench.launch.declared_topics import declared_topics
from autosim_testbench.launch.launch_file import Launch, read_launch
from autosim_testbench.launch.node_source import DeclarationError, read_node


def check_launch(source: Source, *, is_trusted: bool) -> None:
    """Reports the faults of a launch file.

    No code of nodes is run unless it is trusted: their modules are read, and what they declare
    plainly is compared.

    Args:
        source: the launch file; takes its faults.
        is_trusted: set the nodes up as well, which runs their code.
    """
    launch = read_launch(source)
    if launch is None:
        return
    _check_declarations(launch, source)
    if is_trusted and not source.faults.has_errors:
        _check_set_up(launch, source)


def _check_declarations(launch: Launch, source: Source) -> None:
    users: dict[str, list[tuple[str, frozenset[str], int]]] = {}
    folder = Path(launch.file).parent
    for entry in launch.nodes:
        try:
            node = read_node(entry, folder)
        except DeclarationError as error:
            source.faults.error(entry.line, f"node {entry.name!r}: {error}")
            continue
        if node is None:
            continue
        for each in declared_topics(node, entry):
            users.setdefault(each.topic, []).append((entry.name, each.kinds, entry.line))
        for fault in parameter_faults(node, entry, folder):
            report = source.faults.error if fault.is_error else source.faults.warning
            report(entry.line, f"node {entry.name!r} {fault.text}")
    for topic, ends in users.items():
        if frozenset.intersection(*(kinds for _, kinds, _ in ends)):
            continue
        uses = ", ".join(
            f"{' or '.join(sorted(kinds))} of {name}" for name, kinds, _ in dict.fromkeys(ends)
        )
        message = f"topic {topic!r} has different kinds of messages: {uses}"
        source.faults.error(ends[-1][2], message)


def _check_set_up(launch: Launch, source: Source) -> None:
    try:
        topology = topology_of(launch, is_trusted=True)
    except ConfigError as error:
        source.faults.diagnostics.extend(error.diagnostics)
    except UserError as error:
        source.faults.error(0, str(error))
    else:
        for fault in topology.faults:
            source.faults.error(0, fault)
