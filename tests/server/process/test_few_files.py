"""A server that may open few files goes on when clients have taken all of them."""

import re
import socket
import subprocess
import sys
from contextlib import ExitStack

from autosim.client.link.simulation_control import simulation_control

SERVER = """
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from autosim.server.network.front import serve
from tests.server.light_simulation import light_options, light_world

serve(light_world(), light_options(), on_event=lambda e: print(e, flush=True))
"""

CONNECTIONS = 100


def test_connections_that_take_all_files_while_a_world_loads_end_nothing() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        listening = re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())
        assert listening is not None
        with ExitStack() as held:
            for _ in range(CONNECTIONS):
                place = ("127.0.0.1", int(listening[1]))
                held.enter_context(socket.create_connection(place))
            while "loaded with seed" not in server.stdout.readline():
                pass
        with simulation_control(listening[0]) as control:
            assert control.step(5, timeout=60.0).step == 5
            control.stop()
        assert server.wait(60.0) == 0
