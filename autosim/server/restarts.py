"""When a user program that failed is started again.

The first failure costs a second, the next one two. After three failures within a minute the
program stays stopped. All times are simulated, so that a run with restarts is repeatable too.
"""

FIRST_DELAY = 1.0
"""Seconds until the first restart; each further one within the minute takes twice as long."""

WINDOW = 60.0
MOST_FAILURES = 3


class Restarts:
    """The failures of programs, by their robots, and what is to be started again."""

    def __init__(self) -> None:
        self._failures: dict[str, list[float]] = {}
        self._due: dict[str, float] = {}

    def fail(self, robot: str, time: float) -> float | None:
        """Counts a failure at `time` [s].

        Returns:
            in how many seconds the program is started again; None: it stays stopped.
        """
        recent = [each for each in self._failures.get(robot, ()) if time - each < WINDOW]
        self._failures[robot] = [*recent, time]
        if len(recent) + 1 >= MOST_FAILURES:
            return None
        delay = FIRST_DELAY * 2.0 ** len(recent)
        self._due[robot] = time + delay
        return delay

    def take_due(self, time: float) -> list[str]:
        """The robots whose programs are to be started now; each is told once."""
        due = [robot for robot, at in self._due.items() if at <= time]
        for robot in due:
            del self._due[robot]
        return due

    def forget(self, robot: str) -> None:
        """Somebody has taken the program in hand: its failures do not count, no start is due."""
        self._failures.pop(robot, None)
        self._due.pop(robot, None)
