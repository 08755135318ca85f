"""Extra time for the first turns of programs that run elsewhere."""

import time
from collections.abc import Callable

from autosim.access.server_addresses import host_of
from autosim.engine.peer_limits import LIMITS


class FirstTurns:
    """Grants the time that programs from elsewhere may take for their first turn.

    Once in `LIMITS.first_turn_interval_seconds` for each robot, and for each host until the first
    turn of the first of its programs would be over: a program that joins again and again, or for
    one robot after the other, delays the step no longer than one that stays.

    Args:
        clock: gives a monotonic time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[tuple[str, str], float] = {}

    def seconds_for(self, robot: str, peer: str) -> float:
        """Time [s] that a program may take for its first turn beyond its deadline.

        Args:
            robot: name of its robot.
            peer: its address, as gRPC names it.
        """
        now = self._clock()
        of_robot, of_host = ("robot", robot), ("host", host_of(peer))
        recent = {
            key: begun
            for key, begun in self._begun.items()
            if now - begun < LIMITS.first_turn_interval_seconds
        }
        if of_robot in recent:
            return 0.0
        self._begun = {of_host: now, **recent, of_robot: now}
        return max(0.0, self._begun[of_host] + LIMITS.first_turn_seconds - now)
