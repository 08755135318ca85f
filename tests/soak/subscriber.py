"""A client that receives states until it is killed: `subscriber WORLD HOST:PORT`."""

import sys
import time

from autosim.client.link.mirror import Mirror
from autosim.loading.loader import load_world


def main(world: str, address: str) -> None:
    """Prints a line as soon as a state has come, and goes on receiving."""
    with Mirror(load_world(world), address) as mirror:
        mirror.connection.wait_for_state(120.0)
        print("receives", flush=True)
        while True:
            mirror.take()
            time.sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
