"""A robot's state in the tree: its belief of its motion, and the truth.

Each robot has two nodes. `robot.state_truth` is the motion of its first part. `robot.state` is what
the robot believes of that. Where nothing owns the belief, both are one: the same place in the
buffer. An owner is a device of the robot that keeps the belief up to date; with it `robot.state`
has its own place, and a covariance.
"""

from dataclasses import dataclass
from typing import Required, TypedDict

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.config.reserved_names import STATES
from autosim.model.commands import DeviceError, DeviceErrorCode, abbreviated, find_device
from autosim.model.tree import STATE, STATE_TRUTH, WORD, Access, Field, SimulationTree, TreeNode
from autosim.portable import TAU, arctan2, cos, length, sin

TRUTH_FIELDS = (
    Field("time", unit="s"),
    Field("position", shape=(3,), unit="m"),
    Field("orientation", shape=(4,)),
    Field("velocity", shape=(3,), unit="m/s"),
    Field("angular_velocity", shape=(3,), unit="rad/s"),
    Field("acceleration", shape=(3,), unit="m/s^2"),
)
"""In W; `orientation` is the quaternion (x, y, z, w) of R_WB, `time` the simulated time of which
the rest tells."""

ERRORS = 9
"""Number of errors that a covariance describes: of the position [m], of the orientation (a rotation
vector [rad]) and of the velocity [m/s], each in W."""

BELIEF_FIELDS = (*TRUTH_FIELDS, Field("covariance", shape=(ERRORS, ERRORS)))

TIME, POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, ACCELERATION = 0, 1, 4, 8, 11, 14
"""Word in which each field begins, counted from the beginning of the node."""

TRUTH_WORDS = 17
"""Number of words of what is true."""

BELIEF_WORDS = TRUTH_WORDS + ERRORS * ERRORS
"""Number of words of what is believed."""


def register_state(robot: TreeNode, access: Access | None) -> None:
    """Gives the node of a robot its two states.

    Args:
        robot: its node.
        access: who may set the belief; None: nothing owns it, so that it is the truth.
    """
    state, state_truth = STATES
    truth = robot.register(TreeNode(state_truth, STATE_TRUTH, TRUTH_FIELDS))
    if access is None:
        robot.register(TreeNode(state, STATE, TRUTH_FIELDS, twin=truth))
    else:
        robot.register(TreeNode(state, STATE, BELIEF_FIELDS, access=access))


def belief_of(tree: SimulationTree, robot: str) -> TreeNode:
    """The node of what the robot of that name believes.

    Raises:
        DeviceError: UNKNOWN_ROBOT, or INVALID_DEVICE for anything else than a robot.
    """
    return _state_of(tree, robot, STATES[0])


def truth_of(tree: SimulationTree, robot: str) -> TreeNode:
    """The node of what is true of the motion of the robot of that name.

    Raises:
        DeviceError: as `belief_of`.
    """
    return _state_of(tree, robot, STATES[1])


def _state_of(tree: SimulationTree, robot: str, name: str) -> TreeNode:
    node = tree.find(f"{robot}.{name}")
    if node is None or node.kind not in (STATE, STATE_TRUTH):
        other = tree.find(robot) or find_device(tree, robot)
        reason = f"'{other.name}' is a {other.kind}, no robot"
        raise DeviceError(DeviceErrorCode.INVALID_DEVICE, reason)
    return node


def is_decoupled(belief: TreeNode) -> bool:
    """Whether a node of a belief is apart from the truth."""
    return belief.twin is None


@dataclass(frozen=True, slots=True)
class StateEstimate:
    """Motion of a robot, believed or true.

    Of the middle of its first part, in W (x east, y north, z up): `position` (3,) [m];
    `orientation` (4,), the quaternion x, y, z, w that turns from the part's axes (x forward, y
    left, z up) to W; `velocity` (3,) [m/s]; `angular_velocity` (3,) [rad/s]; `acceleration` (3,)
    [m/s²]. `time` [s] is the simulated time at which this holds; `age` [s], how long ago that was.

    `covariance` (9, 9) is that of the errors of position [m], orientation [rad] and velocity [m/s],
    three each. The error of the orientation is the rotation vector in W by which the believed
    orientation has to be turned on. Of the truth it is zero.
    """

    time: float
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_velocity: Floats
    acceleration: Floats
    covariance: Floats
    age: float = 0.0

    @classmethod
    def of(cls, words: Floats, now: float) -> "StateEstimate":
        """The motion that the words of a state hold, at `now` [s]."""
        rows = words[TRUTH_WORDS:BELIEF_WORDS].copy()
        time = float(words[TIME])
        return cls(
            time=time,
            position=words[POSITION:ORIENTATION].copy(),
            orientation=words[ORIENTATION:VELOCITY].copy(),
            velocity=words[VELOCITY:ANGULAR_VELOCITY].copy(),
            angular_velocity=words[ANGULAR_VELOCITY:ACCELERATION].copy(),
            acceleration=words[ACCELERATION:TRUTH_WORDS].copy(),
            covariance=rows.reshape(ERRORS, ERRORS) if rows.size else np.zeros((ERRORS, ERRORS)),
            age=max(now - time, 0.0),
        )

    @property
    def heading(self) -> float:
        """Heading of the robot [rad], clockwise from north, in [0, 2 pi)."""
        x, y, z, w = self.orientation
        east, north = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)
        return float(arctan2(east, north) % TAU)

    def words(self) -> Floats:
        """The words (98,) that say this."""
        values = (
            [self.time],
            self.position,
            self.orientation,
            self.velocity,
            self.angular_velocity,
            self.acceleration,
            self.covariance.reshape(-1),
        )
        return np.concatenate([np.asarray(each, dtype=np.float64) for each in values])


class EstimateValues(TypedDict, total=False):
    """Values of an estimate by name (see `make_estimate`)."""

    position: Required[npt.ArrayLike]
    """(3,) [m] in W."""

    orientation: npt.ArrayLike | None
    """(4,) quaternion x, y, z, w, of any length."""

    heading: float | None
    """Angle [rad] clockwise from north, of a level body."""

    velocity: npt.ArrayLike
    """(3,) [m/s] in W."""

    angular_velocity: npt.ArrayLike
    """(3,) [rad/s] in W."""

    acceleration: npt.ArrayLike
    """(3,) [m/s²] in W."""

    covariance: npt.ArrayLike | None
    """(9, 9); None where it is not known."""


def make_estimate(
    time: float,
    *,
    position: npt.ArrayLike,
    orientation: npt.ArrayLike | None = None,
    heading: float | None = None,
    velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    acceleration: npt.ArrayLike = (0.0, 0.0, 0.0),
    covariance: npt.ArrayLike | None = None,
) -> StateEstimate:
    """A belief from an estimate (see `StateEstimate`).

    Args:
        time: at which it holds [s].
        position: (3,) [m] in W.
        orientation: (4,) quaternion x, y, z, w, of any length; or
        heading: [rad] clockwise from north, of a body that stands level.
        velocity: (3,) [m/s] in W.
        angular_velocity: (3,) [rad/s] in W.
        acceleration: (3,) [m/s²] in W.
        covariance: (9, 9); zero where it is not known.

    Raises:
        DeviceError: INVALID_OPERATION: a value has another shape or is not finite, the quaternion
            is zero, or there are both an orientation and a heading, or neither.
    """
    if (orientation is None) == (heading is None):
        raise _invalid("expected either an orientation or a heading")
    if heading is not None:
        # Half of the yaw, which counts counter-clockwise from east.
        half = 0.25 * np.pi - 0.5 * float(_shaped("heading", heading, ()))
        turned = np.array([0.0, 0.0, sin(half), cos(half)])
    else:
        turned = _shaped("orientation", orientation, (4,))
        size = length(turned)
        if size == 0.0:
            raise _invalid("orientation: expected a quaternion that is not zero")
        turned = turned / size
    errors = np.zeros((ERRORS, ERRORS)) if covariance is None else covariance
    return StateEstimate(
        time=time,
        position=_shaped("position", position, (3,)),
        orientation=turned,
        velocity=_shaped("velocity", velocity, (3,)),
        angular_velocity=_shaped("angular_velocity", angular_velocity, (3,)),
        acceleration=_shaped("acceleration", acceleration, (3,)),
        covariance=_shaped("covariance", errors, (ERRORS, ERRORS)),
    )


def _shaped(name: str, value: object, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _invalid(f"{name}: expected numbers, not {abbreviated(value)}") from error
    if array.shape != shape:
        raise _invalid(f"{name}: expected an array of the shape {shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise _invalid(f"{name}: expected finite numbers")
    return array


def _invalid(reason: str) -> DeviceError:
    return DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)


def state_words(state: Floats, node: TreeNode) -> Floats:
    """The words of a state's node: a view of the whole buffer `state`."""
    return state[node.start // WORD : node.own_stop // WORD]
