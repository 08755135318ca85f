"""What the tests of the server share."""

import asyncio
from collections.abc import Iterator

import pytest
import uvloop

from autosim.server.network.front import Front
from tests.server.gateway_clients import WORLD, Run, play
from tests.server.light_simulation import light_options


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs a test against a server that the tests of this module share."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        async def make() -> Front:
            return Front(WORLD, light_options())

        front = runner.run(make())
        runner.run(front.__aenter__())
        yield lambda test: runner.run(play(test, front))
        runner.run(front.__aexit__())
