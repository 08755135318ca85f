"""Prepares a world in a separate process, which can be ended at any time."""

import asyncio
from collections.abc import Callable

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.loading.world_worker import (
    PreparationDone,
    PreparationProgress,
    PreparationRefused,
    PrepareOrder,
)
from autosim.server.server_errors import WorldError


async def prepare_world(
    order: PrepareOrder, on_progress: Callable[[str, float], None]
) -> PreparationDone:
    """Loads and compiles a world; cancelled, it leaves nothing behind.

    Args:
        order: which world.
        on_progress: called with the current step and the share (0..1) that is done.

    Raises:
        WorldError: the world cannot be used; every fault of its files is named.
    """
    loop = asyncio.get_running_loop()
    control, theirs = ControlSocket.pair()
    process = start_python("autosim.loading.world_worker", theirs)
    theirs.close()
    result: asyncio.Future[PreparationDone] = loop.create_future()

    def receive() -> None:
        try:
            while not result.done():
                message, _ = control.receive()
                _take(message, result, on_progress)
        except BlockingIOError:
            return
        except ControlClosedError:
            result.set_exception(WorldError("the process that loads the world has ended"))

    try:
        control.send(order)
        control.set_blocking(False)
        loop.add_reader(control.fileno(), receive)
        return await result
    finally:
        loop.remove_reader(control.fileno())
        control.close()
        process.kill()
        process.wait()


def _take(
    message: object,
    result: "asyncio.Future[PreparationDone]",
    on_progress: Callable[[str, float], None],
) -> None:
    match message:
        case PreparationProgress(step, share):
            on_progress(step, share)
        case PreparationDone():
            result.set_result(message)
        case PreparationRefused(diagnostics, reason):
            faults = [reason] if reason else [str(each) for each in diagnostics]
            result.set_exception(WorldError("\n".join(faults)))
