"""Parses events and the behaviour of scenarios."""

from autosim.openscenario.dsl.parsing.dsl_tree import (
    DslBehavior,
    DslComposition,
    DslCondition,
    DslEmit,
    DslEventUse,
    DslInvocation,
    DslKeep,
    DslMethodCall,
    DslModifier,
    DslRemoveDefault,
    DslUntil,
    DslWait,
    DslWith,
)
from autosim.openscenario.dsl.parsing.expression_parser import ExpressionParser
from autosim.openscenario.dsl.parsing.token_reader import TokenReader

_OPERATORS = ("serial", "parallel", "one_of")


class BehaviorParser:
    """Parses behaviours of a file.

    Args:
        reader: over its tokens.
    """

    def __init__(self, reader: TokenReader) -> None:
        self._reader = reader
        self.expressions = ExpressionParser(reader)

    # ---- events

    def event(self) -> DslEventUse:
        """An event, a condition, or an event with a condition."""
        reader, line = self._reader, self._reader.line
        if not reader.accept("@"):
            return DslEventUse("", "", self._condition(), line)
        name, alias, condition = reader.path(), "", None
        if reader.accept("as"):
            alias = reader.name()
            reader.expect("if")
            condition = self._condition()
        elif reader.accept("if"):
            condition = self._condition()
        return DslEventUse(name, alias, condition, line)

    def _condition(self) -> DslCondition:
        reader, line = self._reader, self._reader.line
        for kind in ("rise", "fall", "elapsed", "every"):
            if not reader.sees(kind, "("):
                continue
            reader.next()
            reader.next()
            value, offset = self.expressions.parse(), None
            if kind == "every" and reader.accept(","):
                reader.expect("offset")
                reader.expect(":")
                offset = self.expressions.parse()
            reader.expect(")")
            return DslCondition(kind, value, line, offset)
        return DslCondition("holds", self.expressions.parse(), line)

    # ---- behaviour

    def behavior(self) -> DslBehavior:
        """A composition, an action or scenario, or a directive."""
        return self._reader.deeper(self._behavior)

    def _behavior(self) -> DslBehavior:
        reader, label = self._reader, ""
        if reader.is_name() and reader.sees(":", ahead=1):
            label = reader.name()
            reader.next()
        line = reader.line
        if any(reader.sees(each) for each in _OPERATORS):
            return self._composition(label)
        if reader.accept("wait"):
            event = self.event()
            reader.end_line()
            return DslWait(label, event, line)
        if reader.accept("emit"):
            name = reader.path()
            arguments = self.expressions.arguments() if reader.sees("(") else ()
            reader.end_line()
            return DslEmit(label, name, arguments, line)
        if reader.accept("call"):
            call = self.expressions.parse()
            reader.end_line()
            return DslMethodCall(label, call, line)
        target, _, name = reader.path().rpartition(".")
        arguments = self.expressions.arguments()
        return DslInvocation(label, target, name, arguments, self._with_or_end(), line)

    def _composition(self, label: str) -> DslComposition:
        reader, line = self._reader, self._reader.line
        operator = reader.next().text
        arguments = self.expressions.arguments() if reader.sees("(") else ()
        members = reader.block(self.behavior)
        conditions = self._with() if reader.sees("with") else ()
        return DslComposition(label, operator, arguments, members, conditions, line)

    def _with_or_end(self) -> tuple[DslWith, ...]:
        if self._reader.sees("with"):
            return self._with()
        self._reader.end_line()
        return ()

    def _with(self) -> tuple[DslWith, ...]:
        self._reader.expect("with")
        return self._reader.block(self._with_member)

    def _with_member(self) -> DslWith:
        reader, line = self._reader, self._reader.line
        if reader.accept("until"):
            event = self.event()
            reader.end_line()
            return DslUntil(event, line)
        return self.constraint() or self.modifier()

    def constraint(self) -> DslKeep | DslRemoveDefault | None:
        """A constraint, or None where none is next."""
        reader, line = self._reader, self._reader.line
        if reader.accept("keep"):
            reader.expect("(")
            qualifier = ""
            for each in ("default", "hard"):
                if not qualifier and reader.accept(each):
                    qualifier = each
            value = self.expressions.parse()
            reader.expect(")")
            reader.end_line()
            return DslKeep(qualifier, value, line)
        if reader.sees("remove_default", "("):
            reader.next()
            reader.next()
            parameter = self.expressions.parse()
            reader.expect(")")
            reader.end_line()
            return DslRemoveDefault(parameter, line)
        return None

    def modifier(self) -> DslModifier:
        """A modifier with its arguments."""
        reader, line = self._reader, self._reader.line
        target, _, name = reader.path().rpartition(".")
        arguments = self.expressions.arguments()
        reader.end_line()
        return DslModifier(target, name, arguments, line)
