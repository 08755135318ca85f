"""What a call costs that shows a token: of one's own server, by a made token, and encrypted.

    python benchmarks/calls.py

The server has no world, so that what is measured is the call alone. Each figure is of 2000 calls
one after another; p5 is close to what an idle machine takes.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np

from autosim.access import variables
from autosim.access.private_files import write_private_file
from autosim.client.link.server_tokens import ServerTokens
from autosim.client.link.simulation_control import simulation_control
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess

CALLS = 2000
WARM_UP = 200


def timed(address: str) -> str:
    """p5, p50 and p99 of a call for the status."""
    with simulation_control(address) as control:
        times = np.zeros(WARM_UP + CALLS)
        for k in range(len(times)):
            begin = time.perf_counter()
            control.status()
            times[k] = time.perf_counter() - begin
    p5, p50, p99 = 1e6 * np.percentile(times[WARM_UP:], (5, 50, 99))
    return f"p5 {p5:5.0f} µs   p50 {p50:5.0f} µs   p99 {p99:6.0f} µs"


def main() -> None:
    """Prints a line for each way to call."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        file = Path(folder) / "token"
        with ServerProcess(None, ServerOptions(address="127.0.0.1:0")) as server:
            print(f"own token    {timed(server.address)}")
            with simulation_control(server.address) as control:
                _, secret = ServerTokens(control).make("control")
            write_private_file(file, secret.encode())
            os.environ[variables.TOKEN_OPTION] = str(file)
            print(f"made token   {timed(server.address)}")
            del os.environ[variables.TOKEN_OPTION]
        with ServerProcess(None, ServerOptions(address="0.0.0.0:0")) as server:
            port = server.address.rpartition(":")[2]
            print(f"encrypted    {timed(f'127.0.0.1:{port}')}")


if __name__ == "__main__":
    main()
