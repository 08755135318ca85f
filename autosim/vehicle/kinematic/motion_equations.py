"""The equations of the kinematic models: how fast each number of a vehicle's state changes.

Sources: Autoware Universe, `simple_planning_simulator/vehicle_model`; CommonRoad, `vehicle models`
2020a (KS in section 4, ST in section 6 of its documentation).
"""

from autosim.arrays import Floats
from autosim.config.world_settings import GRAVITY
from autosim.jit import jitable
from autosim.kinds.kinematic.model_catalogue import CODES
from autosim.kinds.kinematic.model_parameters import COLUMN
from autosim.portable import arctan, cos, sin_cos, tan
from autosim.vehicle.kinematic.lookup_maps import interpolate

State = tuple[float, float, float, float, float, float, float, float]
"""Place x, y [m], yaw [rad], velocity [m/s], steering angle [rad], acceleration [m/s²]; and of ST
the yaw rate [rad/s] and the slip angle [rad]. All kinds of vehicles have all of them."""

Constants = tuple[float, ...]
"""The parameters of a vehicle, by `COLUMN`. A tuple: passing arrays on costs a count of references
at each call."""

Input = tuple[float, float, float, float, float]
"""Inputs of a step: commanded acceleration or velocity, steering angle (of KS and ST its rate),
brake, gear, acceleration due to the slope."""

GEARS = ("NONE", "DRIVE", "REVERSE", "PARK", "LOW", "NEUTRAL")
"""The names of gears by their numbers, which are those of Autoware's VehicleStateCommand."""

NONE, DRIVE, REVERSE, PARK, LOW, NEUTRAL = (float(number) for number in range(len(GEARS)))

IDEAL_STEER_VEL, IDEAL_STEER_ACC, IDEAL_STEER_ACC_GEARED = range(3)
DELAY_STEER_VEL, DELAY_STEER_ACC, DELAY_STEER_ACC_GEARED = range(3, 6)
WO_FALL_GUARD, MAP_ACC_GEARED, ACTUATION_CMD = range(6, 9)
STEER_MAP, VGR, MECHANICAL, KS, ST = range(9, len(CODES))

MIN_TIME_CONSTANT = 0.03
"""Shortest lag [s], that of Autoware's models."""

SLOW = 0.1
"""Velocity [m/s] below which ST moves without slip. CommonRoad has it so between -0.1 and 0.1 m/s;
below, its equations grow without limit, since they hold for tyres that roll forwards."""

SLOWEST = 0.05
"""Velocity [m/s] from which on a step of ST is made in parts: a little slower than `SLOW`, which it
may pass within the step."""

_WHEELBASE = COLUMN["wheelbase"]
_ACC_TIME_CONSTANT = COLUMN["acc_time_constant"]
_VEL_TIME_CONSTANT = COLUMN["vel_time_constant"]
_STEER_TIME_CONSTANT = COLUMN["steer_time_constant"]
_ACCEL_TIME_CONSTANT = COLUMN["accel_time_constant"]
_BRAKE_TIME_CONSTANT = COLUMN["brake_time_constant"]
_VEL_LIM, _VEL_RATE_LIM = COLUMN["vel_lim"], COLUMN["vel_rate_lim"]
_STEER_LIM, _STEER_RATE_LIM = COLUMN["steer_lim"], COLUMN["steer_rate_lim"]
_DEAD_BAND, STEER_BIAS = COLUMN["steer_dead_band"], COLUMN["steer_bias"]
_ACC_SCALING = COLUMN["debug_acc_scaling_factor"]
_STEER_SCALING = COLUMN["debug_steer_scaling_factor"]
_STABILITY_FACTOR = COLUMN["stability_factor"]
_ACCELERATION_MAP = COLUMN["acceleration_map_path"]
_ACCEL_MAP, _BRAKE_MAP = COLUMN["accel_map_path"], COLUMN["brake_map_path"]
_STEERING_MIN, _STEERING_MAX = COLUMN["steering_min"], COLUMN["steering_max"]
_STEERING_V_MIN, _STEERING_V_MAX = COLUMN["steering_v_min"], COLUMN["steering_v_max"]
_V_MIN, _V_MAX, _V_SWITCH = COLUMN["v_min"], COLUMN["v_max"], COLUMN["v_switch"]
_A_MAX, _FRONT, _REAR, _MASS = COLUMN["a_max"], COLUMN["a"], COLUMN["b"], COLUMN["m"]
_INERTIA, _HEIGHT, _FRICTION = COLUMN["I_z"], COLUMN["h_s"], COLUMN["mu"]
_FRONT_STIFFNESS, _REAR_STIFFNESS = COLUMN["C_Sf"], COLUMN["C_Sr"]
_STEER_MAP = COLUMN["steer_map_path"]
_RATIO_A, _RATIO_B, _RATIO_C = COLUMN["vgr_coef_a"], COLUMN["vgr_coef_b"], COLUMN["vgr_coef_c"]

LEAST_RATIO = 1e-5
"""Least gear ratio of a steering, that of Autoware's models."""


@jitable
def constants_of(row: Floats) -> Constants:
    """The parameters in a `row`, which has one for each of `COLUMN`, without `MECHANISM`."""
    return (
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        row[6],
        row[7],
        row[8],
        row[9],
        row[10],
        row[11],
        row[12],
        row[13],
        row[14],
        row[15],
        row[16],
        row[17],
        row[18],
        row[19],
        row[20],
        row[21],
        row[22],
        row[23],
        row[24],
        row[25],
        row[26],
        row[27],
        row[28],
        row[29],
        row[30],
        row[31],
        row[32],
        row[33],
        row[34],
        row[35],
        row[36],
        row[37],
        row[38],
        row[39],
        row[40],
        row[41],
        row[42],
        row[43],
    )


@jitable
def within(value: float, low: float, high: float) -> float:
    """`value`, brought into low..high."""
    return max(low, min(value, high))


@jitable
def state_derivative(model: int, p: Constants, s: State, u: Input) -> State:
    """The rates at which the numbers of a state change.

    Args:
        model: its place in `CODES`.
        p: the vehicle's parameters.
        s: the state.
        u: the input; of a model with maps what `map_input` makes of it.
    """
    if model == KS:
        return _kinematic_single_track(p, s, u)
    if model == ST:
        return _single_track(p, s, u)
    if model <= IDEAL_STEER_ACC_GEARED:
        return _ideal(model, p, s, u)
    return _delayed(model, p, s, u)


@jitable
def _ideal(model: int, p: Constants, s: State, u: Input) -> State:
    velocity = u[0] if model == IDEAL_STEER_VEL else s[3]
    sine, cosine = sin_cos(s[2])
    turning = velocity * tan(u[1]) / p[_WHEELBASE]
    faster = 0.0 if model == IDEAL_STEER_VEL else u[0] + u[4]
    return velocity * cosine, velocity * sine, turning, faster, 0.0, 0.0, 0.0, 0.0


@jitable
def _delayed(model: int, p: Constants, s: State, u: Input) -> State:
    velocity = within(s[3], -p[_VEL_LIM], p[_VEL_LIM])
    steer = s[4]
    if model == DELAY_STEER_VEL:
        steer = within(steer, -p[_STEER_LIM], p[_STEER_LIM])
    sine, cosine = sin_cos(s[2])
    slip = 1.0 + p[_STABILITY_FACTOR] * velocity * velocity
    turning = velocity * tan(steer) / (p[_WHEELBASE] * slip)
    faster, jerk = _along(model, p, velocity, s[5], u)
    if model == MECHANICAL:
        steered = 0.0  # `mechanism` turns it.
    elif model == STEER_MAP:
        rate = u[1] / max(p[_STEER_TIME_CONSTANT], MIN_TIME_CONSTANT)
        steered = within(rate, -p[_STEER_RATE_LIM], p[_STEER_RATE_LIM])
    else:
        steered = _steering_rate(p, steer, u[1])
    return (
        *(velocity * cosine, velocity * sine, turning, faster),
        *(steered, jerk, 0.0, 0.0),
    )


@jitable
def _steering_rate(p: Constants, steer: float, command: float) -> float:
    """The rate [rad/s] of the steering, which corrects what it measures, with its bias."""
    wanted = within(command, -p[_STEER_LIM], p[_STEER_LIM]) * p[_STEER_SCALING]
    off = steer + p[STEER_BIAS] - wanted
    if off > p[_DEAD_BAND]:
        off -= p[_DEAD_BAND]
    elif off < -p[_DEAD_BAND]:
        off += p[_DEAD_BAND]
    else:
        off = 0.0
    rate = -off / max(p[_STEER_TIME_CONSTANT], MIN_TIME_CONSTANT)
    return within(rate, -p[_STEER_RATE_LIM], p[_STEER_RATE_LIM])


@jitable
def _along(
    model: int, p: Constants, velocity: float, acceleration: float, u: Input
) -> tuple[float, float]:
    """The rates of velocity [m/s²] and acceleration [m/s³]."""
    most = p[_VEL_RATE_LIM]
    if model == DELAY_STEER_VEL:
        wanted = within(u[0], -p[_VEL_LIM], p[_VEL_LIM])
        lag = max(p[_VEL_TIME_CONSTANT], MIN_TIME_CONSTANT)
        return within(-(velocity - wanted) / lag, -most, most), 0.0
    acceleration = within(acceleration, -most, most)
    if model >= ACTUATION_CMD:
        return acceleration, -(acceleration - u[0]) / max(u[2], MIN_TIME_CONSTANT)
    lag = max(p[_ACC_TIME_CONSTANT], MIN_TIME_CONSTANT)
    if model == WO_FALL_GUARD:
        wanted = within(u[0], -most, most) * p[_ACC_SCALING]
        return _by_pedal(velocity, acceleration, u), -(acceleration - wanted) / lag
    wanted = u[0] if model == MAP_ACC_GEARED else within(u[0] + u[4], -most, most)
    return acceleration, -(acceleration - wanted * p[_ACC_SCALING]) / lag


@jitable
def has_maps(model: int) -> bool:
    """Whether maps or a gear ratio convert a model's input."""
    return MAP_ACC_GEARED <= model <= MECHANICAL


@jitable
def map_input(model: int, p: Constants, maps: Floats, s: State, u: Input) -> Input:
    """The input of a model with maps, as `state_derivative` takes it.

    The first and third numbers are an acceleration and its lag [s]; the second is a steering angle,
    of STEER_MAP the rate of the steering times its time constant.

    Args:
        model: that `has_maps`.
        p: the vehicle's parameters; of a map where it begins in `maps`.
        maps: of all vehicles.
        s: the state.
        u: the input.
    """
    velocity, most = within(s[3], -p[_VEL_LIM], p[_VEL_LIM]), p[_VEL_RATE_LIM]
    wanted = u[0]
    if model == MAP_ACC_GEARED:
        wanted = within(wanted + u[4], -most, most)
        if p[_ACCELERATION_MAP] >= 0.0:
            wanted = interpolate(maps, int(p[_ACCELERATION_MAP]), wanted, velocity)
        return wanted, u[1], 0.0, u[3], 0.0
    lag = p[_ACCEL_TIME_CONSTANT] if wanted > 0.0 else p[_BRAKE_TIME_CONSTANT]
    steering = u[1]
    if model == STEER_MAP and p[_STEER_MAP] >= 0.0:
        steering = interpolate(maps, int(p[_STEER_MAP]), steering, s[3])
    elif model == VGR:
        steering = angle_of_wheels(p, s[3], s[4], steering)
    if u[3] in (NONE, PARK):
        return 0.0, steering, lag, u[3], 0.0
    if wanted > 0.0 and p[_ACCEL_MAP] >= 0.0:
        wanted = interpolate(maps, int(p[_ACCEL_MAP]), wanted, velocity)
    elif u[2] > 0.0 and p[_BRAKE_MAP] >= 0.0:
        wanted = interpolate(maps, int(p[_BRAKE_MAP]), u[2], velocity)
    wanted = within(wanted, -most, most)
    return (-wanted if u[3] == REVERSE else wanted) + u[4], steering, lag, u[3], 0.0


@jitable
def angle_of_wheels(p: Constants, velocity: float, steer: float, turned: float) -> float:
    """Angle [rad] of the wheels that a steering wheel asks for that is `turned` [rad].

    The gear ratio is that at the angle which the steering wheel has now, by the wheels' angle
    `steer` [rad].
    """
    level = p[_RATIO_A] + p[_RATIO_B] * velocity * velocity
    now = steering_command(VGR, p, velocity, steer)
    return turned / max(level - p[_RATIO_C] * abs(now), LEAST_RATIO)


@jitable
def steering_command(model: int, p: Constants, velocity: float, steer: float) -> float:
    """The steering command that keeps the wheels at an angle `steer` [rad]."""
    if model == STEER_MAP:
        return 0.0
    if model in (VGR, MECHANICAL):
        level = p[_RATIO_A] + p[_RATIO_B] * velocity * velocity
        return level * steer / (1.0 + p[_RATIO_C] * abs(steer))
    return steer


@jitable
def _by_pedal(velocity: float, pedal: float, u: Input) -> float:
    """The acceleration [m/s²] of a vehicle that nothing keeps from rolling back."""
    gear, slope = u[3], u[4]
    if pedal >= 0.0:
        if gear in (NONE, PARK):
            return 0.0
        if gear == NEUTRAL:
            return slope
        return slope - pedal if gear == REVERSE else slope + pedal
    if velocity > 0.0:
        return slope + pedal
    if velocity < 0.0:
        return slope - pedal
    return 0.0 if -pedal >= abs(slope) else slope


@jitable
def bounded_steering_rate(p: Constants, steer: float, rate: float) -> float:
    """Actual rate [rad/s] of CommonRoad's steering for the commanded `rate`."""
    at_low = steer <= p[_STEERING_MIN] and rate <= 0.0
    at_high = steer >= p[_STEERING_MAX] and rate >= 0.0
    if at_low or at_high:
        return 0.0
    return within(rate, p[_STEERING_V_MIN], p[_STEERING_V_MAX])


@jitable
def _bounded_acceleration(p: Constants, velocity: float, acceleration: float) -> float:
    most = p[_A_MAX]
    if velocity > p[_V_SWITCH]:
        most *= p[_V_SWITCH] / velocity
    at_low = velocity <= p[_V_MIN] and acceleration <= 0.0
    at_high = velocity >= p[_V_MAX] and acceleration >= 0.0
    if at_low or at_high:
        return 0.0
    return within(acceleration, -p[_A_MAX], most)


@jitable
def _kinematic_single_track(p: Constants, s: State, u: Input) -> State:
    sine, cosine = sin_cos(s[2])
    velocity = s[3]
    turning = velocity / p[_WHEELBASE] * tan(s[4])
    rate = bounded_steering_rate(p, s[4], u[1])
    faster = _bounded_acceleration(p, velocity, u[0])
    return velocity * cosine, velocity * sine, turning, faster, rate, 0.0, 0.0, 0.0


@jitable
def _single_track(p: Constants, s: State, u: Input) -> State:
    velocity, steer = s[3], s[4]
    rate = bounded_steering_rate(p, steer, u[1])
    faster = _bounded_acceleration(p, velocity, u[0])
    if velocity < SLOW:
        return _slow_single_track(p, s, rate, faster)
    yaw_rate, slip = s[6], s[7]
    front, rear = p[_FRONT], p[_REAR]
    length, friction = front + rear, p[_FRICTION]
    # Cornering stiffness of both axles under their loads, as shares of the mass [m²/s²].
    in_front = p[_FRONT_STIFFNESS] * (GRAVITY * rear - faster * p[_HEIGHT])
    behind = p[_REAR_STIFFNESS] * (GRAVITY * front + faster * p[_HEIGHT])
    lever = friction * p[_MASS] / (p[_INERTIA] * length)
    spin = (
        -lever / velocity * (front * front * in_front + rear * rear * behind) * yaw_rate
        + lever * (rear * behind - front * in_front) * slip
        + lever * front * in_front * steer
    )
    across = friction / (velocity * length)
    drift = (
        (across / velocity * (behind * rear - in_front * front) - 1.0) * yaw_rate
        - across * (behind + in_front) * slip
        + across * in_front * steer
    )
    sine, cosine = sin_cos(slip + s[2])
    return velocity * cosine, velocity * sine, yaw_rate, faster, rate, 0.0, spin, drift


@jitable
def _slow_single_track(p: Constants, s: State, rate: float, faster: float) -> State:
    """ST without slip, of the centre of mass: its equations divide by the velocity."""
    velocity, steer, slip = s[3], s[4], s[7]
    length, rear = p[_FRONT] + p[_REAR], p[_REAR]
    slope = tan(steer)
    turned = cos(steer)
    squared = turned * turned
    own_slip = arctan(slope * rear / length)
    share = slope * slope * rear / length
    drift = rear * rate / (length * squared * (1.0 + share * share))
    sine, cosine = sin_cos(slip)
    spin = (
        faster * cosine * slope
        - velocity * sine * drift * slope
        + velocity * cosine * rate / squared
    ) / length
    turning = velocity * cos(own_slip) * slope / length
    sine, cosine = sin_cos(own_slip + s[2])
    return velocity * cosine, velocity * sine, turning, faster, rate, 0.0, spin, drift


@jitable
def stiffest_rate(model: int, p: Constants, velocity: float) -> float:
    """The rate [1/s] of the quickest change that a model's equations hold at a velocity.

    Of ST: how fast its tyres end a slip, which grows without limit towards standstill.
    """
    if model != ST or velocity < SLOWEST:
        return 0.0
    front, rear, inertia = p[_FRONT], p[_REAR], p[_INERTIA] / p[_MASS]
    stiffness = p[_FRICTION] * GRAVITY * max(p[_FRONT_STIFFNESS], p[_REAR_STIFFNESS])
    return stiffness / velocity * max(1.0, front * rear / inertia)


@jitable
def yaw_rate_of(model: int, p: Constants, s: State, steer: float) -> float:
    """Yaw rate [rad/s] of a vehicle in the state `s` with the steering angle `steer` [rad]."""
    if model == ST:
        return s[6]
    slip = 1.0
    if DELAY_STEER_VEL <= model < KS:
        slip += p[_STABILITY_FACTOR] * s[3] * s[3]
    return s[3] * tan(steer) / (p[_WHEELBASE] * slip)
