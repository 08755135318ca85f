"""The process that prepares a world for a window: one of this machine, or that of a server."""

import sys
from dataclasses import dataclass
from math import inf

from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control
from autosim.loading.world_worker import (
    PreparationProgress,
    PreparationRefused,
    PrepareOrder,
    prepare,
)


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """The world of the server at `address` (HOST:PORT) is fetched, and then prepared."""

    address: str


def _fetched(order: FetchOrder, control: ControlSocket) -> PrepareOrder:
    # Only those who ask for a server's world need gRPC here.
    from autosim.client.link.world_fetching import fetch_world

    # The window hears what is waited for, and ends this process when that takes too long.
    fetched = fetch_world(
        order.address,
        patience=inf,
        progress=lambda name, share: control.send(PreparationProgress(name, share)),
    )
    return PrepareOrder(str(fetched.file), has_picture=False, told=fetched.robots)


def carry_out(order: object, control: ControlSocket) -> None:
    """Does what was ordered, and reports on `control`.

    Raises:
        ControlClosedError: the process that asked is gone.
    """
    try:
        wanted = _fetched(order, control) if isinstance(order, FetchOrder) else order
    except (UserError, OSError) as error:
        control.send(PreparationRefused((), str(error)))
        return
    if not isinstance(wanted, PrepareOrder):
        raise TypeError(f"the first message is a {type(order).__name__}, not an order")
    prepare(wanted, control)


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(control_descriptor)
    try:
        order, _ = control.receive()
        carry_out(order, control)
    except ControlClosedError:
        return 1
    return 0


if __name__ == "__main__":
    # Messages are pickled by name: under this module's own, not as `__main__`.
    from autosim.applications.gui.shared.loading import fetch_worker

    sys.exit(fetch_worker.main(int(sys.argv[1])))
