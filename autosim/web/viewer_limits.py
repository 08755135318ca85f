"""The limits on what one browser may ask of a gateway, each with its unit and its reason."""

from dataclasses import dataclass

MAX_USES = 1_000
"""Number of browsers that one link may be good for: a large lecture."""


@dataclass(frozen=True, slots=True)
class ViewerLimits:
    """Limits that keep one peer from holding up all others.

    A gateway serves all peers with one thread. An address of the same machine is not limited in its
    connections: it is the user's own, or that of a proxy that stands for many.
    """

    connections: int = 20_000
    """[connections] of all peers at a time: each costs the gateway some 40 kB."""

    host_connections: int = 1_000
    """[connections] of one address: a lecture hall behind one router."""

    session_connections: int = 16
    """[streams] of one session at a time: a page has one or two, and a user several pages."""

    waiting_connections: int = 200
    """[streams] of one address that have not shown a token yet."""

    first_message_seconds: float = 5.0
    """[s] within which a stream has to show its token."""

    stream_message_bytes: int = 16 * 1024
    """[bytes] of a message of a page on the stream: a list of a few hundred watched names."""

    stream_messages_per_second: float = 20.0
    """[messages/s] of a page on the stream, on average; ten times as many at once."""

    participant_messages_per_second: float = 500.0
    """[messages/s] of a program in a page: twice as many as there are steps a second."""

    request_bytes: int = 256 * 1024
    """[bytes] of a request: as many as the server takes."""

    calls_per_second: float = 30.0
    """[calls/s] of one session on average; five times as many at once."""

    session_calls: int = 32
    """[calls] of one session at a time that wait for their answers."""

    entries_per_second: float = 5.0
    """[requests/s] of one address for a session; ten times as many at once. A key has 256 random
    bits, so this protects the processor rather than the key."""

    slow_seconds: float = 10.0
    """[s] for which a viewer may accept nothing before it is dropped."""

    watched_names: int = 256
    """[nodes] that one viewer may watch at a time."""

    watched_bytes: int = 512 * 1024
    """[bytes] of these nodes' values: a large lidar."""

    watched_bytes_per_second: float = 512 * 1024
    """[bytes/s] of watched values of one viewer: large values come less often."""

    watched_hz: float = 10.0
    """[packets/s] of watched values at most: faster than people read."""

    sessions: int = 20_000
    """[sessions] that are open at a time."""

    socket_bytes: int = 32 * 1024
    """[bytes] that the kernel buffers for one viewer: about a second of states. With more, a slow
    viewer would see states that are several seconds old."""


VIEWER_LIMITS = ViewerLimits()


class Budget:
    """A budget that refills with time: a token bucket.

    Args:
        rate: units that come back per second.
        burst: units at most.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left = burst
        self._time: float | None = None

    def spend(self, now: float) -> bool:
        """Takes one unit at `now` (monotonic time [s]); False where none is left."""
        if self._time is not None:
            refill = max(0.0, now - self._time) * self._rate
            self._left = min(self._burst, self._left + refill)
        self._time = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def is_full(self, now: float) -> bool:
        """Whether nothing was spent that has not come back by `now`."""
        return self._time is None or self._left + (now - self._time) * self._rate >= self._burst
