"""Motors of hinges and slides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Link
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval
from autosim.config.schemas.common import NOT_NEGATIVE, choice, parameter, reference
from autosim.kinds.banks import BankContext, MountedDevice, MountedJoint, vectors, word_indices
from autosim.kinds.bodies.axis_links import check_axis_link
from autosim.kinds.bodies.prismatic_link import PrismaticLink
from autosim.kinds.bodies.revolute_link import RevoluteLink
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import WORD, Access, Field

_FURTHEST = 1e6
"""[rad], [m]: how far a motor can be set whose link has no limits."""

_FASTEST = 1e6
"""[rad/s], [m/s]: of a motor whose speed nothing limits."""

SERVO_RATE = 20.0
"""Speed [1/s] of a stiff motor for each unit that its position is off: it is there in 0.2 s but for
2 %, slow enough that its speed changes little in a step."""

Control = Literal["position", "velocity", "force"]


@dataclass(frozen=True, slots=True)
class Motor(Device):
    """A motor of a `link`, at most `max_force` [N m] of a hinge, [N] of a slide, either way.

    Its `control` says what it is set to. `stiffness` [N m/rad], [N/m] is its force for each unit
    that the position is off, `damping` [N m s/rad], [N s/m] for each unit that the speed is; 0: it
    is as strong as it has to be. `max_speed` [rad/s], [m/s] is how fast it then goes to a position.
    `is_slide` and `limits` are those of the link.
    """

    link: str = ""
    control: Control = "position"
    max_force: float = 0.0
    max_speed: float = _FASTEST
    stiffness: float = 0.0
    damping: float = 0.0
    is_slide: bool = False
    limits: tuple[float, float] = (-inf, inf)

    @property
    def is_soft(self) -> bool:
        """Whether it is as strong as its stiffness and damping say, or as it is set."""
        gains = {"position": self.stiffness, "velocity": self.damping, "force": 1.0}
        return gains[self.control] > 0.0


def soft_forces(
    set_point: Floats, position: Floats, velocity: Floats, *, gains: Floats, most: Floats
) -> Floats:
    """The forces (n,) [N], [N m] of motors that are springs, dampers or forces, within limits.

    Args:
        set_point: (n,) of position, velocity or force.
        position: (n,) of the links.
        velocity: (n,) of the links.
        gains: (4, n) stiffness and damping; then 1 where the set point is a velocity, and 1 where
            it is a force. Where neither, it is a position.
        most: (n,) the greatest force either way.
    """
    stiffness, damping, is_velocity, is_force = gains
    force = stiffness * (set_point - position)
    force += damping * (is_velocity * set_point - velocity)
    force += is_force * set_point
    bounded: Floats = np.clip(force, -most, most)
    return bounded


def servo_speeds(
    set_point: Floats, position: Floats, *, is_position: Floats, most: Floats
) -> Floats:
    """The speeds (n,) [rad/s], [m/s] at which motors that are stiff aim.

    Args:
        set_point: (n,) of position or velocity.
        position: (n,) of the links.
        is_position: (n,) 1 or 0.
        most: (n,) the greatest speed at which a position is approached.
    """
    approach = np.clip(SERVO_RATE * (set_point - position), -most, most)
    result: Floats = np.where(is_position > 0.0, approach, set_point)
    return result


class MotorBank:
    """Action of motors on their links, in the pose after the last step.

    A soft motor pushes or turns both bodies. A stiff one leaves it to the engine, as a servo, which
    is as strong within a step as all that hangs on the link needs.
    """

    def __init__(self, devices: Sequence[MountedDevice[Motor]], context: BankContext) -> None:
        self._word = word_indices(devices)
        motors = [mounted.device for mounted in devices]
        joints = [context.joint_of(mounted, mounted.device.link) for mounted in devices]
        self._parent = np.array([each.parent for each in joints], dtype=np.int64)
        self._child = np.array([each.child for each in joints], dtype=np.int64)
        self._axis = vectors([each.joint.axis for each in joints])
        self._arm = vectors([each.arm for each in joints])
        self._position, self._velocity, self._force = (
            self._words([each.node.field_offset(name) for each in joints])
            for name in ("position", "velocity", "force")
        )
        is_soft = np.array([each.is_soft for each in motors], dtype=np.bool_)
        is_slide = np.array([each.is_slide for each in motors], dtype=np.bool_)
        self._slides = np.flatnonzero(is_soft & is_slide)
        self._hinges = np.flatnonzero(is_soft & ~is_slide)
        self._stiff = np.flatnonzero(~is_soft)
        self._numbers = np.array([each.number for each in joints], dtype=np.int64)[self._stiff]
        self._servos = context.servos
        self._is_position = np.array([each.control == "position" for each in motors], np.float64)
        self._fastest = np.array([each.max_speed for each in motors])
        self._most = np.array([each.max_force for each in motors])
        self._servos.forces[self._numbers] = self._most[self._stiff]
        self._gains = _gains(motors, context, joints)

    @staticmethod
    def _words(offsets: Sequence[int]) -> Integers:
        return np.array(offsets, dtype=np.int64) // WORD

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Moves children and parents against each other."""
        set_point, position = noise(state.floats[self._word]), state.floats[self._position]
        speed = servo_speeds(set_point, position, is_position=self._is_position, most=self._fastest)
        self._servos.speeds[self._numbers] = speed[self._stiff]
        velocity = state.floats[self._velocity]
        force = soft_forces(set_point, position, velocity, gains=self._gains, most=self._most)
        state.floats[self._force] = force
        turn = bodies.rotations[self._child]
        along = force[:, None] * rotate(turn, self._axis)
        place = bodies.positions[self._child] + rotate(turn, self._arm)
        slides, hinges = self._slides, self._hinges
        for body, sign in ((self._child, 1.0), (self._parent, -1.0)):
            forces.add_forces(bodies, body[slides], sign * along[slides], place[slides])
            forces.add_torques(body[hinges], sign * along[hinges])


def _gains(motors: Sequence[Motor], context: BankContext, joints: Sequence[MountedJoint]) -> Floats:
    """As `soft_forces` takes them, and no greater than a step can hold.

    A spring whose force is held over a step is stable below four times the inertia over the square
    of the step, without damping, and a damper below twice the inertia over the step.
    """
    inertia, step = np.array([each.inertia for each in joints]), context.step_seconds
    braked = np.array([each.joint.damping for each in joints])
    is_position, is_velocity, is_force = (
        np.array([each.control == name and each.is_soft for each in motors], dtype=np.float64)
        for name in ("position", "velocity", "force")
    )
    stiffness = is_position * np.array([each.stiffness for each in motors])
    damping = (is_position + is_velocity) * np.array([each.damping for each in motors])
    return np.array(
        [
            np.minimum(stiffness, inertia / (step * step)),
            np.minimum(damping, np.maximum(inertia / step - braked, 0.0)),
            is_velocity,
            is_force,
        ]
    )


def _fields(motor: Motor) -> tuple[Field, ...]:
    lower, upper = (min(max(limit, -_FURTHEST), _FURTHEST) for limit in motor.limits)
    most = motor.max_force
    field = {
        "position": Field(
            "position", unit="m" if motor.is_slide else "rad", limits=Interval(lower, upper)
        ),
        "velocity": Field(
            "velocity",
            unit="m/s" if motor.is_slide else "rad/s",
            limits=Interval(-_FURTHEST, _FURTHEST),
        ),
        "force": Field(
            "force", unit="N" if motor.is_slide else "N m", limits=Interval(-most, most)
        ),
    }
    return (field[motor.control],)


def _rest(motor: Motor) -> tuple[float | None, ...]:
    return (None,) if motor.control == "position" else (0.0,)


def _of_its_link(motor: Motor, links: Mapping[str, Link]) -> Motor:
    link = links.get(motor.link)
    if isinstance(link, RevoluteLink | PrismaticLink):
        return replace(motor, is_slide=isinstance(link, PrismaticLink), limits=link.limits)
    return motor


def _check(motor: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axis_link(motor, robot, faults)
    name = motor.text("Link")
    motors = (each for each in robot.devices if each.tag == motor.tag)
    first = next(each for each in motors if each.text("Link") == name)
    if name and first is not motor:
        message = f"'{name}' has a motor already, {first.title} in line {first.line}"
        faults.error(motor.line_of("Link"), message)


KIND = DeviceKind(
    record=Motor,
    element=device_element(
        "Motor",
        "A motor of a RevoluteLink or PrismaticLink: it turns or moves the child, and the parent "
        "the other way. `set_data` sets a position [rad or m], a velocity, or a torque or force. "
        "The Part is one of the link's two.",
        reference("Link", "The link that it moves."),
        choice(
            "Control",
            "What is set: a position, a velocity, or a force, which is a torque of a hinge.",
            ("position", "velocity", "force"),
        ),
        parameter(
            "MaxForce",
            "Greatest torque [N m] of a hinge, or force [N] of a slide.",
            required=True,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "MaxSpeed",
            "Greatest speed [rad/s or m/s] at which it goes to a position, without Stiffness.",
            default=_FASTEST,
            interval=Interval(0.0, _FASTEST),
        ),
        parameter(
            "Stiffness",
            "Torque or force for each rad or m that the position is off, as of a spring; without "
            "it the motor is as strong as it has to be, up to MaxForce. More than a step can hold "
            "is taken as what it can: the inertia of the lighter side over the square of the step.",
            default=0.0,
            interval=Interval(0.0, 1e9),
        ),
        parameter(
            "Damping",
            "Torque or force for each rad/s or m/s that the speed is off: of a motor that is set "
            "to a velocity (without it, it is as strong as it has to be), and of one with a "
            "Stiffness. More than a step can hold is taken as what it can: the inertia of the "
            "lighter side over the step.",
            default=0.0,
            interval=Interval(0.0, 1e9),
        ),
        *NOISES,
    ),
    fields=_fields,
    access=Access.DRIVE,
    rest=_rest,
    complete=_of_its_link,
    make_bank=MotorBank,
    check=_check,
)
"""At rest it holds the position that was set last, or stops, or releases."""
