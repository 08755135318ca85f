"""Motion models of cars under steering and drive, for thousands of them at once.

Each model is made of functions of numbers with operators alone, without a branch. So compiled
kernels run it on vectors of the processor, and the same lines run on arrays of NumPy, PyTorch and
CuPy. They are short, so that what a processor does for several vectors at once fits its queues.

All models share one state. Its pose is x, y [m] in any level frame, yaw [rad, counter-clockwise
from x], its cosine and sine; its body is speed [m/s], steering [rad, positive left], yaw rate
[rad/s] and slip [rad]. A model says what the car does in its own frame, which carries the pose on;
it changes what it has of the body, and leaves the rest as it is.
"""

from typing import Any, NamedTuple

from autosim.estimation.slipless import SliplessCar
from autosim.jit import inlined, jitable
from autosim.portable import sin_cos

SLIPLESS, KINEMATIC, SINGLE_TRACK = 0, 1, 2
"""Number by which kernels know each model; they take no functions."""

GRAVITY = 9.81
"""[m/s²], by which axle loads are computed, as the source of the single track model has it."""

SLOWEST = 2.0
"""Speed [m/s] below which a single track moves as a kinematic one. Its tyres' angles of slip are
quotients by the speed, so that they settle faster than a step of a plan can show."""

Value = Any
"""A number in kernels, or an array of any library."""

Pose = tuple[Value, Value, Value, Value, Value]
"""x, y, yaw, its cosine and sine."""

Body = tuple[Value, Value, Value, Value]
"""Speed, steering, yaw rate and slip."""

Moved = tuple[Value, Value, Value, Value, Value, Value, Value, Value]
"""Result of a model's step: how far the car goes ahead and aside [m], half of the angle [rad] by
which it turns, the body after it, and the lateral acceleration [m/s²]."""

State = tuple[Value, ...]
Stepped = tuple[Value, ...]
"""The state after a step, and last the lateral acceleration [m/s²]."""


class SingleTrackCar(NamedTuple):
    """The measures of a car for the kinematic and the single track model of CommonRoad.

    The defaults are those of its vehicle 2, a BMW 320i.
    """

    front: float = 1.1561957064
    """Distance [m] from the centre of mass forward to the front axle."""
    rear: float = 1.4227170936
    """Distance [m] from the centre of mass back to the rear axle."""
    nose: float = 2.254
    """Distance [m] from the point that the model moves to the foremost one."""
    mass: float = 1093.2952334674046
    """Mass [kg]."""
    inertia: float = 1791.5995300122856
    """Moment of inertia [kg m²] about the vertical."""
    height: float = 0.61373004
    """Height [m] of the centre of mass."""
    friction: float = 1.0489
    """Coefficient of friction."""
    front_stiffness: float = 20.898083706740398
    """Cornering stiffness [1/rad] of the front tyres per load."""
    rear_stiffness: float = 20.898083706740398
    """The same of the rear tyres."""
    steering_limit: float = 1.066
    """Largest angle [rad] of the front wheels."""


@jitable
def clamp(value: Value, least: Value, most: Value) -> Value:
    """The value, or the limit that it lies beyond; the limits are finite."""
    inside = (value >= least) * (value <= most)
    return (value < least) * least + (value > most) * most + inside * value


@jitable
def half_turn(half: Value) -> tuple[Value, Value]:
    """cos(half) and sin(half) / half of an angle [rad] between -1 and 1, exact to 10^-12.

    Carrying a heading as cosine and sine on saves a function of hundreds of operations in each
    step. Terms are added in pairs: a chain of them would wait for each.
    """
    square = half * half
    fourth = square * square
    tail = (1.0 / 40320.0 - square * (1.0 / 3628800.0)) + fourth * (1.0 / 479001600.0)
    tail = (1.0 / 24.0 - square * (1.0 / 720.0)) + fourth * tail
    cosine = (1.0 - 0.5 * square) + fourth * tail
    tail = (1.0 / 120.0 - square * (1.0 / 5040.0)) + fourth * (
        1.0 / 362880.0 - square * (1.0 / 39916800.0)
    )
    return cosine, (1.0 - square * (1.0 / 6.0)) + fourth * tail


@inlined
def advance_pose(pose: Pose, ahead: Value, aside: Value, half: Value) -> Pose:
    """A pose after a step at even speeds in the car's own frame: it moves on an arc.

    Args:
        pose: x, y [m], yaw [rad], its cosine and sine.
        ahead: distance [m] along the car's axis.
        aside: to its left [m].
        half: half of the angle [rad] by which it turns.
    """
    x, y, yaw, cosine, sine = pose
    along, share = half_turn(half)
    across = half * share
    # The chord of the arc points along the heading in its middle.
    cosine_m, sine_m = cosine * along - sine * across, sine * along + cosine * across
    return (
        x + (ahead * cosine_m - aside * sine_m) * share,
        y + (ahead * sine_m + aside * cosine_m) * share,
        yaw + 2.0 * half,
        cosine_m * along - sine_m * across,
        sine_m * along + cosine_m * across,
    )


@inlined
def slipless_wheels(speed: Value, steering: Value, car: SliplessCar) -> tuple[Value, Value, Value]:
    """Effect of the steered wheels of a slipless bicycle on its motion.

    Returns:
        The cosine of the angle between the motion of the centre and the car's axis, the curvature
        [1/m] of the centre's path, and how much of the force at both wheels acts along that.
    """
    # Quotients of measures alone are computed once for all plans.
    per_wheelbase = 1.0 / (car.front + car.rear)
    angle = steering / (1.0 + car.understeer * speed)
    cosine, share = half_turn(angle)
    sine = angle * share
    bend = sine * per_wheelbase
    side = car.rear * bend
    scale = 1.0 / (cosine * cosine + side * side) ** 0.5
    along = cosine * scale
    return along, bend * scale, cosine * along + sine * side * scale + along


@inlined
def slipless_drive(
    speed: Value,
    wheels: tuple[Value, Value, Value],
    torque: Value,
    car: SliplessCar,
    seconds: float,
) -> tuple[Value, Value, Value, Value]:
    """One step of a slipless bicycle under the motor's torque [N m].

    Args:
        speed: of the centre [m/s].
        wheels: what `slipless_wheels` says.
        torque: of the motor [N m].
        car: its measures.
        seconds: length of the step [s].

    Returns:
        The speed after it, the distance ahead, half of the angle of turn, and the lateral
        acceleration.
    """
    along, bend, share = wheels
    per_mass = 1.0 / car.mass
    per_torque = 1.0 / (car.wheel_radius * car.mass)
    most = 0.5 * (car.mass * car.longitudinal_acceleration + car.drag) * car.wheel_radius
    least = -0.5 * car.braking_force * car.wheel_radius
    each = clamp(0.5 * car.gear_ratio * torque, least, most)
    after = speed + (each * share * per_torque - car.drag * per_mass) * seconds
    after = (after > 0.0) * after
    both = after + speed
    mean = (after * after + after * speed + speed * speed) * (2.0 / 3.0) / (both + (both == 0.0))
    turn = mean * bend
    return after, mean * seconds * along, 0.5 * turn * seconds, after * turn


def slipless(body: Body, steering: Value, torque: Value, car: SliplessCar, seconds: float) -> Moved:
    """A bicycle whose wheels do not slip, with a motor: `autosim.estimation.slipless`.

    Args:
        body: of the centre of mass; steering, yaw rate and slip are not used.
        steering: of the front wheels [rad], between -1 and 1.
        torque: of the motor [N m].
        car: its measures.
        seconds: length of the step [s].
    """
    speed, *others = body
    wheels = slipless_wheels(speed, steering, car)
    after, ahead, half, lateral = slipless_drive(speed, wheels, torque, car, seconds)
    return (ahead, 2.0 * car.rear * half, half, after, *others, lateral)


@inlined
def kinematic(
    body: Body, steering_rate: Value, pull: Value, car: SingleTrackCar, seconds: float
) -> Moved:
    """CommonRoad's kinematic single track (KS) by the midpoint rule; it moves the rear axle.

    Args:
        body: of the middle of the rear axle.
        steering_rate: of the front wheels [rad/s].
        pull: longitudinal acceleration [m/s²].
        car: its measures.
        seconds: length of the step [s].
    """
    speed, steering, _, slip = body
    limit = car.steering_limit
    after = clamp(steering + steering_rate * seconds, -limit, limit)
    sine, cosine = sin_cos(0.5 * (steering + after))
    mean = speed + 0.5 * pull * seconds
    faster = speed + pull * seconds
    turn = mean * sine / (cosine * (car.front + car.rear))
    ahead = mean * seconds
    return ahead, 0.0 * ahead, 0.5 * turn * seconds, faster, after, turn, slip, faster * turn


@inlined
def single_track(
    body: Body, steering_rate: Value, pull: Value, car: SingleTrackCar, seconds: float
) -> Moved:
    """CommonRoad's single track with slip of the tyres (ST), linear in yaw rate and slip.

    Both follow by the trapezoidal rule, which is stable however stiff the tyres are.

    Args:
        body: of the centre of mass.
        steering_rate: of the front wheels [rad/s].
        pull: longitudinal acceleration [m/s²].
        car: its measures.
        seconds: length of the step [s].
    """
    speed, steering, rate, slip = body
    wheelbase = car.front + car.rear
    limit = car.steering_limit
    after = clamp(steering + steering_rate * seconds, -limit, limit)
    angle = 0.5 * (steering + after)
    mean = speed + 0.5 * pull * seconds
    is_slow = (mean < SLOWEST) * 1.0
    v = (1.0 - is_slow) * mean + is_slow
    # What each axle holds per angle of slip, less what the acceleration shifts to the rear.
    front = car.friction * car.front_stiffness * (GRAVITY * car.rear - pull * car.height)
    rear = car.friction * car.rear_stiffness * (GRAVITY * car.front + pull * car.height)
    m = car.mass / (car.inertia * wheelbase)
    balance = rear * car.rear - front * car.front
    a = -m * (car.front * car.front * front + car.rear * car.rear * rear) / v
    b = m * balance
    c = balance / (v * v * wheelbase) - 1.0
    d = -(rear + front) / (v * wheelbase)
    half = 0.5 * seconds
    # (I - half A) new = (I + half A) old + seconds · input, solved by Cramer's rule.
    first = rate + half * (a * rate + b * slip) + seconds * m * car.front * front * angle
    second = slip + half * (c * rate + d * slip) + seconds * front * angle / (v * wheelbase)
    scale = 1.0 / ((1.0 - half * a) * (1.0 - half * d) - half * b * half * c)
    rate_1 = scale * ((1.0 - half * d) * first + half * b * second)
    slip_1 = scale * ((1.0 - half * a) * second + half * c * first)
    sine_k, cosine_k = sin_cos(angle)
    slope = sine_k / cosine_k
    side = car.rear / wheelbase * slope
    rate_0 = mean * slope / (wheelbase * (1.0 + side * side) ** 0.5)
    # Slow cars do not slip; the angle of their motion is small enough for its tangent's series.
    slip_0 = side * (1.0 - side * side * (1.0 / 3.0 - side * side * 0.2))
    rate_1 = (1.0 - is_slow) * rate_1 + is_slow * rate_0
    slip_1 = (1.0 - is_slow) * slip_1 + is_slow * slip_0
    along, share = half_turn(0.5 * (slip + slip_1))
    across = 0.5 * (slip + slip_1) * share
    half = 0.25 * seconds * (rate + rate_1)
    way, faster = mean * seconds, speed + pull * seconds
    return (
        *(way * along, way * across, half),
        *(faster, after, rate_1, slip_1),
        faster * rate_1,
    )


class CarModel(NamedTuple):
    """The model that moves a car, and its parameters; kernels take both kinds of parameters.

    Attributes:
        code: `SLIPLESS`, `KINEMATIC` or `SINGLE_TRACK`: the parameters that count.
        slipless: parameters without wheel slip.
        single_track: parameters of a single-track model.
    """

    code: int
    slipless: SliplessCar = SliplessCar()
    single_track: SingleTrackCar = SingleTrackCar()

    @property
    def nose(self) -> float:
        """Distance [m] from the point that the model moves to the foremost one."""
        return self.slipless.nose if self.code == SLIPLESS else self.single_track.nose


def slipless_model(car: SliplessCar = SliplessCar()) -> CarModel:  # noqa: B008
    """Wheels that do not slip; actions are steering [rad] and the motor's torque [N m]."""
    return CarModel(SLIPLESS, slipless=car)


def kinematic_model(car: SingleTrackCar = SingleTrackCar()) -> CarModel:  # noqa: B008
    """CommonRoad's KS; actions are the steering's rate [rad/s] and an acceleration [m/s²]."""
    return CarModel(KINEMATIC, single_track=car)


def single_track_model(car: SingleTrackCar = SingleTrackCar()) -> CarModel:  # noqa: B008
    """CommonRoad's ST; actions are the steering's rate [rad/s] and an acceleration [m/s²]."""
    return CarModel(SINGLE_TRACK, single_track=car)


def step_of(model: CarModel, state: State, first: Value, second: Value, seconds: float) -> Stepped:
    """The state after a step of any model, on arrays of any library, and the lateral acceleration.

    Args:
        model: of the car.
        state: x, y, yaw, its cosine and sine, speed, steering, yaw rate and slip.
        first: number of the action, as the model has it.
        second: likewise.
        seconds: length of the step [s].
    """
    x, y, yaw, cosine, sine, *rest = state
    speed, steering, rate, slip = rest
    body = speed, steering, rate, slip
    if model.code == SLIPLESS:
        moved = slipless(body, first, second, model.slipless, seconds)
    else:
        step = kinematic if model.code == KINEMATIC else single_track
        moved = step(body, first, second, model.single_track, seconds)
    return (*advance_pose((x, y, yaw, cosine, sine), *moved[:3]), *moved[3:])
