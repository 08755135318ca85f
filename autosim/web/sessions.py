"""Links that open sessions, and sessions: who may do what through a gateway, for how long.

A link holds a key that is good for a few minutes and, by default, for one browser. The browser
exchanges it for the token of a session, which it shows with each request. Neither is a cookie, so
no other site can use it. Only digests are kept.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from autosim.web.viewer_limits import VIEWER_LIMITS, Budget, ViewerLimits

LINK_SECONDS = 600.0
"""Validity [s] of a link that is not used."""

SESSION_SECONDS = 12 * 3600.0
"""Validity [s] of a session: a working day."""

MAX_LINKS = 1_000
"""Number of links that are good at a time."""

_KEY_BYTES = 32
"""Number of random bytes of keys and tokens."""


class NoEntryError(Exception):
    """A key or token opens nothing; the message says why."""


class NoAnswerError(NoEntryError):
    """The server does not answer, so what a token is good for is not known yet."""


@dataclass(eq=False, slots=True)
class BrowserSession:
    """A browser that has entered.

    `secret` is the token for the gRPC server, "" for the gateway's own one. `robots` are those that
    a session to drive may drive. `connections` and `calls`: open ones.

    Attributes:
        expires: time [s] at which the session ends, on the gateway's clock.
        budget: requests that it may still send.
        on_end: called when the session ends, to close its connections.
        role: rights of the session, such as `drive`.
    """

    role: str
    secret: str
    robots: tuple[str, ...]
    expires: float
    budget: Budget
    connections: int = 0
    calls: int = 0
    on_end: list[Callable[[], None]] = field(default_factory=list)


@dataclass(slots=True)
class _Link:
    role: str
    robots: tuple[str, ...]
    expires: float
    uses: int


class Sessions:
    """All links and sessions of one gateway.

    Args:
        limits: on their number.
        clock: time [s] that never goes back.
    """

    def __init__(
        self, limits: ViewerLimits = VIEWER_LIMITS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._links: dict[bytes, _Link] = {}
        self._sessions: dict[bytes, BrowserSession] = {}

    def make_link(self, role: str, *, robots: tuple[str, ...] = (), uses: int = 1) -> str:
        """A new key for `uses` browsers.

        Args:
            role: of the sessions that it opens.
            robots: that they may drive; of a role to drive.
            uses: number of sessions.

        Raises:
            NoEntryError: there are too many links already.
        """
        now = self._clock()
        self._links = {key: each for key, each in self._links.items() if each.expires > now}
        if len(self._links) >= MAX_LINKS:
            raise NoEntryError("too many links are open: wait until some have expired")
        key = secrets.token_urlsafe(_KEY_BYTES)
        self._links[_digest(key)] = _Link(role, robots, now + LINK_SECONDS, uses)
        return key

    def use_link(self, key: str) -> tuple[str, tuple[str, ...]]:
        """The role and the robots that a key is good for; one use of it is gone.

        Raises:
            NoEntryError: it is unknown, used or expired.
        """
        digest = _digest(key)
        link = self._links.get(digest)
        if link is None or link.expires <= self._clock():
            self._links.pop(digest, None)
            raise NoEntryError(
                "this link was used already, or has expired: ask for another one where it came from"
            )
        link.uses -= 1
        if link.uses <= 0:
            del self._links[digest]
        return link.role, link.robots

    def open(self, role: str, *, secret: str = "", robots: tuple[str, ...] = ()) -> str:
        """The token of a new session.

        Raises:
            NoEntryError: there are too many already.
        """
        now = self._clock()
        if len(self._sessions) >= self._limits.sessions:
            self._drop_expired(now)
        if len(self._sessions) >= self._limits.sessions:
            raise NoEntryError("too many sessions are open: try again later")
        token = secrets.token_urlsafe(_KEY_BYTES)
        rate = self._limits.calls_per_second
        budget = Budget(rate, 5.0 * rate)
        self._sessions[_digest(token)] = BrowserSession(
            role, secret, robots, now + SESSION_SECONDS, budget
        )
        return token

    def find(self, token: str) -> BrowserSession | None:
        """The session of a token; None where there is none, or no longer."""
        digest = _digest(token)
        session = self._sessions.get(digest)
        if session is not None and session.expires <= self._clock():
            self._end(self._sessions.pop(digest))
            return None
        return session

    @property
    def streaming(self) -> tuple[BrowserSession, ...]:
        """The sessions that have streams."""
        return tuple(each for each in self._sessions.values() if each.connections)

    def end(self, session: BrowserSession) -> None:
        """Ends a session and its streams."""
        for digest in [key for key, each in self._sessions.items() if each is session]:
            self._end(self._sessions.pop(digest))

    def end_expired(self) -> None:
        """Ends the streams of sessions that have expired."""
        self._drop_expired(self._clock())

    def _drop_expired(self, now: float) -> None:
        for digest in [key for key, each in self._sessions.items() if each.expires <= now]:
            self._end(self._sessions.pop(digest))

    def _end(self, session: BrowserSession) -> None:
        for end in list(session.on_end):
            end()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
