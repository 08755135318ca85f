"""The parameters of kinematic models: names, units, defaults and bounds.

Robot files, `autosim vehicle simulate` and the documentation take them from here.
"""

from dataclasses import dataclass, replace

from autosim.config.schema import EVERYDAY, Interval, ValueType

SECONDS = Interval(0.0, 60.0)
POSITIVE = Interval(0.0, 1e6, low_open=True)
EITHER_WAY = Interval(-1e6, 1e6)


@dataclass(frozen=True, slots=True)
class ModelParameter:
    """One number, switch or map of a vehicle.

    A map (`type` PATH) is the name of a CSV file, "" for none; of a text `allowed` are the only
    valid ones. `former`: another name, under which older versions of the same model know it.

    Attributes:
        meaning: sentence for the documentation.
        unit: SI unit, "" for none.
        default: value where a robot file states none.
        interval: allowed values of a number.
    """

    name: str
    meaning: str
    unit: str = ""
    default: float | bool | str = 0.0
    interval: Interval = EVERYDAY
    type: ValueType = ValueType.REAL
    former: str = ""
    allowed: tuple[str, ...] = ()

    @property
    def is_map(self) -> bool:
        """Whether it names a file."""
        return self.type is ValueType.PATH

    def with_default(self, default: float) -> "ModelParameter":
        """The same of a model for which another value is usual."""
        return replace(self, default=default)


def _dead_time(name: str, of: str, default: float) -> ModelParameter:
    return ModelParameter(name, f"Dead time of the {of} input.", "s", default, SECONDS)


def _lag(name: str, of: str, default: float) -> ModelParameter:
    meaning = (
        f"Time constant of the first-order {of} dynamics: after it 63 % are reached. Below 0.03 s "
        "it counts as 0.03 s."
    )
    return ModelParameter(name, meaning, "s", default, SECONDS)


def _limit(name: str, of: str, unit: str, default: float) -> ModelParameter:
    return ModelParameter(name, f"Limit of {of}.", unit, default, POSITIVE)


def _map(name: str, meaning: str) -> ModelParameter:
    return ModelParameter(name, meaning, default="", type=ValueType.PATH)


WHEELBASE = ModelParameter(
    "wheelbase", "Distance between the axles.", "m", 2.79, Interval(0.1, 100.0)
)
ACC_TIME_DELAY = _dead_time("acc_time_delay", "acceleration", 0.1)
VEL_TIME_DELAY = _dead_time("vel_time_delay", "velocity", 0.25)
STEER_TIME_DELAY = _dead_time("steer_time_delay", "steering", 0.24)
ACCEL_TIME_DELAY = _dead_time("accel_time_delay", "accelerator", 0.1)
BRAKE_TIME_DELAY = _dead_time("brake_time_delay", "brake", 0.1)
ACC_TIME_CONSTANT = _lag("acc_time_constant", "acceleration", 0.1)
VEL_TIME_CONSTANT = _lag("vel_time_constant", "velocity", 0.5)
STEER_TIME_CONSTANT = _lag("steer_time_constant", "steering", 0.27)
ACCEL_TIME_CONSTANT = _lag("accel_time_constant", "acceleration under the accelerator", 0.1)
BRAKE_TIME_CONSTANT = _lag("brake_time_constant", "acceleration under the brake", 0.1)
VEL_LIM = _limit("vel_lim", "the velocity", "m/s", 50.0)
VEL_RATE_LIM = _limit("vel_rate_lim", "the acceleration", "m/s²", 7.0)
STEER_LIM = replace(
    _limit("steer_lim", "the steering angle", "rad", 1.0), interval=Interval(0.0, 1.5, True)
)
STEER_RATE_LIM = _limit("steer_rate_lim", "the rate of the steering angle", "rad/s", 5.0)
STEER_DEAD_BAND = ModelParameter(
    "steer_dead_band",
    "Dead zone of the steering: it does not move while it is off by less.",
    "rad",
    0.0,
    Interval(0.0, 1.5),
    former="deadzone_delta_steer",
)
STEER_BIAS = ModelParameter(
    "steer_bias",
    "Error of the measured steering angle, which the steering corrects as if it were true.",
    "rad",
    0.0,
    Interval(-1.5, 1.5),
)
ACC_SCALING = ModelParameter(
    "debug_acc_scaling_factor",
    "Factor on the acceleration that was asked for.",
    default=1.0,
    interval=Interval(0.0, 100.0),
)
STEER_SCALING = ModelParameter(
    "debug_steer_scaling_factor",
    "Factor on the steering angle that was asked for.",
    default=1.0,
    interval=Interval(0.0, 100.0),
)
STABILITY_FACTOR = ModelParameter(
    "stability_factor",
    "Slip of the tyres: at the speed v the vehicle turns 1 + stability_factor · v² times slower "
    "than its wheels point. 0: none; a car that understeers has about 0.002.",
    "s²/m²",
    0.0,
    Interval(0.0, 1.0),
)
ROAD_SLOPE = ModelParameter(
    "enable_road_slope_simulation",
    "Whether gravity pulls it down slopes; without, it drives there as on the level.",
    default=False,
    type=ValueType.BOOLEAN,
)
ACCELERATION_MAP = _map(
    "acceleration_map_path",
    "CSV file with the actual acceleration [m/s²] by commanded acceleration (rows) and velocity "
    "[m/s] (columns). Default: both are equal.",
)
ACCEL_MAP = _map(
    "accel_map_path",
    "CSV file with the acceleration [m/s²] by the accelerator (rows) and the velocity [m/s] "
    "(columns). Without it the accelerator is an acceleration.",
)
BRAKE_MAP = _map(
    "brake_map_path",
    "CSV file with the acceleration [m/s²] by the brake (rows) and the velocity [m/s] (columns). "
    "Without it the brake does nothing: the accelerator may be negative.",
)

STEER_MAP = _map(
    "steer_map_path",
    "CSV file with steer_time_constant times the rate of the steering angle [rad] by the steering "
    "command (rows) and the velocity [m/s] (columns). Without it the command is that.",
)
GEAR_RATIO = (
    ModelParameter(
        "vgr_coef_a",
        "Gear ratio of the steering at rest: the angle of the steering wheel over that of the "
        "wheels is a + b v² - c |angle of the steering wheel|.",
        default=15.713,
        interval=Interval(0.1, 1000.0),
    ),
    ModelParameter("vgr_coef_b", "See vgr_coef_a.", "s²/m²", 0.053, Interval(-10.0, 10.0)),
    ModelParameter("vgr_coef_c", "See vgr_coef_a.", "1/rad", 0.042, Interval(-10.0, 10.0)),
)


def _mechanical(
    name: str, meaning: str, unit: str, default: float, interval: Interval = EITHER_WAY
) -> ModelParameter:
    return ModelParameter(f"mechanical_params.{name}", meaning, unit, default, interval)


MECHANISM = (
    _mechanical("kp", "Proportional gain of the controller.", "1/rad", 386.9151820510161),
    _mechanical("ki", "Integral gain of the controller.", "1/(rad s)", 5.460970982628869),
    _mechanical("kd", "Derivative gain of the controller.", "s/rad", 0.03550834077602694),
    _mechanical("ff_gain", "Gain of the commanded angle itself.", "1/rad", 0.03051963576179274),
    _mechanical("angle_limit", "Limit of the angle of the wheels.", "rad", 10.0, POSITIVE),
    _mechanical("rate_limit", "Limit of the rate of that angle.", "rad/s", 3.0, POSITIVE),
    _mechanical(
        "dead_zone_threshold",
        "Torque below which the steering does not reverse.",
        "N m",
        0.00708241866710033,
        Interval(0.0, 1e6),
    ),
    _mechanical(
        "poly_a",
        "The power steering makes of the controller's output x, at the speed v, the torque "
        "a x³ + b x² + c x + d v³ + e v² + f v + g x v + h.",
        "N m",
        0.15251276182076065,
    ),
    _mechanical("poly_b", "See mechanical_params.poly_a.", "N m", -0.17301900674117585),
    _mechanical("poly_c", "See mechanical_params.poly_a.", "N m", 1.5896528355739639),
    _mechanical("poly_d", "See mechanical_params.poly_a.", "N s³/m²", 0.002300899817071436),
    _mechanical("poly_e", "See mechanical_params.poly_a.", "N s²/m", -0.0418928856764797),
    _mechanical("poly_f", "See mechanical_params.poly_a.", "N s", 0.18449047960081838),
    _mechanical("poly_g", "See mechanical_params.poly_a.", "N s", -0.06320887302605509),
    _mechanical("poly_h", "See mechanical_params.poly_a.", "N m", 0.18696796150634806),
    _mechanical("inertia", "Inertia of the steering.", "kg m²", 25.17844747941984, POSITIVE),
    _mechanical(
        "damping", "Damping of the steering.", "N m s/rad", 117.00653795106054, Interval(0.0, 1e6)
    ),
    _mechanical(
        "stiffness",
        "Stiffness that turns the wheels straight.",
        "N m/rad",
        0.17526182368541224,
        Interval(0.0, 1e6),
    ),
    _mechanical(
        "friction", "Friction of the steering.", "N m", 0.6596571248682918, Interval(0.0, 1e6)
    ),
    _mechanical("steering_torque_limit", "Limit of the torque.", "N m", 30.0, Interval(0.0, 1e6)),
    _mechanical(
        "torque_delay_time",
        "Time after a start until the steering moves.",
        "s",
        0.0007641271506616108,
        SECONDS,
    ),
)
"""The steering of ACTUATION_CMD_MECHANICAL; the defaults are those of Autoware's sample."""

STEERING_MIN = ModelParameter("steering_min", "Least steering angle.", "rad", -1.066)
STEERING_MAX = ModelParameter("steering_max", "Greatest steering angle.", "rad", 1.066)
STEERING_V_MIN = ModelParameter(
    "steering_v_min", "Least rate of the steering angle.", "rad/s", -0.4
)
STEERING_V_MAX = ModelParameter(
    "steering_v_max", "Greatest rate of the steering angle.", "rad/s", 0.4
)
V_MIN = ModelParameter("v_min", "Least velocity.", "m/s", -13.9)
V_MAX = ModelParameter("v_max", "Greatest velocity.", "m/s", 50.8)
V_SWITCH = ModelParameter(
    "v_switch", "Velocity from which on the engine's power limits it.", "m/s", 7.319, POSITIVE
)
A_MAX = ModelParameter("a_max", "Greatest acceleration either way.", "m/s²", 11.5, POSITIVE)
FRONT = ModelParameter(
    "a", "From the centre of mass to the front axle.", "m", 1.1561957064, Interval(0.01, 100.0)
)
REAR = ModelParameter(
    "b", "From the centre of mass to the rear axle.", "m", 1.4227170936, Interval(0.01, 100.0)
)
MASS = ModelParameter("m", "Mass.", "kg", 1093.2952334674046, POSITIVE)
INERTIA = ModelParameter(
    "I_z", "Moment of inertia about the vertical axis.", "kg m²", 1791.5995300122856, POSITIVE
)
HEIGHT = ModelParameter(
    "h_s", "Height of the centre of mass.", "m", 0.61373004, Interval(0.0, 100.0)
)
FRICTION = ModelParameter("mu", "Friction of the tyres.", default=1.0489, interval=POSITIVE)
FRONT_STIFFNESS = ModelParameter(
    "C_Sf",
    "Cornering stiffness in front, as a share of the load.",
    "1/rad",
    20.898083706740398,
    POSITIVE,
)
REAR_STIFFNESS = ModelParameter(
    "C_Sr",
    "Cornering stiffness behind, as a share of the load.",
    "1/rad",
    20.898083706740398,
    POSITIVE,
)

PARAMETERS = (
    *(WHEELBASE, ACC_TIME_DELAY, VEL_TIME_DELAY, STEER_TIME_DELAY),
    *(ACCEL_TIME_DELAY, BRAKE_TIME_DELAY, ACC_TIME_CONSTANT, VEL_TIME_CONSTANT),
    *(STEER_TIME_CONSTANT, ACCEL_TIME_CONSTANT, BRAKE_TIME_CONSTANT),
    *(VEL_LIM, VEL_RATE_LIM, STEER_LIM, STEER_RATE_LIM, STEER_DEAD_BAND, STEER_BIAS),
    *(ACC_SCALING, STEER_SCALING, STABILITY_FACTOR, ROAD_SLOPE),
    *(ACCELERATION_MAP, ACCEL_MAP, BRAKE_MAP),
    *(STEERING_MIN, STEERING_MAX, STEERING_V_MIN, STEERING_V_MAX),
    *(V_MIN, V_MAX, V_SWITCH, A_MAX),
    *(FRONT, REAR, MASS, INERTIA, HEIGHT, FRICTION, FRONT_STIFFNESS, REAR_STIFFNESS),
    *(STEER_MAP, *GEAR_RATIO, *MECHANISM),
)
"""All of them, in the order of the columns that kernels read."""

COLUMN = {each.name: column for column, each in enumerate(PARAMETERS)}
"""The place of each in `PARAMETERS`."""


def _deviation(of: str, unit: str, default: float) -> ModelParameter:
    return ModelParameter(
        f"{of}_noise_stddev",
        f"Standard deviation of the noise of {_NOISY[of]}.",
        unit,
        default,
        Interval(0.0, 1e6),
    )


_NOISY = {
    "pos": "the reported position, along x and y each",
    "rpy": "the reported roll, pitch and yaw, each",
    "vel": "the reported longitudinal velocity",
    "angvel": "the reported angular velocity",
    "steer": "the reported steering angle",
}

INITIALIZE_SOURCE = ModelParameter(
    "initialize_source",
    "`ORIGIN`: it starts where the world puts it, which is the origin of its frame. "
    "`INITIAL_POSE_TOPIC`: that is the world's frame, and it waits there until its InitialPose "
    "device is set; without such a device it starts where the world puts it.",
    default="INITIAL_POSE_TOPIC",
    type=ValueType.TEXT,
    allowed=("ORIGIN", "INITIAL_POSE_TOPIC"),
)

COMMON = (
    ModelParameter(
        "simulated_frame_id",
        "Name of the vehicle's frame, in its VehicleTransform: at most 32 bytes.",
        default="base_link",
        type=ValueType.TEXT,
    ),
    ModelParameter(
        "origin_frame_id",
        "Name of the frame in which its pose is reported, in its VehicleTransform: at most 32 "
        "bytes.",
        default="odom",
        type=ValueType.TEXT,
    ),
    INITIALIZE_SOURCE,
    ModelParameter(
        "add_measurement_noise",
        "Whether what it reports has noise.",
        default=True,
        type=ValueType.BOOLEAN,
    ),
    _deviation("pos", "m", 0.01),
    _deviation("rpy", "rad", 0.0001),
    _deviation("vel", "m/s", 0.0),
    _deviation("angvel", "rad/s", 0.0),
    _deviation("steer", "rad", 0.0001),
)
"""Parameters of a vehicle of any model in a robot file, as of a node of Autoware."""

BODY = (
    ModelParameter(
        "axle_offset",
        "The rear axle, ahead of the middle of the part (negative: behind it). Without it the "
        "middle lies halfway between the axles.",
        "m",
        0.0,
        Interval(-100.0, 100.0),
    ),
    ModelParameter(
        "track", "Distance between left and right wheels.", "m", 1.5, Interval(0.01, 100.0)
    ),
    ModelParameter(
        "ground_clearance",
        "Height of the part's lowest point above level ground.",
        "m",
        0.2,
        Interval(0.0, 100.0),
    ),
    ModelParameter(
        "command_timeout",
        "Age of a command's stamp from which on the vehicle brakes to a standstill.",
        "s",
        0.5,
        Interval(0.001, 1e6),
    ),
)
"""Further parameters, which it needs to drive in a world."""
