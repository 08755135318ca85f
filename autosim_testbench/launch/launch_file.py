"""Launch files: nodes, their machines, settings and topics."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.files.lookup import locate
from autosim.config.launches import Machine, NodeEntry
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.schemas.test_bench import LAUNCH


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch file without faults."""

    file: Path
    nodes: tuple[NodeEntry, ...]
    """Nodes in the order of the file."""


def load_launch(path: str | Path, diagnostics: Diagnostics | None = None) -> Launch:
    """Reads a launch file.

    Args:
        path: of the file, from the working directory or a search root.
        diagnostics: receives the warnings, also where there is no error.

    Raises:
        ConfigError: the file has faults; all are named with their lines.
        PathError: there is no such file.
    """
    found = diagnostics or Diagnostics()
    file, _ = locate(path, None)
    source = open_source(file, found)
    launch = read_launch(source) if source else None
    if launch is None:
        raise ConfigError(found.all)
    return launch


def read_launch(source: Source) -> Launch | None:
    """The launch file in `source`; None, with diagnostics, if it has errors."""
    block = read_block(source, LAUNCH)
    if block is None:
        return None
    machines = {each.name: read_record(Machine, each) for each in block.all("machine")}
    nodes = list(block.all("node"))
    check_unique(nodes, source.faults)
    if not nodes:
        source.faults.error(block, "a bench needs one <node> at least")
    common = _parameters(block)
    for each in nodes:
        _check_machine(each, machines, source.faults)
    if source.faults.has_errors:
        return None
    return Launch(source.path, tuple(_node(each, common, machines) for each in nodes))


def _check_machine(block: Block, machines: Mapping[str, Machine], faults: Faults) -> None:
    name = str(block.get("machine"))
    if name and name not in machines:
        faults.error(
            block, f"{block.title}: no <machine> is called '{name}'{suggestion(name, machines)}"
        )


def _node(block: Block, common: Mapping[str, str], machines: Mapping[str, Machine]) -> NodeEntry:
    own = _parameters(block)
    return read_record(
        NodeEntry,
        block,
        parameters={**common, **own},
        line=block.line,
        machine=machines.get(str(block.get("machine"))),
        own=frozenset(own),
    )


def _parameters(block: Block) -> dict[str, str]:
    return {each.name.removeprefix("~"): str(each.get("value")) for each in block.all("param")}
