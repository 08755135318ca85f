"""Declarations and behaviour of a file as records; `line` is that of the file."""

from dataclasses import dataclass

from autosim.openscenario.dsl.parsing.dsl_expressions import DslArgument, DslExpression

# ---- events


@dataclass(frozen=True, slots=True)
class DslCondition:
    """A condition: `kind` holds, rise, fall, elapsed or every."""

    kind: str
    value: DslExpression
    """The value."""
    line: int
    """Line of the file."""
    offset: DslExpression | None = None
    """Delay of the first occurrence of `every`."""


@dataclass(frozen=True, slots=True)
class DslEventUse:
    """An occurrence that is waited for: an event, a condition, or both.

    `event` is "" without one; `alias` names its parameters in the condition.
    """

    event: str
    alias: str
    condition: DslCondition | None
    line: int
    """Line of the file."""


# ---- behaviour


@dataclass(frozen=True, slots=True)
class DslModifier:
    """A modifier: `target` names what it belongs to, "" for the action around it."""

    target: str
    name: str
    """Name."""
    arguments: tuple[DslArgument, ...]
    """Arguments."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslKeep:
    """A constraint: `qualifier` default, hard or ""."""

    qualifier: str
    value: DslExpression
    """The value."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslRemoveDefault:
    """Removes the default of a parameter."""

    parameter: DslExpression
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslUntil:
    """The end of a behaviour."""

    event: DslEventUse
    """The event."""
    line: int
    """Line of the file."""


DslWith = DslModifier | DslKeep | DslRemoveDefault | DslUntil


@dataclass(frozen=True, slots=True)
class DslComposition:
    """Behaviours in serial, parallel or one_of (`operator`)."""

    label: str
    """Label, "" without one."""
    operator: str
    arguments: tuple[DslArgument, ...]
    """Arguments."""
    members: tuple["DslBehavior", ...]
    """The members."""
    conditions: tuple[DslWith, ...]
    """Constraints and modifiers behind `with`."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslInvocation:
    """An action or a scenario: `target` is its actor, "" for that of the scenario."""

    label: str
    """Label, "" without one."""
    target: str
    name: str
    """Name."""
    arguments: tuple[DslArgument, ...]
    """Arguments."""
    conditions: tuple[DslWith, ...]
    """Constraints and modifiers behind `with`."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslWait:
    """Waits for an event."""

    label: str
    """Label, "" without one."""
    event: DslEventUse
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslEmit:
    """Makes an event occur."""

    label: str
    """Label, "" without one."""
    event: str
    arguments: tuple[DslArgument, ...]
    """Arguments."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslMethodCall:
    """Calls a method."""

    label: str
    """Label, "" without one."""
    call: DslExpression
    """The method with its arguments."""
    line: int
    """Line of the file."""


DslBehavior = DslComposition | DslInvocation | DslWait | DslEmit | DslMethodCall

# ---- members of declarations


@dataclass(frozen=True, slots=True)
class DslParameter:
    """A parameter of an event or a method."""

    name: str
    """Name."""
    type: str
    """Name of the type."""
    default: DslExpression | None
    """The default, None without one."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslFieldDeclaration:
    """Parameters or, with `is_variable`, variables of one type."""

    names: tuple[str, ...]
    """Names of the fields."""
    type: str
    is_list: bool
    """Whether each is a list."""
    default: DslExpression | None
    """The default, None without one."""
    is_variable: bool
    constraints: tuple["DslMember", ...]
    """Constraints and coverage behind `with`."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslEventDeclaration:
    """An event."""

    name: str
    """Name."""
    parameters: tuple[DslParameter, ...]
    """Parameters."""
    event: DslEventUse | None
    """The occurrence that it stands for, None where it is only emitted."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslMethodDeclaration:
    """A method: `body` is its expression, None where it is undefined or external."""

    name: str
    """Name."""
    parameters: tuple[DslParameter, ...]
    """Parameters."""
    returns: str
    """Name of the type of its value."""
    body: DslExpression | None
    external: str
    """Path of an external method."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslCoverage:
    """A coverage goal or a record: `kind` cover or record."""

    kind: str
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslOn:
    """Behaviour at each occurrence of an event."""

    event: DslEventUse
    members: tuple[DslBehavior, ...]
    """The members."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslDo:
    """The behaviour of a scenario."""

    behavior: DslBehavior
    """The behaviour."""
    line: int
    """Line of the file."""


DslMember = (
    DslFieldDeclaration
    | DslEventDeclaration
    | DslMethodDeclaration
    | DslCoverage
    | DslKeep
    | DslRemoveDefault
    | DslModifier
    | DslOn
    | DslDo
)

# ---- declarations of a file


@dataclass(frozen=True, slots=True)
class DslImport:
    """An imported file or module."""

    name: str
    """Name."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslPhysicalType:
    """A physical type; `exponents` of the base units by name."""

    name: str
    exponents: tuple[tuple[str, int], ...]
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslUnit:
    """A unit; a value in base units is factor times value plus offset."""

    name: str
    """Name."""
    type: str
    """Name of the type."""
    exponents: tuple[tuple[str, int], ...]
    """Exponents of the base units, by name."""
    factor: float
    offset: float
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslEnum:
    """An enumeration, or members that extend one; a value is None where none is stated."""

    name: str
    """Name."""
    members: tuple[tuple[str, int | None], ...]
    is_extension: bool
    """Whether it extends an enumeration."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslGlobal:
    """A global parameter."""

    field: DslFieldDeclaration
    """The field."""
    line: int
    """Line of the file."""


@dataclass(frozen=True, slots=True)
class DslType:
    """A structured type: `kind` struct, actor, scenario, action, modifier or extend.

    `name` is qualified by its actor, `base` the type that it inherits from, `of` the behaviour that
    a modifier belongs to.
    """

    kind: str
    name: str
    base: str
    of: str
    condition: DslExpression | None
    """The condition of a conditional inheritance."""
    members: tuple[DslMember, ...]
    """The members."""
    line: int
    """Line of the file."""


DslDeclaration = DslPhysicalType | DslUnit | DslEnum | DslGlobal | DslType


@dataclass(frozen=True, slots=True)
class DslFile:
    """The content of a file."""

    imports: tuple[DslImport, ...]
    """The imports."""
    declarations: tuple[DslDeclaration, ...]
    """The declarations."""
