"""The gateway as an HTTP application: pages, sessions, calls, streams."""

import gzip
import hmac
from collections.abc import Callable
from dataclasses import dataclass

import grpc
from aiohttp import web

from autosim.client.link.server_tokens import ROLES
from autosim.web.admission import Admission
from autosim.web.answers import (
    JSON,
    RefusalError,
    as_json,
    bearer,
    read_json,
    require_own_origin,
    with_headers,
)
from autosim.web.connect_protocol import (
    STREAM_TYPE,
    UNARY_TYPE,
    envelope,
    error_body,
    error_status,
    last_envelope,
    single_message,
    timeout_seconds,
)
from autosim.web.page_files import PageFile
from autosim.web.sessions import SESSION_SECONDS, BrowserSession, NoEntryError, Sessions
from autosim.web.streaming.streams import Streams
from autosim.web.streaming.viewers import ViewerHub
from autosim.web.upstream import ANSWER_STREAMS, UNARY, CallError, Upstream
from autosim.web.viewer_limits import MAX_USES, ViewerLimits
from autosim.web.world_files_process import MANIFEST, NoFilesError, WorldFilesProcess

_OF_SESSION = "private, max-age=31536000, immutable"
"""Caching of files that never change, in the browser of the session alone."""

_CALL_SECONDS = 60.0
"""Longest time [s] that a call may take."""

_COMPRESSED_BYTES = 2_000
"""Smallest answer [bytes] that is compressed: the description of a world is, a status is not."""


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """The parts of an application; `owner` is the key that makes links, for the user's commands.

    `page` are the files of the page by their path.

    Attributes:
        hub: state stream of the server, encoded once for all viewers.
        upstream: connections to the gRPC server.
        sessions: browsers that have entered.
        limits: limits for each viewer.
        clock: monotonic time [s].
    """

    hub: ViewerHub
    upstream: Upstream
    sessions: Sessions
    page: dict[str, PageFile]
    files: WorldFilesProcess
    owner: str
    limits: ViewerLimits
    clock: Callable[[], float]


class Application:
    """The handlers of all requests."""

    def __init__(self, parts: GatewayParts) -> None:
        self._parts = parts
        self._admission = Admission(parts.sessions, parts.limits, parts.clock)
        self._streams = Streams(
            parts.hub, parts.upstream, self._admission, parts.limits, parts.clock
        )

    def made(self) -> web.Application:
        """The application for aiohttp."""
        application = web.Application(
            middlewares=[with_headers], client_max_size=self._parts.limits.request_bytes
        )
        add = application.router
        add.add_post("/api/enter", self._enter)
        add.add_post("/api/link", self._link)
        add.add_post("/autosim.v1.Simulator/{method}", self._call)
        add.add_get("/stream", self._streams.view)
        add.add_get("/participate", self._streams.participate)
        add.add_get("/world/{path:.*}", self._world_file)
        add.add_get("/models/{path:.*}", self._world_file)
        add.add_get("/healthz", self._health)
        add.add_get("/{path:.*}", self._file)
        return application

    async def _health(self, request: web.Request) -> web.StreamResponse:
        """Answers load balancers."""
        return web.Response(text="ok\n")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file of the page."""
        file = self._parts.page.get(request.path)
        if file is None:
            raise RefusalError(404, "there is no such page")
        encoding, body = file.body(request.headers.get("Accept-Encoding", ""))
        tag = f'"{file.digest}{encoding and "-" + encoding}"'
        headers = {"Cache-Control": file.caching, "ETag": tag, "Vary": "Accept-Encoding"}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = file.content_type
        if encoding:
            headers["Content-Encoding"] = encoding
        return web.Response(body=body, headers=headers)

    async def _world_file(self, request: web.Request) -> web.StreamResponse:
        """The manifest, or a file that it names; for sessions only."""
        self._admission.session_of(request)
        try:
            file = await self._parts.files.file(request.path)
        except NoFilesError as error:
            raise RefusalError(503, str(error)) from error
        if file is None:
            raise RefusalError(404, "the world has no such file")
        tag = f'"{file.digest}"'
        caching = "no-cache" if request.path == MANIFEST else _OF_SESSION
        headers = {"Cache-Control": caching, "ETag": tag, "Vary": "Accept-Encoding"}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = file.media_type
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return web.Response(body=file.content, headers=headers)
        return web.Response(body=gzip.decompress(file.content), headers=headers)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Exchanges the key of a link, or a token of the server, for the token of a session."""
        require_own_origin(request)
        self._admission.count_entry(request)
        content = await read_json(request)
        key, token = content.get("key"), content.get("token")
        sessions = self._parts.sessions
        try:
            if isinstance(key, str):
                role, robots = sessions.use_link(key)
                robots = robots or (self._robots(None) if role == "drive" else ())
                opened = sessions.open(role, robots=robots)
            elif isinstance(token, str) and token:
                role, robots = await self._parts.upstream.role_of(token), ()
                opened = sessions.open(role, secret=token)
            else:
                raise RefusalError(400, "expected a key or a token")
        except NoEntryError as error:
            raise RefusalError(401, str(error)) from error
        return as_json(
            {"token": opened, "role": role, "robots": list(robots), "seconds": SESSION_SECONDS}
        )

    async def _link(self, request: web.Request) -> web.StreamResponse:
        """Makes another link, for those who may control, and for the user's own commands."""
        require_own_origin(request)
        shown = bearer(request)
        if not hmac.compare_digest(shown.encode(), self._parts.owner.encode()):
            session = self._admission.require_session(shown)
            if session.role != "control":
                raise RefusalError(403, "links are made with the role control")
            if not session.budget.spend(self._parts.clock()):
                raise RefusalError(429, "too many calls: wait a moment")
        content = await read_json(request)
        role, uses = content.get("role", "view"), content.get("uses", 1)
        if role not in ROLES:
            raise RefusalError(400, f"role is one of {', '.join(ROLES)}")
        if not isinstance(uses, int) or not 0 < uses <= MAX_USES:
            raise RefusalError(400, f"uses is a number from 1 to {MAX_USES}")
        robots = self._robots(content.get("robots")) if role == "drive" else ()
        try:
            await self._parts.upstream.check_link(str(role))
            key = self._parts.sessions.make_link(str(role), robots=robots, uses=uses)
        except NoEntryError as error:
            raise RefusalError(409, str(error)) from error
        return as_json({"key": key, "role": role, "robots": list(robots)})

    def _robots(self, wanted: object) -> tuple[str, ...]:
        """The robots that a link is good to drive: those that are named, or all."""
        tree = self._parts.hub.tree
        there = () if tree is None else tuple(node.name for node in tree.robots)
        if wanted is None:
            return there
        if not isinstance(wanted, list) or not set(map(str, wanted)) <= set(there):
            raise RefusalError(400, f"robots are some of {', '.join(there)}")
        return tuple(map(str, wanted))

    async def _call(self, request: web.Request) -> web.StreamResponse:
        """Forwards a call to the server, with the role of the session."""
        require_own_origin(request)
        session = self._admission.session_of(request)
        with self._admission.call_of(session):
            try:
                return await self._answer(request, session)
            except CallError as error:
                body = error_body(error.code, error.reason)
                return web.Response(body=body, status=error_status(error.code), content_type=JSON)

    async def _answer(self, request: web.Request, session: BrowserSession) -> web.StreamResponse:
        method = request.match_info["method"]
        body = await request.read()
        try:
            seconds = timeout_seconds(request.headers.get("Connect-Timeout-Ms"), _CALL_SECONDS)
            if method in ANSWER_STREAMS and request.content_type == STREAM_TYPE:
                return await self._answer_parts(request, method, single_message(body), session)
        except ValueError as error:
            raise CallError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
        if method not in UNARY:
            raise CallError(
                grpc.StatusCode.UNIMPLEMENTED, f"'{method}' is not a call with one answer"
            )
        if request.content_type != UNARY_TYPE:
            raise RefusalError(415, f"the request is not {UNARY_TYPE}")
        answer = await self._parts.upstream.call(method, body, session, seconds)
        response = web.Response(
            body=answer, content_type=UNARY_TYPE, headers={"Cache-Control": "no-store"}
        )
        if len(answer) >= _COMPRESSED_BYTES:
            response.enable_compression()
        return response

    async def _answer_parts(
        self, request: web.Request, method: str, message: bytes, session: BrowserSession
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": STREAM_TYPE})
        await response.prepare(request)
        try:
            async for part in self._parts.upstream.stream(method, message, session):
                await response.write(envelope(part))
            await response.write(last_envelope())
        except CallError as error:
            await response.write(last_envelope((error.code, error.reason)))
        return response
