"""Gateways as programs: in this process, or in another one that this one starts and ends."""

import asyncio
import signal
import sys
import webbrowser
from dataclasses import dataclass

from autosim.access.server_addresses import split
from autosim.applications.common.terminal import tell
from autosim.errors import UserError
from autosim.helper_processes.companion_process import CompanionProcess
from autosim.helper_processes.process_socket import ControlClosedError
from autosim.helper_processes.start import inherited_control
from autosim.web.page_files import page_folder, read_page
from autosim.web.sessions import LINK_SECONDS
from autosim.web.web_gateway import GatewayOptions, OpenedGateway, run_gateway

_MEANINGS = {
    "view": "to watch",
    "drive": "to watch and drive",
    "control": "to watch, drive and control",
}
"""Actions that a link allows a browser, by its role."""


@dataclass(frozen=True, slots=True)
class _Order:
    """An order to a gateway's process: its options, and whether it opens the link in a browser."""

    options: GatewayOptions
    opens_browser: bool


def run_relay(options: GatewayOptions) -> None:
    """Serves browsers until it is interrupted, and prints the links.

    Raises:
        UserError: it cannot; the message says why.
    """

    def stop(over: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)

    def on_opened(opened: OpenedGateway) -> None:
        _print_links(opened)
        if opened.is_waiting:
            tell(f"no server answers at {options.server} yet: pages wait for it, and say so")

    run_gateway(options, on_opened, stop=stop)


def start_gateway(options: GatewayOptions, *, opens_browser: bool = False) -> CompanionProcess:
    """Starts a gateway in its own process.

    It prints its links, or why it cannot serve, where this process prints.

    Args:
        options: what to serve where.
        opens_browser: open the first link in the user's browser.

    Raises:
        UserError: the page is not there, or the address is not one.
    """
    read_page(options.page or page_folder())
    try:
        split(options.web)
    except ValueError as error:
        raise UserError(str(error)) from error
    return CompanionProcess("autosim.applications.web.gateways", _Order(options, opens_browser))


def _print_links(opened: OpenedGateway) -> None:
    minutes = LINK_SECONDS / 60.0
    for link in opened.links:
        browsers = "one browser" if link.uses == 1 else f"{link.uses} browsers"
        tell(f"in a browser, {_MEANINGS[link.role]} ({browsers}, {minutes:g} minutes): {link.url}")
    if opened.fingerprint:
        tell(f"browsers warn once about its certificate, {opened.fingerprint}")
    if opened.links and sys.stderr.isatty():
        _print_code(opened.links[-1].url)


def _print_code(url: str) -> None:
    """Prints a QR code of a link, for the cameras of phones."""
    import segno

    segno.make(url, error="l").terminal(out=sys.stderr, compact=True)


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(control_descriptor)
    try:
        order, _ = control.receive()
    except ControlClosedError:
        return 0
    assert isinstance(order, _Order)

    def on_opened(opened: OpenedGateway) -> None:
        _print_links(opened)
        if order.opens_browser and opened.links:
            webbrowser.open(opened.links[0].url)

    def stop(over: asyncio.Event) -> None:
        asyncio.get_running_loop().add_reader(control.fileno(), over.set)

    try:
        run_gateway(order.options, on_opened, stop=stop)
    except UserError as error:
        tell(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    # Functions of this module are pickled by name: under its own, not as `__main__`.
    from autosim.applications.web import gateways

    sys.exit(gateways.main(int(sys.argv[1])))
