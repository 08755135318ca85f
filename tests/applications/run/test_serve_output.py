"""A server whose terminal is stopped, or whose pipe nobody reads."""

import re
import subprocess
import sys

from autosim.client.link.simulation_control import simulation_control
from autosim.model.notices import Notice
from tests.server.light_simulation import LightSimulation

SERVER = """
from autosim.applications.common.terminal import tell, told_by_a_thread
from autosim.server.network.front import serve
from tests.applications.run.test_serve_output import ChattySimulation
from tests.server.light_simulation import light_options, light_world

with told_by_a_thread():
    serve(light_world(), light_options(ChattySimulation), on_event=lambda event: tell(str(event)))
"""

STEPS = 200
"""As many are enough that what they say is more than a pipe takes."""


class ChattySimulation(LightSimulation):
    """Says and prints a thousand characters in each step."""

    def advance(self) -> None:
        super().advance()
        print("y" * 1000, flush=True)
        self._report(Notice("info", "chatty", self.state.step, "x" * 1000))


def test_nobody_waits_for_who_does_not_read_what_a_server_says() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        listening = re.search(r"127\.0\.0\.1:\d+", server.stderr.readline())
        assert listening is not None
        # From here on nobody reads.
        with simulation_control(listening[0]) as control:
            assert control.step(STEPS, timeout=60.0).step == STEPS
            assert control.report().said > STEPS
            control.stop()
        assert server.wait(60.0) == 0
