"""Admission: counts the connections of all peers, and finds the session behind a request."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiohttp import web

from autosim.access.server_addresses import is_loopback
from autosim.web.answers import RefusalError, bearer
from autosim.web.sessions import BrowserSession, Sessions
from autosim.web.viewer_limits import Budget, ViewerLimits

_MAX_HOSTS = 10_000
"""Number of addresses whose entries are counted; those that have not tried lately are forgotten."""


class Admission:
    """Decides what each peer may open. Belongs to one event loop.

    Args:
        sessions: those of the gateway.
        limits: of one peer and of all.
        clock: monotonic time [s].
    """

    def __init__(
        self, sessions: Sessions, limits: ViewerLimits, clock: Callable[[], float]
    ) -> None:
        self._sessions = sessions
        self._limits = limits
        self._clock = clock
        self._all = 0
        self._hosts: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._entries: dict[str, Budget] = {}

    def session_of(self, request: web.Request) -> BrowserSession:
        """The session whose token a request shows.

        Raises:
            RefusalError: there is none.
        """
        return self.require_session(bearer(request))

    def require_session(self, token: str) -> BrowserSession:
        """The session of a token.

        Raises:
            RefusalError: there is none.
        """
        session = self._sessions.find(token) if token else None
        if session is None:
            raise RefusalError(401, "the session has ended: open a new link")
        return session

    def count_entry(self, request: web.Request) -> None:
        """Counts an attempt to enter.

        Raises:
            RefusalError: too many come from that address.
        """
        now = self._clock()
        host = request.remote or ""
        if len(self._entries) >= _MAX_HOSTS:
            self._entries = {
                each: budget for each, budget in self._entries.items() if not budget.is_full(now)
            }
        rate = self._limits.entries_per_second
        budget = self._entries.setdefault(host, Budget(rate, 10.0 * rate))
        if not is_loopback(host) and not budget.spend(now):
            raise RefusalError(429, "too many attempts: wait a few seconds")

    @contextmanager
    def connection(self, request: web.Request) -> Iterator[Callable[[], None]]:
        """Counts a stream while it is open; yields what ends its wait for a token.

        Raises:
            RefusalError: there are too many.
        """
        host = request.remote or ""
        limits = self._limits
        is_counted = not is_loopback(host)
        if self._all >= limits.connections:
            raise RefusalError(503, "the gateway has as many viewers as it may have")
        if is_counted and self._hosts[host] >= limits.host_connections:
            raise RefusalError(429, f"your address has {limits.host_connections} connections")
        if is_counted and self._waiting[host] >= limits.waiting_connections:
            raise RefusalError(429, "too many connections of your address have shown no token")
        self._all += 1
        self._hosts[host] += 1
        self._waiting[host] += 1
        is_waiting = True

        def has_shown_token() -> None:
            nonlocal is_waiting
            if is_waiting:
                is_waiting = False
                _subtract(self._waiting, host)

        try:
            yield has_shown_token
        finally:
            has_shown_token()
            self._all -= 1
            _subtract(self._hosts, host)

    @contextmanager
    def stream_of(self, session: BrowserSession, end: Callable[[], None]) -> Iterator[None]:
        """Counts a stream of a session while it is open; `end` closes it with the session.

        Raises:
            RefusalError: the session has too many.
        """
        most = self._limits.session_connections
        if session.connections >= most:
            raise RefusalError(429, f"this session has {most} streams already")
        session.connections += 1
        session.on_end.append(end)
        try:
            yield
        finally:
            session.connections -= 1
            session.on_end.remove(end)

    @contextmanager
    def call_of(self, session: BrowserSession) -> Iterator[None]:
        """Counts a call of a session while it lasts.

        Raises:
            RefusalError: it makes too many.
        """
        if session.calls >= self._limits.session_calls or not session.budget.spend(self._clock()):
            raise RefusalError(429, "too many calls: wait a moment")
        session.calls += 1
        try:
            yield
        finally:
            session.calls -= 1


def _subtract(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
