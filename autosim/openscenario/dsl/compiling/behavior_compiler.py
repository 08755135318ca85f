"""Compiles the behaviour of a scenario: each behaviour that has an end becomes an act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autosim.openscenario.dsl.compiling.act_drafts import (
    ActDraft,
    Group,
    condition,
    has_lasted,
    is_over,
    is_running,
)
from autosim.openscenario.dsl.compiling.actor_starts import ActorStart
from autosim.openscenario.dsl.compiling.drive_modifiers import (
    DriveContext,
    apply_modifier,
    duration_of,
    is_endless,
)
from autosim.openscenario.dsl.compiling.event_conditions import EventConditions
from autosim.openscenario.dsl.compiling.movement_actions import ASSIGNED, modifier_of
from autosim.openscenario.dsl.compiling.scenario_modifiers import (
    apply_scenario_modifier,
    point_of,
)
from autosim.openscenario.dsl.compiling.story_draft import StoryDraft, is_person
from autosim.openscenario.dsl.dsl_symbols import Declared, Report
from autosim.openscenario.dsl.parsing.dsl_expressions import DslArgument
from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslBehavior,
    DslComposition,
    DslDo,
    DslEmit,
    DslInvocation,
    DslMethodCall,
    DslModifier,
    DslOn,
    DslUntil,
    DslWait,
    DslWith,
)
from autosim.openscenario.dsl.standard_names import DOMAIN_TYPES
from autosim.openscenario.dsl.values.dsl_evaluation import (
    check_type,
    evaluate,
    is_actor,
    value_of,
)
from autosim.openscenario.dsl.values.dsl_scope import DslScope
from autosim.openscenario.dsl.values.dsl_values import ActorValue, DslError, not_executed
from autosim.openscenario.records.condition_records import HasStarted
from autosim.openscenario.records.position_records import WorldPoint

MOVEMENTS = ("drive", "walk", "move")
"""Actions of the domain model that are executed."""

_MAX_CALLS = 20
"""Number of scenarios at most that invoke one another."""


@dataclass(frozen=True, slots=True)
class DslPhase:
    """A part of the time of a scenario.

    `start` are the conditions of its start, none for that of the scenario; `stops` groups of
    conditions that end it before its own end; `guards` hold while the phases around it last.
    """

    start: Group = ()
    stops: tuple[Group, ...] = ()
    guards: Group = ()
    seconds: float | None = None
    """Duration [s], None where it is not known."""
    label: str = ""
    """Label of the phase around it."""
    is_first: bool = True
    """Whether it starts with the scenario."""


class BehaviorCompiler:
    """Compiles behaviours into a draft.

    Args:
        draft: receives the acts and actors.
        report: receives faults and refusals.
        outer: the global scope.
    """

    def __init__(self, draft: StoryDraft, report: Report, outer: DslScope) -> None:
        self._draft, self._report, self._outer = draft, report, outer
        self._points: dict[str, WorldPoint] = {}
        self._own: dict[int, ActorValue] = {}
        self.scopes: list[DslScope] = []
        self._compilers: dict[type, Callable[..., Group]] = {
            DslComposition: self._composition,
            DslInvocation: self._invocation,
            DslWait: self._wait,
            DslEmit: self._emit,
            DslMethodCall: self._method_call,
        }

    def scenario(self, declared: Declared, scope: DslScope, phase: DslPhase) -> Group:
        """Compiles the members of a scenario; gives the conditions that hold when it is over."""
        self.scopes.append(scope)
        behaviors: list[DslBehavior] = []
        for each in scope.symbols.members(declared):
            if isinstance(each, DslModifier):
                self._modify(each, scope)
            elif isinstance(each, DslOn):
                self._refuse(scope, not_executed(each.line, "on"))
            elif isinstance(each, DslDo):
                behaviors.append(each.behavior)
        if len(behaviors) != 1:
            line, name = declared.type.line, declared.type.name
            reason = f"has {len(behaviors)} behaviours: expected one 'do'"
            self._refuse(scope, DslError(line, name, reason))
            return ()
        return self.behavior(behaviors[0], scope, phase)

    def behavior(self, each: DslBehavior, scope: DslScope, phase: DslPhase) -> Group:
        """Compiles a behaviour; gives the conditions that hold when it is over."""
        try:
            return self._compilers[type(each)](each, scope, phase)
        except DslError as error:
            if error.is_final:
                raise
            self._refuse(scope, error)
            return ()

    def own_actor(self, declared: Declared, scope: DslScope) -> None:
        """Gives a scenario that is run an actor of the type that it belongs to."""
        type_ = declared.type.name.rpartition(".")[0]
        chain = scope.type_chain(type_)
        if type_ and is_actor(scope, chain):
            self._own[id(scope)] = ActorValue(type_, chain)

    def _modify(self, each: DslModifier, scope: DslScope) -> None:
        try:
            if each.name == "set_position":
                actor = value_of(each.target, scope, each.line)
                self._points[str(actor)] = point_of(each, scope)
            else:
                apply_scenario_modifier(each, scope, self._draft)
        except DslError as error:
            self._refuse(scope, error)

    def _refuse(self, scope: DslScope, error: DslError) -> None:
        self._report(scope.file, error.line, error.name, error.reason, error.is_fault)

    # ---- compositions

    def _composition(self, each: DslComposition, scope: DslScope, phase: DslPhase) -> Group:
        self._check_arguments(each.arguments, each.operator, each.line)
        seconds = duration_of(each.arguments, scope, each.operator)
        name = each.label or each.operator
        inner, end = self._enclose(name, seconds, each.conditions, scope, phase)
        inner = replace(inner, label=each.label or phase.label)
        members = each.members
        if each.operator == "one_of":
            members = (members[scope.draws.choice(len(members))],)
        if each.operator == "parallel":
            ends = [self.behavior(member, scope, inner) for member in members]
            return end or tuple(part for group in ends for part in group)
        return self._serial(members, scope, inner, end)

    def _serial(
        self, members: Sequence[DslBehavior], scope: DslScope, phase: DslPhase, end: Group
    ) -> Group:
        last: Group = ()
        for number, member in enumerate(members):
            part = phase
            if len(members) > 1:
                part = replace(phase, seconds=None, is_first=phase.is_first and not number)
            if number:
                part = replace(part, start=(*last, *phase.guards))
            last = self.behavior(member, scope, part)
        return end or last

    def _enclose(
        self,
        name: str,
        seconds: float | None,
        conditions: tuple[DslWith, ...],
        scope: DslScope,
        phase: DslPhase,
    ) -> tuple[DslPhase, Group]:
        """An act around a behaviour that has a duration or another end of its own.

        Gives the phase in it and the conditions that hold when it is over; these are empty where
        the behaviour has no such end, and so needs no act.
        """
        untils = self._untils(conditions, scope)
        if seconds is None and not untils:
            return phase, ()
        act = ActDraft(self._draft.unique(name), phase.start, list(phase.stops))
        self._limit(act, seconds, untils, scope)
        self._draft.add(act)
        runs = (is_running(act.name),)
        over = (is_over(act.name),)
        return DslPhase(runs, (over,), runs, seconds, name, phase.is_first), over

    def _limit(
        self, act: ActDraft, seconds: float | None, untils: list[DslUntil], scope: DslScope
    ) -> None:
        """Adds the ends of a behaviour to its act."""
        if seconds is not None:
            act.stops.append((has_lasted(act.name, seconds),))
            self._draft.seconds += seconds
        for each in untils:
            act.stops += EventConditions(act.name).groups(each.event, scope)

    def _untils(self, conditions: tuple[DslWith, ...], scope: DslScope) -> list[DslUntil]:
        """The ends that are stated behind `with`; all else is refused."""
        for each in conditions:
            if not isinstance(each, DslUntil):
                name = each.name if isinstance(each, DslModifier) else "keep"
                self._refuse(scope, not_executed(each.line, name, "is not executed here"))
        return [each for each in conditions if isinstance(each, DslUntil)]

    def _check_arguments(self, arguments: tuple[DslArgument, ...], name: str, line: int) -> None:
        for each in arguments:
            if each.name != "duration":
                what = f"the argument '{each.name}'" if each.name else "an argument without a name"
                raise not_executed(line, name, f"{what} is not executed")

    # ---- directives

    def _wait(self, each: DslWait, scope: DslScope, phase: DslPhase) -> Group:
        act = ActDraft(self._draft.unique(each.label or "wait"), phase.start, list(phase.stops))
        act.stops += EventConditions(act.name).groups(each.event, scope)
        self._draft.add(act)
        return (is_over(act.name),)

    def _emit(self, each: DslEmit, scope: DslScope, phase: DslPhase) -> Group:
        owner = scope.event_owner(each.event)
        if owner is None:
            raise DslError(each.line, each.event, "is not an event that is declared")
        for argument in each.arguments:
            evaluate(argument.value, scope)
        name = self._draft.unique(each.label or f"emit {each.event}")
        self._draft.add(ActDraft(name, phase.start, list(phase.stops), is_kept=False))
        self._draft.emitters.setdefault((id(owner), each.event), []).append(name)
        return (condition(f"{name} has occurred", HasStarted(name, "")),)

    def _method_call(self, each: DslMethodCall, scope: DslScope, phase: DslPhase) -> Group:
        del scope, phase
        raise not_executed(each.line, "call")

    # ---- actions and scenarios

    def _invocation(self, each: DslInvocation, scope: DslScope, phase: DslPhase) -> Group:
        declared = self._invoked(each, scope)
        if declared is not None:
            return self._invoke(each, declared, scope, phase)
        modifier = modifier_of(each)
        if each.name in MOVEMENTS or modifier is not None:
            return self._drive(each, modifier, scope, phase)
        name = f"{each.target}.{each.name}" if each.target else each.name
        raise not_executed(each.line, name, "is not an action that is executed, nor a scenario")

    def _invoked(self, each: DslInvocation, scope: DslScope) -> Declared | None:
        """The scenario that an invocation names by its actor or by the type of that."""
        types: tuple[str, ...] = (each.target,)
        owner = scope.owner(each.target)
        if owner is not None:
            types = scope.type_chain(owner.fields[each.target].type)
        for type_ in types:
            name = f"{type_}.{each.name}" if type_ else each.name
            found = scope.symbols.find(name, "scenario", "action")
            if found is not None and any(
                isinstance(member, DslDo) for member in scope.symbols.members(found)
            ):
                return found
        return None

    def _invoke(
        self, each: DslInvocation, declared: Declared, scope: DslScope, phase: DslPhase
    ) -> Group:
        if self._calls(scope) >= _MAX_CALLS:
            raise DslError(each.line, each.name, "invokes itself")
        inner = DslScope(scope.symbols, declared.file, scope.draws, self._outer, scope)
        inner.declare(scope.symbols.members(declared))
        self._bind(each, inner, scope)
        if each.target and scope.owner(each.target) is not None:
            actor = value_of(each.target, scope, each.line)
            if isinstance(actor, ActorValue):
                self._own[id(inner)] = actor
        seconds = duration_of(each.arguments, scope, each.name)
        name = each.label or each.name
        part, end = self._enclose(name, seconds, each.conditions, scope, phase)
        last = self.scenario(declared, inner, replace(part, label=each.label or phase.label))
        return end or last

    def _calls(self, scope: DslScope) -> int:
        count, at = 0, scope.caller
        while at is not None:
            count, at = count + 1, at.caller
        return count

    def _bind(self, each: DslInvocation, inner: DslScope, scope: DslScope) -> None:
        """Gives the fields of an invoked scenario the values of the arguments."""
        names = list(inner.fields)
        for number, argument in enumerate(each.arguments):
            name = argument.name or (names[number] if number < len(names) else "")
            if name == "duration" and name not in inner.fields:
                continue
            state = inner.fields.get(name)
            if state is None:
                raise DslError(each.line, each.name, f"has no parameter '{name or number + 1}'")
            value = evaluate(argument.value, scope)
            check_type(name, state, value, inner)
            state.value = value if state.is_list else scope.draws.one_of(value)

    def _drive(
        self, each: DslInvocation, action: DslModifier | None, scope: DslScope, phase: DslPhase
    ) -> Group:
        """Compiles a movement, whose action is a modifier where it is not `drive`."""
        actor = self._actor(each, scope)
        if action is None:
            self._check_movement(each, scope)
        own = duration_of(each.arguments, scope, each.name)
        name = f"{each.label or phase.label} {actor.name}.{each.name}".strip()
        act = ActDraft(self._draft.unique(name), phase.start, list(phase.stops), actor=actor.name)
        untils = [each for each in each.conditions if isinstance(each, DslUntil)]
        self._limit(act, own, untils, scope)
        is_first = not self._draft.is_known(actor)
        self._draft.actors[actor.name] = actor
        start = ActorStart(actor.name, each.line, is_person(actor), self._points.get(actor.name))
        seconds = phase.seconds if own is None else own
        context = DriveContext(actor.name, scope, act, seconds, start, is_first)
        if action is not None:
            is_start = is_first and each.name in ASSIGNED
            self._modify_drive(action, replace(context, is_first=is_start))
        for modifier in each.conditions:
            self._modify_drive(modifier, context)
        self._begin(act, start, phase, is_first=is_first)
        act.is_kept = bool(act.stops)
        is_begun = is_first and each.name in ASSIGNED
        if not act.stops and (is_endless(act) or not (act.actions or is_begun)):
            reason = "has no end: give it, or a behaviour around it, a duration"
            raise DslError(each.line, each.name, reason)
        self._draft.add(act)
        return (is_over(act.name),)

    def _begin(self, act: ActDraft, start: ActorStart, phase: DslPhase, *, is_first: bool) -> None:
        """Notes where the actor of an act begins, or is put at its start."""
        if is_first and phase.is_first:
            self._draft.starts.append(start)
        elif is_first or start.lane is not None or start.ahead is not None:
            self._draft.later.append((act, start, is_first))

    def _modify_drive(self, modifier: DslWith, context: DriveContext) -> None:
        try:
            if isinstance(modifier, DslModifier):
                apply_modifier(modifier, context)
            elif not isinstance(modifier, DslUntil):
                raise not_executed(modifier.line, "keep", "is not executed here")
        except DslError as error:
            self._refuse(context.scope, error)

    def _actor(self, each: DslInvocation, scope: DslScope) -> ActorValue:
        """The actor of a movement: the one that is named, or that of the scenario."""
        if each.target:
            found = value_of(each.target, scope, each.line)
            if not isinstance(found, ActorValue) or found.types[0] in DOMAIN_TYPES:
                raise DslError(each.line, each.target, f"is not an actor that can {each.name}")
            return found
        own = self._own.get(id(scope))
        if own is None:
            raise DslError(each.line, each.name, "names no actor")
        return own

    def _check_movement(self, each: DslInvocation, scope: DslScope) -> None:
        """Checks the arguments of a movement: a path, and a duration."""
        for argument in each.arguments:
            if argument.name in ("duration", "adjust"):
                continue
            value = evaluate(argument.value, scope)
            if argument.name not in ("", "path") or not isinstance(value, ActorValue):
                what = f"the argument '{argument.name}'" if argument.name else "its argument"
                raise not_executed(each.line, each.name, f"{what} is not executed")
