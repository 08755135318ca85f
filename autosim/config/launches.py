"""Records of launch files: the nodes of a test bench, and the machines that run them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autosim.config.schema import Interval
from autosim.config.xml_parameters import attribute, name_of, words


@dataclass(frozen=True, slots=True)
class Machine:
    """Another machine that runs nodes, of the element `machine`."""

    name: str = field(metadata=name_of("the machine"))
    address: str = field(
        metadata=attribute("address", "Host name or IP address.", is_required=True)
    )
    user: str = field(
        default="", metadata=attribute("user", "User of the login. Default: the user of the bench.")
    )
    port: int = field(
        default=22,
        metadata=attribute("port", "Port of its ssh server.", interval=Interval(1, 65535)),
    )
    python: str = field(
        default="python3", metadata=attribute("python", "Python interpreter there with AutoSim.")
    )
    folder: str = field(
        default="",
        metadata=attribute(
            "folder",
            "The folder there with the files that are next to this one. Default: of the same name "
            "as here.",
        ),
    )


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """A node of a launch file, of the element `node`.

    `parameters` has no `~` before its names, and the bench's own; `own`: the names of those that
    stand in the node itself.
    """

    name: str = field(metadata=name_of("the node"))
    pkg: str = field(
        metadata=attribute(
            "pkg",
            "The Python module that defines the node, or a file (`.py`) relative to this one.",
            is_required=True,
        )
    )
    type: str = field(metadata=attribute("type", "The class of the node there.", is_required=True))
    parameters: Mapping[str, str]
    line: int
    """Line of the element in the launch file, from 1 on."""
    is_required: bool = field(
        default=False, metadata=attribute("required", "Whether the bench ends when the node does.")
    )
    is_on_screen: bool = field(
        default=False,
        metadata=attribute(
            "output",
            "Destination of its printed lines: the terminal, or its own file.",
            **words(false="log", true="screen"),
        ),
    )
    launch_prefix: str = field(
        default="",
        metadata=attribute(
            "launch-prefix",
            "Command to run the node's process with, such as a debugger.",
        ),
    )
    machine: Machine | None = None
    """The machine that runs it, None: this one."""
    own: frozenset[str] = frozenset()

    @property
    def has_own_mode(self) -> bool:
        """Whether the node says in which reality mode it is, whatever the bench's mode is."""
        return "mode" in self.own

    def parameters_in(self, mode: int | None) -> dict[str, str]:
        """The parameters where the bench is in this mode; None for the file's."""
        if mode is None or self.has_own_mode:
            return dict(self.parameters)
        return {**self.parameters, "mode": str(int(mode))}
