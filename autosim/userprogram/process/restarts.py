"""When a user program that failed is started again.

All times are simulated, so that a run with restarts is repeatable, too.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """Limit on restarts of a failing program."""

    first_delay: float = 1.0
    """Time [s] until the first restart; each further one within the window takes twice as long."""

    window: float = 60.0
    """Failures longer ago than this [s] do not count: the program has done its work since."""

    most_failures: int = 3
    """Number of failures in the window after which the program stays stopped: a fault that comes
    back so often does not go away by itself."""


POLICY = RestartPolicy()


def explain_restart(delay: float | None) -> str:
    """Puts the answer of `Restarts.fail` into words."""
    if delay is None:
        return f"has failed {POLICY.most_failures} times in {POLICY.window:g} s: it stays stopped"
    return f"is started again in {delay:g} s"


class Restarts:
    """The failures of programs by their robots, and which programs are due to start again."""

    def __init__(self) -> None:
        self._failures: dict[str, list[float]] = {}
        self._due: dict[str, float] = {}

    def fail(self, robot: str, time: float) -> float | None:
        """Counts a failure at `time` [s].

        Returns:
            in how many seconds the program is started again; None where it stays stopped.
        """
        recent = [each for each in self._failures.get(robot, ()) if time - each < POLICY.window]
        self._failures[robot] = [*recent, time]
        if len(recent) + 1 >= POLICY.most_failures:
            return None
        delay = POLICY.first_delay * 2.0 ** len(recent)
        self._due[robot] = time + delay
        return delay

    def take_due(self, time: float) -> list[str]:
        """The robots whose programs are to be started now; each is named once."""
        due = [robot for robot, at in self._due.items() if at <= time]
        for robot in due:
            del self._due[robot]
        return due

    def is_due(self, robot: str) -> bool:
        """Whether the program of a robot is started again later."""
        return robot in self._due

    def forget(self, robot: str) -> None:
        """Forgets the failures of a program that is started or stopped by hand, and its restart."""
        self._failures.pop(robot, None)
        self._due.pop(robot, None)
