"""Default ports of commands that listen, and those of their examples."""

import re

from autosim.cli.command_table import MODULES, CommandTable
from autosim.wire import ALPASIM_PORT, DEFAULT_PORT, FOXGLOVE_PORT, OSI_PORT

DEFAULTS = {
    "server": DEFAULT_PORT,
    "foxglove": FOXGLOVE_PORT,
    "osi": OSI_PORT,
    "alpasim": ALPASIM_PORT,
}


def test_no_example_takes_the_default_port_of_another_command() -> None:
    table = CommandTable(MODULES)
    used = {
        name: {int(port) for port in re.findall(r"--port (\d+)", table[name].epilog or "")}
        for name in MODULES
    }
    assert used["foxglove"]
    for name, ports in used.items():
        others = {port for command, port in DEFAULTS.items() if command != name}
        assert not ports & others, name
