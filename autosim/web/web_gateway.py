"""The gateway's process: from the order to serve until its end."""

import asyncio
import logging
import os
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from aiohttp import web

from autosim.access.certificates import Identity, own_identity, read_identity
from autosim.access.own_servers import OwnServer, announce, withdraw
from autosim.access.private_files import AccessError
from autosim.access.server_addresses import EVERYWHERE, is_loopback, split
from autosim.client.link.client_errors import ClientError
from autosim.client.link.served_world import ServedWorld
from autosim.client.link.updates import Received
from autosim.errors import UserError
from autosim.web.application import Application, GatewayParts
from autosim.web.page_files import page_folder, read_page
from autosim.web.sessions import BrowserSession, NoAnswerError, NoEntryError, Sessions
from autosim.web.streaming.encoding import StateEncoder
from autosim.web.streaming.subscription import StreamEvents, Subscription
from autosim.web.streaming.viewers import CHECK_SECONDS, ViewerHub
from autosim.web.upstream import Upstream
from autosim.web.viewer_limits import VIEWER_LIMITS, ViewerLimits
from autosim.web.world_files_process import WorldFilesProcess
from autosim.wire import DEFAULT_WEB_ADDRESS

_BACKLOG = 4096
"""Number of connections that wait to be accepted: a lecture hall that opens a link at once."""

REVOCATION_SECONDS = 5.0
"""Interval [s] at which the server is asked whether it still accepts the tokens of sessions."""

_END_SECONDS = 2.0
"""Time [s] that open requests have when the gateway ends."""


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Options of a gateway.

    `server` and `web` are HOST:PORT of the gRPC server and of the gateway; port 0 is any free one.
    `certificate` and `key`: PEM files, None: as a server has them. `is_insecure`: do not encrypt,
    even where others can connect. `link_role` is that of the first link, "" for what the gateway's
    own token is good for; `guests`: how many browsers a second link lets watch, 0: none is made.
    `page`: the folder of the page, None: that of the package. `prepares_files`: make the files of
    the world as soon as it is known, not only when the first page asks for them.
    """

    server: str
    web: str = DEFAULT_WEB_ADDRESS
    certificate: Path | None = None
    key: Path | None = None
    is_insecure: bool = False
    link_role: str = ""
    guests: int = 0
    page: Path | None = None
    prepares_files: bool = True
    limits: ViewerLimits = field(default=VIEWER_LIMITS)
    """Limits for each viewer."""


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link: the role that it gives, its URL, and the number of browsers that it is good for."""

    role: str
    url: str
    """Address with the key of the link, for a browser."""
    uses: int = 1
    """Number of browsers that may enter by it."""


@dataclass(frozen=True, slots=True)
class OpenedGateway:
    """A gateway that listens: its address, and the links that were made at once.

    `fingerprint` of its certificate, "" where it does not encrypt. `is_waiting`: its server does
    not answer yet; pages that enter wait for it.
    """

    address: str
    links: tuple[MadeLink, ...]
    fingerprint: str = ""
    is_waiting: bool = False


def run_gateway(
    options: GatewayOptions,
    on_opened: Callable[[OpenedGateway], None],
    *,
    stop: Callable[[asyncio.Event], None] = lambda event: None,
) -> None:
    """Serves until it is interrupted, or until `stop` has set its event.

    Args:
        options: what to serve where.
        on_opened: called once, when it listens.
        stop: called with the event that ends the gateway.

    Raises:
        UserError: it cannot; the message says why.
    """
    logging.getLogger("aiohttp").setLevel(logging.CRITICAL)

    async def serve() -> None:
        over = asyncio.Event()
        stop(over)
        async with opened_gateway(options) as opened:
            on_opened(opened)
            await over.wait()

    uvloop.run(serve())


@asynccontextmanager
async def opened_gateway(options: GatewayOptions) -> AsyncIterator[OpenedGateway]:
    """A gateway that serves inside the context.

    Raises:
        UserError: it cannot; the message says why.
    """
    page = read_page(options.page or page_folder())
    identity = _identity(options)
    loop = asyncio.get_running_loop()
    sessions = Sessions(options.limits)
    hub = ViewerHub(loop.time, options.limits)
    # It may ask a person at the terminal about the certificate, so it belongs to this thread.
    upstream = Upstream(options.server)
    owner = secrets.token_urlsafe(32)
    files = WorldFilesProcess(options.server, is_eager=options.prepares_files)
    parts = GatewayParts(hub, upstream, sessions, page, files, owner, options.limits, loop.time)
    runner = web.AppRunner(
        Application(parts).made(), access_log=None, shutdown_timeout=_END_SECONDS
    )
    await runner.setup()
    subscription: Subscription | None = None
    try:
        address = await _listen(runner, options, identity)
        subscription = Subscription(options.server, _events(hub, files, upstream, loop))
        checking = asyncio.gather(_check(hub, sessions), _end_revoked(upstream, sessions))
        fingerprint = identity.fingerprint if identity is not None else ""
        announced = OwnServer(address, owner, fingerprint)
        announce(announced)
        try:
            links, is_waiting = await _links(options, upstream, sessions, address)
            yield OpenedGateway(address, links, fingerprint, is_waiting)
        finally:
            withdraw(announced)
            checking.cancel()
            with suppress(asyncio.CancelledError):
                await checking
    finally:
        if subscription is not None:
            await asyncio.to_thread(subscription.close)
        await runner.cleanup()
        await files.close()
        await upstream.close()


def url_of(address: str, key: str, *, is_encrypted: bool) -> str:
    """The URL of a link. The key is behind '#': browsers do not send that part to any server."""
    host, port = split(address)
    if host in EVERYWHERE:
        host = _outward_host()
    host = f"[{host}]" if ":" in host else host
    return f"{'https' if is_encrypted else 'http'}://{host}:{port}/#key={key}"


def _identity(options: GatewayOptions) -> Identity | None:
    """The certificate, by the same rules as a server's; None: no encryption."""
    if (options.certificate is None) is not (options.key is None):
        raise AccessError("a certificate is used with its key: give both")
    if options.certificate is not None and options.key is not None:
        return read_identity(options.certificate, options.key)
    try:
        host, _ = split(options.web)
    except ValueError as error:
        raise UserError(str(error)) from error
    return None if options.is_insecure or is_loopback(host) else own_identity()


def _encryption(identity: Identity) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # The module takes files alone. The key is in memory, never on a disk.
    with os.fdopen(os.memfd_create("autosim-identity", os.MFD_CLOEXEC), "wb") as file:
        file.write(identity.key + b"\n" + identity.certificate)
        file.flush()
        context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
    return context


async def _listen(runner: web.AppRunner, options: GatewayOptions, identity: Identity | None) -> str:
    try:
        host, port = split(options.web)
    except ValueError as error:
        raise UserError(str(error)) from error
    encryption = None if identity is None else _encryption(identity)
    site = web.TCPSite(runner, host, port, ssl_context=encryption, backlog=_BACKLOG)
    try:
        await site.start()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(
            f"the gateway cannot listen at {options.web}: {reason}; choose another port by --web"
        ) from error
    found = runner.addresses[0]
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{found[1]}"


def _events(
    hub: ViewerHub,
    files: WorldFilesProcess,
    upstream: Upstream,
    loop: asyncio.AbstractEventLoop,
) -> StreamEvents:
    """Events of the subscription's thread, passed to the loop; only the newest state is."""
    waiting: list[tuple[Received, bool]] = []

    def take() -> None:
        if waiting:
            received, is_standing = waiting[-1]
            waiting.clear()
            hub.set_state(received, is_standing)

    def call(function: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop has ended.
            loop.call_soon_threadsafe(function)

    def on_world(world: ServedWorld, encoder: StateEncoder) -> None:
        def begin() -> None:
            upstream.sends_states = True
            waiting.clear()
            files.begin()
            hub.set_world(world, encoder)

        call(begin)

    def on_state(received: Received, is_standing: bool) -> None:
        waiting.append((received, is_standing))
        call(take)

    def on_trouble(text: str) -> None:
        def tell() -> None:
            upstream.sends_states = not text
            hub.set_trouble(text)

        call(tell)

    return StreamEvents(on_world, on_state, on_trouble)


async def _check(hub: ViewerHub, sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        hub.check()
        sessions.end_expired()


async def _end_revoked(upstream: Upstream, sessions: Sessions) -> None:
    """Ends the streams of sessions whose token the server no longer accepts."""
    while True:
        await asyncio.sleep(REVOCATION_SECONDS)
        by_rights: dict[tuple[str, str, tuple[str, ...]], list[BrowserSession]] = {}
        for session in sessions.streaming:
            rights = (session.secret, session.role, session.robots)
            by_rights.setdefault(rights, []).append(session)
        for alike in by_rights.values():
            if await upstream.is_revoked(alike[0]):
                for session in alike:
                    sessions.end(session)


async def _links(
    options: GatewayOptions, upstream: Upstream, sessions: Sessions, address: str
) -> tuple[tuple[MadeLink, ...], bool]:
    """The first links, and whether the server does not answer yet: it is taken to be the user's.

    Raises:
        ClientError: the gateway's own token is not good for the first link's role.
    """
    is_waiting = False
    try:
        own = await upstream.role_of()
    except NoEntryError as error:
        own = "control"
        is_waiting = isinstance(error, NoAnswerError)
    wanted = [(options.link_role or own, 1)]
    if options.guests:
        wanted.append(("view", options.guests))
    is_encrypted = _identity(options) is not None
    made = []
    for role, uses in wanted:
        if own not in ("control", role):
            raise ClientError(
                f"the token for the server at {options.server} is good to {own} only: a link to "
                f"{role} cannot be made"
            )
        key = sessions.make_link(role, uses=uses)
        made.append(MadeLink(role, url_of(address, key, is_encrypted=is_encrypted), uses))
    return tuple(made), is_waiting


def _outward_host() -> str:
    """The address of this machine in its network; its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # No packet is sent: the kernel chooses the interface.
        return str(probe.getsockname()[0])
    return socket.gethostname()
