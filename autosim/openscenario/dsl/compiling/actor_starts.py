"""Places and speeds at which the actors of a scenario begin."""

from dataclasses import dataclass

from autosim.openscenario.dsl.values.dsl_values import DslError
from autosim.openscenario.records.position_records import (
    PathPoint,
    Position,
    RelativePoint,
    WorldPoint,
)

PATH_START = 50.0
"""Distance [m] along the path at which actors begin, so that others can begin behind them."""

_BEHIND = 20.0
"""Distance [m] between actors of which the scenario states no place."""

DRIVEN_SPEED, WALKED_SPEED = 13.9, 1.4
"""Speeds [m/s] of a car and of a person for which none is stated: 50 km/h, and a common pace."""


@dataclass(frozen=True, slots=True)
class LaneChoice:
    """A lane: its number from the left, from 1, or a number of lanes to the left of an actor."""

    number: int
    actor: str = ""
    """Name of the actor, "" for an absolute number."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A distance [m] ahead of an actor, negative behind it; of the path's start without one."""

    distance: float
    actor: str = ""
    """Name of the actor."""


@dataclass
class ActorStart:
    """The start of an actor, as far as it is stated.

    `reached` are a place that it reaches and the time [s] until then, from which its speed follows.
    """

    actor: str
    line: int
    """Line of the file."""
    is_person: bool = False
    """Whether it walks."""
    point: WorldPoint | None = None
    """A stated point of the map."""
    lane: LaneChoice | None = None
    """Stated lane."""
    ahead: Ahead | None = None
    """Stated distance ahead of an actor, or along the path."""
    speed: float | None = None
    """Speed [m/s]."""
    reached: tuple[Ahead, float] | None = None

    @property
    def references(self) -> set[str]:
        """Names of the actors relative to which it is placed."""
        stated = (self.lane, self.ahead)
        return {each.actor for each in stated if each is not None and each.actor}


class StartPlan:
    """The starts of all actors.

    Args:
        starts: of the actors, in the order in which they are mentioned.
        lanes: number of lanes that the path has at least.
        length: of the path [m].
    """

    def __init__(self, starts: list[ActorStart], lanes: int, length: float) -> None:
        self._starts = {each.actor: each for each in starts}
        counted = [
            each.lane.number for each in starts if each.lane is not None and not each.lane.actor
        ]
        self._lanes, self._length = max([lanes, 1, *counted]), length
        self._unplaced = 0

    def order(self) -> list[ActorStart]:
        """The starts, those behind others relative to which they are placed.

        Raises:
            DslError: actors are placed relative to each other in a circle.
        """
        found: dict[str, ActorStart] = {}
        rest = dict(self._starts)
        while rest:
            ready = [
                each
                for each in rest.values()
                if not (each.references & (rest.keys() - {each.actor}))
            ]
            if not ready:
                each = next(iter(rest.values()))
                raise DslError(each.line, each.actor, "is placed relative to itself")
            for each in ready[:1]:
                found[each.actor] = rest.pop(each.actor)
        return list(found.values())

    def position(self, start: ActorStart) -> Position:
        """The position of a start.

        Raises:
            DslError: its lane and its place are relative to different actors.
        """
        if start.point is not None:
            return start.point
        lane, ahead = start.lane, start.ahead
        reference = next(iter(start.references), "")
        if len(start.references) > 1:
            reason = "is placed relative to two actors: its lane and its position have to name one"
            raise DslError(start.line, start.actor, reason)
        if reference == start.actor:
            raise DslError(start.line, start.actor, "is placed relative to itself")
        if reference:
            distance = ahead.distance if ahead is not None and ahead.actor else 0.0
            return RelativePoint(
                "lane",
                reference,
                distance,
                lanes=self._lanes_to(lane, reference),
                is_along_lane=True,
            )
        number = 1 if lane is None else lane.number
        distance = PATH_START + (ahead.distance if ahead is not None else 0.0)
        if lane is None and ahead is None:
            distance = PATH_START - _BEHIND * self._unplaced
            self._unplaced += 1
        return PathPoint(self._lanes, self._length, number, max(distance, 0.0))

    def _lanes_to(self, lane: LaneChoice | None, reference: str) -> int:
        """The number of lanes to the left of the reference actor."""
        if lane is None:
            return 0
        if lane.actor:
            return lane.number
        other = self._starts.get(reference)
        if other is None or other.lane is None or other.lane.actor:
            return 1 - lane.number
        return other.lane.number - lane.number

    def speed(self, start: ActorStart, depth: int = 0) -> float:
        """The speed [m/s] of a start: as stated, or such that it reaches its place in time."""
        if start.speed is not None:
            return start.speed
        usual = WALKED_SPEED if start.is_person else DRIVEN_SPEED
        if start.reached is None:
            return usual
        goal, seconds = start.reached
        other = self._starts.get(goal.actor)
        if other is None or depth > len(self._starts):
            return usual
        begins = start.ahead
        is_same = begins is not None and begins.actor == goal.actor
        first = begins.distance if begins is not None and is_same else 0.0
        return max(self.speed(other, depth + 1) + (goal.distance - first) / seconds, 0.0)
