"""Compiles the modifiers of `drive` and `walk` to the start of an actor and to actions."""

from collections.abc import Callable
from dataclasses import dataclass

from autosim.openscenario.dsl.compiling.act_drafts import ActDraft
from autosim.openscenario.dsl.compiling.actor_starts import ActorStart, Ahead, LaneChoice
from autosim.openscenario.dsl.compiling.event_conditions import actor_of, scalar, word_of
from autosim.openscenario.dsl.parsing.dsl_expressions import DslArgument, DslExpression
from autosim.openscenario.dsl.parsing.dsl_tree import DslModifier
from autosim.openscenario.dsl.values.dsl_evaluation import evaluate
from autosim.openscenario.dsl.values.dsl_scope import DslScope
from autosim.openscenario.dsl.values.dsl_values import DslError, kind_of, not_executed
from autosim.openscenario.records.action_records import (
    DynamicLimits,
    Dynamics,
    KeepDistance,
    LaneChange,
    ReachDistance,
    SetLaneOffset,
    SpeedChange,
    SpeedTarget,
)

GAIN, BRAKING = 3.0, 4.0
"""Changes of speed [m/s²] between phases: those of a brisk driver, since the file states none."""

_LANE_CHANGE = 4.0
"""Duration [s] of a lane change at most: that of drivers on motorways."""

_FASTEST = 1000.0
"""Speed [m/s] beyond all vehicles, towards which one accelerates without an end."""


@dataclass(frozen=True, slots=True)
class DriveContext:
    """A `drive` or `walk` that is compiled.

    `seconds` is its duration, None where it is not known; `start` receives where the actor begins,
    or is put at the start of a later phase.
    """

    actor: str
    """Name of the actor."""
    scope: DslScope
    """Names that its expressions use."""
    act: ActDraft
    """Receives the actions."""
    seconds: float | None
    start: ActorStart
    is_first: bool
    """Whether it is the first phase of the actor."""


class _Arguments:
    """The arguments of a modifier, each of which is taken once."""

    def __init__(self, modifier: DslModifier) -> None:
        self._modifier = modifier
        self._named = {each.name: each.value for each in modifier.arguments if each.name}
        self._placed = [each.value for each in modifier.arguments if not each.name]

    def take(self, *names: str) -> DslExpression | None:
        """The argument of one of the names, or None."""
        for name in names:
            if name in self._named:
                return self._named.pop(name)
        return None

    def main(self, *names: str) -> DslExpression | None:
        """The argument of one of the names, else the first one without a name."""
        found = self.take(*names)
        return self._placed.pop(0) if found is None and self._placed else found

    def need(self, *names: str) -> DslExpression:
        """As `main`.

        Raises:
            DslError: it is missing.
        """
        found = self.main(*names)
        if found is None:
            raise DslError(self._modifier.line, self._modifier.name, f"takes {names[0]}")
        return found

    def end(self) -> None:
        """Refuses arguments that nothing has taken.

        Raises:
            DslError: there is one.
        """
        name = next(iter(self._named), "")
        if name or self._placed:
            what = f"the argument '{name}'" if name else "an argument without a name"
            raise not_executed(self._modifier.line, self._modifier.name, f"{what} is not executed")


def apply_modifier(modifier: DslModifier, drive: DriveContext) -> None:
    """Adds the actions of a modifier, or what it states of the actor's start.

    Raises:
        DslError: it is faulty, or not executed.
    """
    compile_ = _MODIFIERS.get(modifier.name)
    if compile_ is None:
        raise not_executed(modifier.line, modifier.name, "is not a modifier that is executed")
    arguments = _Arguments(modifier)
    at = _at(arguments, modifier)
    compile_(arguments, at, modifier, drive)
    arguments.end()


def _at(arguments: _Arguments, modifier: DslModifier) -> str:
    """The point in time of a modifier: start, end, or all."""
    stated = arguments.take("at")
    word = "all" if stated is None else word_of(stated)
    if word not in ("start", "end", "all"):
        raise not_executed(modifier.line, modifier.name, "takes at: start, end or all")
    return word


def _actor(expression: DslExpression | None, drive: DriveContext, what: str) -> str:
    return "" if expression is None else actor_of(expression, drive.scope, what).name


def _quantity(
    expression: DslExpression, drive: DriveContext, type_: str, modifier: DslModifier
) -> float:
    return scalar(expression, drive.scope, type_, modifier.name)


def _whole(expression: DslExpression, drive: DriveContext, modifier: DslModifier) -> int:
    value = drive.scope.draws.one_of(evaluate(expression, drive.scope))
    if not isinstance(value, int) or isinstance(value, bool):
        raise DslError(modifier.line, modifier.name, f"takes a whole number, not {kind_of(value)}")
    return value


# ---- speed


def change_to(speed: SpeedTarget, seconds: float | None, rate: float = GAIN) -> SpeedChange:
    """A change of speed over a duration [s], or at a rate [m/s²] where none is known."""
    if seconds is not None and seconds > 0.0:
        return SpeedChange(Dynamics("linear", "time", seconds), speed)
    return SpeedChange(Dynamics("linear", "rate", rate), speed)


def _speed(arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext) -> None:
    same = arguments.take("same_as")
    faster, slower = arguments.take("faster_than"), arguments.take("slower_than")
    reference = _actor(same or faster or slower, drive, modifier.name)
    value = 0.0
    if same is None:
        value = _quantity(arguments.need("speed"), drive, "speed", modifier)
    if slower is not None:
        value = -value
    if not reference and value < 0.0:
        raise DslError(modifier.line, modifier.name, "is negative")
    rate, at_once = arguments.take("rate"), arguments.take("at_once") is not None
    if drive.is_first and not reference and at != "end":
        drive.start.speed = value
        return
    target = SpeedTarget(
        "delta" if reference else "absolute", value, reference, bool(reference) and at == "all"
    )
    seconds = drive.seconds if at == "end" else None
    action = change_to(target, seconds)
    if at_once:
        action = SpeedChange(Dynamics("step", "time", 0.0), target)
    elif rate is not None:
        peak = abs(_quantity(rate, drive, "acceleration", modifier))
        action = change_to(target, None, peak or GAIN)
    drive.act.add(action, modifier.name, modifier.line)


def _change_speed(
    arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext
) -> None:
    del at
    value = _quantity(arguments.need("speed"), drive, "speed", modifier)
    target = SpeedTarget("delta", value, drive.actor)
    drive.act.add(change_to(target, drive.seconds), modifier.name, modifier.line)


def _acceleration(
    arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext
) -> None:
    del at
    value = _quantity(arguments.need("acceleration"), drive, "acceleration", modifier)
    target = SpeedTarget("absolute", _FASTEST if value > 0.0 else 0.0)
    if value:
        action = change_to(target, None, abs(value))
        drive.act.add(action, modifier.name, modifier.line)


def _keep(arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext) -> None:
    """Keeps lane and speed, which actors do without an action."""
    del arguments, at, modifier, drive


# ---- lanes


def _lane(arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext) -> None:
    choice = _lane_choice(arguments, modifier, drive)
    if at == "start" or (drive.is_first and at == "all"):
        drive.start.lane = choice
    else:
        drive.act.add(_change(choice, drive), modifier.name, modifier.line)


def _change(choice: LaneChoice, drive: DriveContext) -> LaneChange:
    seconds = _LANE_CHANGE if drive.seconds is None else min(drive.seconds, _LANE_CHANGE)
    return LaneChange(
        Dynamics("sinusoidal", "time", seconds),
        choice.number,
        choice.actor or None,
        is_counted=not choice.actor,
    )


def _lane_choice(arguments: _Arguments, modifier: DslModifier, drive: DriveContext) -> LaneChoice:
    sides = {"left_of": 1, "right_of": -1, "same_as": 0}
    for name, sign in sides.items():
        reference = arguments.take(name)
        if reference is None:
            continue
        stated = arguments.main("lane") if sign else None
        count = 1 if stated is None else _whole(stated, drive, modifier)
        return LaneChoice(sign * count, _actor(reference, drive, modifier.name))
    side_of = arguments.take("side_of")
    if side_of is not None:
        sign = _side(arguments, modifier)
        stated = arguments.main("lane")
        count = 1 if stated is None else _whole(stated, drive, modifier)
        return LaneChoice(sign * count, _actor(side_of, drive, modifier.name))
    number = _whole(arguments.need("lane"), drive, modifier)
    if number < 1:
        raise DslError(modifier.line, modifier.name, "counts lanes from 1, from the left")
    return LaneChoice(number)


def _side(arguments: _Arguments, modifier: DslModifier) -> int:
    word = word_of(arguments.need("side"))
    if word not in ("left", "right"):
        raise DslError(modifier.line, modifier.name, "takes side: left or right")
    return 1 if word == "left" else -1


def _change_lane(
    arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext
) -> None:
    del at
    stated = arguments.main("lane_changes", "num_of_lanes")
    count = 1 if stated is None else _whole(stated, drive, modifier)
    choice = LaneChoice(count * _side(arguments, modifier), drive.actor)
    drive.act.add(_change(choice, drive), modifier.name, modifier.line)


def _lateral(arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext) -> None:
    if at == "start" and not drive.is_first:
        raise not_executed(modifier.line, modifier.name, "at the start of a later phase")
    line = arguments.take("line")
    if line is not None and word_of(line) != "center":
        raise not_executed(modifier.line, modifier.name, "from lines other than the center")
    offset = _quantity(arguments.need("distance"), drive, "length", modifier)
    action = SetLaneOffset("sinusoidal", None, offset, None, is_continuous=False)
    drive.act.add(action, modifier.name, modifier.line)


# ---- places


def _position(arguments: _Arguments, at: str, modifier: DslModifier, drive: DriveContext) -> None:
    ahead_of, behind = arguments.take("ahead_of"), arguments.take("behind")
    if arguments.take("time") is not None:
        raise not_executed(modifier.line, modifier.name, "by a time: state a distance")
    distance = _quantity(arguments.need("distance"), drive, "length", modifier)
    reference = _actor(ahead_of or behind, drive, modifier.name)
    goal = Ahead(-distance if behind is not None else distance, reference)
    if at == "start" or (drive.is_first and at == "all"):
        drive.start.ahead = goal
    if at == "start":
        return
    if not reference:
        raise not_executed(modifier.line, modifier.name, "later than at the start takes an actor")
    if at == "end":
        if not drive.seconds:
            raise DslError(modifier.line, modifier.name, "at: end takes a duration of the phase")
        drive.start.reached = goal, drive.seconds
        action: ReachDistance | KeepDistance = ReachDistance(
            reference, goal.distance, drive.seconds
        )
    else:
        action = _kept_distance(goal)
    drive.act.add(action, modifier.name, modifier.line)


def _kept_distance(goal: Ahead) -> KeepDistance:
    side = "leadingReferencedEntity" if goal.distance > 0.0 else "trailingReferencedEntity"
    limits = DynamicLimits(GAIN, BRAKING)
    return KeepDistance(goal.actor, abs(goal.distance), None, False, True, "road", side, limits)


_Compile = Callable[[_Arguments, str, DslModifier, DriveContext], None]

_MODIFIERS: dict[str, _Compile] = {
    "speed": _speed,
    "change_speed": _change_speed,
    "acceleration": _acceleration,
    "keep_speed": _keep,
    "keep_lane": _keep,
    "lane": _lane,
    "change_lane": _change_lane,
    "lateral": _lateral,
    "position": _position,
}
"""Modifiers of movements that are executed."""


def is_endless(act: ActDraft) -> bool:
    """Whether an action of an act has no end."""
    contents = [each.content for each in act.actions]
    return any(
        isinstance(each, KeepDistance)
        or (
            isinstance(each, SpeedChange)
            and (each.target.is_continuous or each.target.value >= _FASTEST)
        )
        for each in contents
    )


def duration_of(arguments: tuple[DslArgument, ...], scope: DslScope, what: str) -> float | None:
    """The duration [s] that the arguments of a behaviour state, or None.

    Raises:
        DslError: it is not a positive time.
    """
    stated = next((each.value for each in arguments if each.name == "duration"), None)
    if stated is None:
        return None
    seconds = scalar(stated, scope, "time", what)
    if seconds <= 0.0:
        raise DslError(stated.line, what, "takes a duration of more than 0 s")
    return seconds
