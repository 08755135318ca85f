"""Answers over HTTP: the rules for browsers in their headers, and the form of refusals."""

import json
from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_POLICY = "; ".join(
    (
        "default-src 'self'",
        # The decoder of compressed meshes is WebAssembly.
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' blob: data:",
        "connect-src 'self' blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
"""Headers of every answer."""

JSON = "application/json"

_MAX_REASON = 120
"""Bytes of the reason with which a WebSocket is closed, at most 123 (RFC 6455)."""


class RefusalError(Exception):
    """A request that is refused: the status of HTTP, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@web.middleware
async def with_headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuses in JSON, and adds `HEADERS` to answers that are not sent yet."""
    try:
        answer = await handler(request)
    except RefusalError as refusal:
        answer = as_json({"error": refusal.reason}, refusal.status)
    except web.HTTPException as error:
        answer = as_json({"error": error.reason}, error.status)
    if not answer.prepared:
        answer.headers.update(HEADERS)
    return answer


def as_json(content: dict[str, object], status: int = 200) -> web.Response:
    """An answer in JSON that no cache keeps."""
    body = json.dumps(content)
    return web.Response(
        text=body, status=status, content_type=JSON, headers={"Cache-Control": "no-store"}
    )


def require_own_origin(request: web.Request) -> None:
    """Refuses what a page of another site has sent.

    Browsers name the site in each such request; programs that are not browsers need not.

    Raises:
        RefusalError: another site has sent it.
    """
    origin = request.headers.get("Origin")
    if origin is None:
        return
    _, _, place = origin.partition("://")
    if not place or place.lower() != request.host.lower():
        raise RefusalError(403, "a page of another site has sent this")


def bearer(request: web.Request) -> str:
    """The token that a request shows, "" for none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def read_json(request: web.Request) -> dict[str, object]:
    """The JSON object that a request holds.

    Raises:
        RefusalError: it holds something else.
    """
    if request.content_type != JSON:
        raise RefusalError(415, f"the request is not {JSON}")
    try:
        content = json.loads(await request.read())
    except (ValueError, RecursionError) as error:
        raise RefusalError(400, "the request is not JSON") from error
    if not isinstance(content, dict):
        raise RefusalError(400, "the request is not a JSON object")
    return content


def close_reason(text: str) -> bytes:
    """`text` as the reason with which a WebSocket is closed."""
    encoded = text.encode()
    if len(encoded) <= _MAX_REASON:
        return encoded
    cut = encoded[: _MAX_REASON - 3].decode("utf-8", "ignore")
    return cut.encode() + "…".encode()
