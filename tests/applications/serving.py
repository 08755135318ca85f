"""A server of a light world on any free port, and the command line against it."""

import json
from typing import Any

from click.testing import CliRunner, Result

from autosim.cli import main
from autosim.server.network.server_process import ServerProcess
from tests.server.light_simulation import light_options, light_world

WORLD = light_world(2)


def light_server(**options: Any) -> ServerProcess:
    """A server of two robots r0 and r1, each with `box.drive`, before its first step."""
    return ServerProcess(WORLD, light_options(**options))


class Shell:
    """Runs `autosim` against one server."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(self, *arguments: str) -> Result:
        """The result of `autosim ARGUMENTS --server …`."""
        return self.plain(*arguments, "--server", self.address)

    @staticmethod
    def plain(*arguments: str) -> Result:
        """The result of `autosim ARGUMENTS`."""
        return CliRunner().invoke(main, list(arguments))

    def ok(self, *arguments: str) -> str:
        """What a command that succeeds prints."""
        result = self(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    def record(self, *arguments: str) -> Any:
        """What it prints as JSON."""
        return json.loads(self.ok(*arguments, "--json"))

    def error(self, *arguments: str) -> str:
        """What a command that fails says."""
        result = self(*arguments)
        assert result.exit_code == 1, result.output
        assert isinstance(result.exception, SystemExit)
        return result.stderr
