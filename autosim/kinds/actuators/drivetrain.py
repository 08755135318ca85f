"""The drivetrain of a drive actuator: engine or motor, gearbox and differentials."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import EVERYDAY, Attribute, Element, Interval, Occurs, ValueType

_POSITIVE = Interval(0.0, 1e6, low_open=True)
_NOT_NEGATIVE = Interval(0.0, 1e6)
_EFFICIENCY = Interval(0.1, 1.0)
_SHARE = Interval(0.0, 1.0)

Lock = Literal["open", "limited", "locked"]
LOCKS: tuple[Lock, ...] = ("open", "limited", "locked")


@dataclass(frozen=True, slots=True)
class Engine:
    """A combustion engine, which idles where its clutch slips.

    `curve` has (speed [rad/s], torque [N m]) at full throttle, by rising speed; beyond its ends the
    torque is that of the end. Without throttle the engine brakes: by nothing at `idle_speed`
    [rad/s], rising to `braking` [N m] at `top_speed` [rad/s], above which it is cut off.
    `inertia` [kg m^2].
    """

    curve: tuple[tuple[float, float], ...]
    idle_speed: float
    top_speed: float
    braking: float = 0.0
    inertia: float = 0.0


@dataclass(frozen=True, slots=True)
class ElectricMotor:
    """A motor with the torque `torque` [N m] up to the power `power` [W], either way.

    It is cut off above `top_speed` [rad/s]. `inertia` [kg m^2].
    """

    torque: float
    power: float
    top_speed: float
    inertia: float = 0.0


@dataclass(frozen=True, slots=True)
class Gearbox:
    """Ratios of motor speed to wheel speed: `ratios` of the gears ahead, and `reverse`.

    All are multiplied by `final`. An automatic one shifts up where the motor turns faster than
    `shift_up` [rad/s] and down where it turns slower than `shift_down`; for `shift_seconds` [s] no
    torque comes through. `efficiency` is the share of the power that comes out.
    """

    ratios: tuple[float, ...] = (1.0,)
    reverse: float = 1.0
    final: float = 1.0
    is_automatic: bool = True
    """False: commands choose the gear."""
    shift_up: float = 0.0
    shift_down: float = 0.0
    shift_seconds: float = 0.0
    efficiency: float = 1.0


@dataclass(frozen=True, slots=True)
class Differentials:
    """Distribution of torque among the powered wheels.

    `front`, `rear` are the differentials of the foremost driven axle and of the others, `centre`
    the one between axles. `rear_share` of the torque goes to the axles behind the foremost driven
    one. A limited differential transfers at most `preload` [N m] and the share `locking` of the
    torque that drives its wheels.
    """

    front: Lock = "open"
    centre: Lock = "open"
    rear: Lock = "open"
    rear_share: float = 0.5
    preload: float = 0.0
    locking: float = 0.0


def _real(
    name: str,
    description: str,
    *,
    unit: str = "",
    default: float | None = None,
    interval: Interval = EVERYDAY,
) -> Attribute:
    return Attribute(
        name, description, unit=unit, default=default, required=default is None, interval=interval
    )


def _lock(name: str, description: str) -> Attribute:
    return Attribute(name, description, ValueType.TEXT, default=LOCKS[0], allowed=LOCKS)


_TOP_SPEED = _real("top_speed", "It is cut off above.", unit="rad/s", interval=_POSITIVE)
_INERTIA = _real("inertia", "Moment of inertia.", unit="kg m²", default=0.0, interval=_NOT_NEGATIVE)

ENGINE = Element(
    "Engine",
    "A combustion engine, in place of MotorForce. Where the wheels turn it slower than its idle "
    "speed, the clutch slips and the engine idles. It needs a Gearbox.",
    (
        _real("idle_speed", "Of the idling engine.", unit="rad/s", interval=_POSITIVE),
        _TOP_SPEED,
        _real(
            "braking",
            "Torque by which it brakes at its top speed without throttle; none at idle.",
            unit="N m",
            default=0.0,
            interval=_NOT_NEGATIVE,
        ),
        _INERTIA,
    ),
    (
        Element(
            "Torque",
            "A point of the curve of the greatest torque, by rising speed; straight between two.",
            (
                _real("speed", "Of the engine.", unit="rad/s", interval=_NOT_NEGATIVE),
                _real("torque", "With full throttle.", unit="N m", interval=_NOT_NEGATIVE),
            ),
            occurs=Occurs.SOME,
        ),
    ),
)

ELECTRIC_MOTOR = Element(
    "ElectricMotor",
    "An electric motor, in place of MotorForce: full torque up to the speed at which it has its "
    "full power, then that power.",
    (
        _real("torque", "The greatest.", unit="N m", interval=_POSITIVE),
        _real("power", "The greatest, at the shaft.", unit="W", interval=Interval(0.001, 1e7)),
        _TOP_SPEED,
        _INERTIA,
    ),
)

GEARBOX = Element(
    "Gearbox",
    "Gears between the Engine or ElectricMotor and the wheels. In a manual one the gear that the "
    "actuator is set to is the gear, from -1 (reverse) to the number of gears. An automatic one "
    "chooses it: it reverses in the gear -1, and where the acceleration is negative and the wheels "
    "stand.",
    (
        Attribute(
            "mode",
            "",
            ValueType.TEXT,
            default="automatic",
            allowed=("automatic", "manual"),
        ),
        _real("reverse", "Ratio of the reverse gear.", default=1.0, interval=_POSITIVE),
        _real("final", "Ratio of the final drive.", default=1.0, interval=_POSITIVE),
        _real(
            "shift_up",
            "Speed of the motor above which an automatic one shifts up.",
            unit="rad/s",
            default=0.0,
            interval=_NOT_NEGATIVE,
        ),
        _real(
            "shift_down",
            "Speed of the motor below which an automatic one shifts down.",
            unit="rad/s",
            default=0.0,
            interval=_NOT_NEGATIVE,
        ),
        _real(
            "shift_time",
            "How long no torque comes through while it shifts.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, 10.0),
        ),
        _real(
            "efficiency",
            "Share of the power that comes through.",
            default=1.0,
            interval=_EFFICIENCY,
        ),
    ),
    (
        Element(
            "Gear",
            "A gear ahead, the lowest first.",
            (_real("ratio", "Turns of the motor for one behind it.", interval=_POSITIVE),),
            occurs=Occurs.SOME,
        ),
    ),
)

DIFFERENTIALS = Element(
    "Differentials",
    "Distribution of the torque of the Engine or ElectricMotor to the powered wheels. `open`: "
    "equal torques, whatever the speeds. `locked`: equal speeds. `limited`: in between. "
    "Wheels belong to the same axle if their positions along the part agree.",
    (
        _lock("front", "Of the foremost powered axle."),
        _lock("centre", "Between powered axles."),
        _lock("rear", "Of the other powered axles; of the only one where that is the rear axle."),
        _real(
            "rear_share",
            "Share of the torque for the powered axles behind the foremost one.",
            default=0.5,
            interval=_SHARE,
        ),
        _real(
            "preload",
            "Torque that a limited one transfers always.",
            unit="N m",
            default=0.0,
            interval=_NOT_NEGATIVE,
        ),
        _real(
            "locking",
            "Share of the torque through a limited one that it transfers as well.",
            default=0.0,
            interval=_SHARE,
        ),
    ),
)


def read_engine(block: Block, tag: str) -> Engine | None:
    """The engine of a drive actuator, None if it has none."""
    engine = block.first(tag)
    if engine is None:
        return None
    curve = tuple((each.own_real("speed"), each.own_real("torque")) for each in engine.children)
    numbers = {
        name: engine.own_real(name) for name in ("idle_speed", "top_speed", "braking", "inertia")
    }
    return Engine(curve, **numbers)


def read_electric_motor(block: Block, tag: str) -> ElectricMotor | None:
    """The electric motor of a drive actuator, None if it has none."""
    motor = block.first(tag)
    if motor is None:
        return None
    return ElectricMotor(*(motor.own_real(each.name) for each in ELECTRIC_MOTOR.attributes))


def read_gearbox(block: Block, tag: str) -> Gearbox:
    """The gearbox of a drive actuator: a single gear of ratio 1 where there is none."""
    gearbox = block.first(tag)
    if gearbox is None:
        return Gearbox()
    return Gearbox(
        ratios=tuple(each.own_real("ratio") for each in gearbox.children),
        reverse=gearbox.own_real("reverse"),
        final=gearbox.own_real("final"),
        is_automatic=gearbox.get("mode") == "automatic",
        shift_up=gearbox.own_real("shift_up"),
        shift_down=gearbox.own_real("shift_down"),
        shift_seconds=gearbox.own_real("shift_time"),
        efficiency=gearbox.own_real("efficiency"),
    )


def read_differentials(block: Block, tag: str) -> Differentials:
    """The differentials of a drive actuator."""
    found = block.section(tag)
    front, centre, rear = (_lock_of(str(found.get(each))) for each in ("front", "centre", "rear"))
    numbers = (found.own_real(each) for each in ("rear_share", "preload", "locking"))
    return Differentials(front, centre, rear, *numbers)


def _lock_of(name: str) -> Lock:
    return next(each for each in LOCKS if each == name)


def check_drivetrain(actuator: Block, faults: Faults) -> None:
    """Notes what does not fit together: two motors, a motor without gears, gears without one."""
    engine, motor, gearbox = (
        actuator.first(each) for each in ("Engine", "ElectricMotor", "Gearbox")
    )
    force = actuator.first("MotorForce")
    motors = [each for each in (engine, motor, force) if each is not None]
    for second in motors[1:]:
        message = f"{actuator.title} has both <{motors[0].tag}> and <{second.tag}>: expected one"
        faults.error(second, message)
    if engine is not None and gearbox is None:
        faults.error(engine, f"the <Engine> of {actuator.title} needs a <Gearbox>")
    for each in (gearbox, actuator.first("Differentials")):
        if each is not None and engine is None and motor is None:
            message = f"<{each.tag}> of {actuator.title} needs an <Engine> or an <ElectricMotor>"
            faults.error(each, message)
    if engine is not None:
        _check_engine(engine, faults)
    if gearbox is not None:
        _check_gearbox(gearbox, faults)


def _check_engine(engine: Block, faults: Faults) -> None:
    points = [(each, each.get("speed")) for each in engine.children]
    for (_, slower), (point, faster) in pairwise(points):
        if isinstance(slower, float) and isinstance(faster, float) and faster <= slower:
            message = f"the speeds of <Torque> have to rise: {faster:g} follows {slower:g} rad/s"
            faults.error(point, message)
    idle, top = engine.get("idle_speed"), engine.get("top_speed")
    if isinstance(idle, float) and isinstance(top, float) and idle >= top:
        faults.error(engine, f"idle_speed {idle:g} rad/s is not below top_speed {top:g} rad/s")


def _check_gearbox(gearbox: Block, faults: Faults) -> None:
    ratios = [each.get("ratio") for each in gearbox.children]
    numbers: Sequence[float] = [each for each in ratios if isinstance(each, float)]
    for (lower, higher), block in zip(pairwise(numbers), gearbox.children[1:], strict=False):
        if higher >= lower:
            message = f"the ratios of <Gear> have to fall: {higher:g} follows {lower:g}"
            faults.error(block, message)
    if gearbox.get("mode") == "manual" or len(numbers) < 2:
        return
    up, down = gearbox.own_real("shift_up"), gearbox.own_real("shift_down")
    if up <= 0.0 or down <= 0.0:
        faults.error(
            gearbox, "an automatic <Gearbox> of several gears needs shift_up and shift_down"
        )
        return
    widest = max(lower / higher for lower, higher in pairwise(numbers))
    if up / widest <= down:
        message = (
            f"an automatic <Gearbox> would shift to and fro: after shift_up at {up:g} rad/s the "
            f"motor turns at {up / widest:.4g} rad/s, which is not above shift_down {down:g} rad/s"
        )
        faults.error(gearbox, message)
