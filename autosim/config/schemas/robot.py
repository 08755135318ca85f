"""The elements of a robot file: parts, links and devices."""

from math import pi

from autosim.config.descriptions import PAINT
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import (
    NOT_NEGATIVE,
    POSITIVE_LENGTH,
    body_friction,
    body_mass,
    body_motion,
    body_size,
    colour,
    direction,
    model,
    name_of,
    parameter,
    reference,
    switch,
    vector,
)

_ORIGIN = (0.0, 0.0, 0.0)
_FORWARD = (0.0, 0.0, 1.0)
_UP = (0.0, 1.0, 0.0)

_ELEVATION = Interval(-pi / 2, pi / 2)

_PART = reference("Part", "The part that carries the device.")

_ALPHA = parameter(
    "Alpha",
    "Weight of the newest sample in a first-order low-pass filter; 1 does not filter.",
    default=1.0,
    interval=Interval(0.0, 1.0, low_open=True),
)


def _noise(name: str, description: str) -> Element:
    return Element(
        name,
        description + " Range and offset have the unit of the device's value.",
        (
            Attribute("range", "Width of the noise.", required=True, interval=NOT_NEGATIVE),
            Attribute("offset", "Added to each sample.", default=0.0),
        ),
        occurs=Occurs.ANY,
    )


_NOISES = (
    _noise("WhiteNoise", "Uniform noise from -range to +range, anew in each step."),
    _noise(
        "WhiteGaussianNoise",
        "Nearly normal noise from the sum of 20 uniform numbers, anew in each step. Its standard "
        "deviation is range / 20.",
    ),
)


def _device(name: str, description: str, *parameters: Element) -> Element:
    return Element(
        name, description, (name_of("the device"),), (_PART, *parameters), occurs=Occurs.ANY
    )


_SHARE = Interval(0.0, 1.0)


_BOX = Element(
    "Box",
    "A rigid box-shaped body.",
    (name_of("the part"),),
    (
        vector(
            "Position",
            "Centre of the box at construction, in the robot's frame.",
            default=_ORIGIN,
        ),
        body_size(),
        body_mass(),
        vector(
            "CenterOfMass", "Centre of mass, relative to the centre of the box.", default=_ORIGIN
        ),
        body_motion(),
        body_friction(),
        model("Model", "How it looks; a plain box when not given."),
        colour("Colour of the plain box, as shown on a screen (sRGB).", PAINT),
    ),
    occurs=Occurs.SOME,
)

_LINK = Element(
    "SphericalLink",
    "A ball joint between two parts. It stands after both of them.",
    (name_of("the link"),),
    (
        reference("Parent", "One part."),
        reference("Child", "The other part."),
        vector("Position", "Centre of the ball, in the robot's frame.", required=True),
    ),
    occurs=Occurs.ANY,
)

_DRIVE_ACTUATOR = _device(
    "DriveActuator",
    "Steers, drives and brakes the wheels that name it. A part with wheels needs one of its own.",
    parameter(
        "MotorForce",
        "Force of the motor at full acceleration, shared by the powered wheels.",
        unit="N",
        default=0.0,
        interval=NOT_NEGATIVE,
    ),
    parameter(
        "BrakeForce",
        "Force of the brakes at full braking for each kilogram of the part, "
        "shared by the wheels with brakes.",
        unit="N/kg",
        default=0.0,
        interval=Interval(0.0, 1e4),
    ),
    parameter(
        "MaxSteeringAngle",
        "Greatest angle of the steered wheels to either side.",
        unit="rad",
        default=0.6,
        interval=Interval(0.0, 1.5),
    ),
)

_WHEEL = _device(
    "WheelDevice",
    "A wheel on a suspension, with its brake. Springs and dampers are given for each kilogram of "
    "the part: the force of a spring is SuspensionKs × mass of the part × deflection.",
    reference("DriveActuator", "The actuator that commands it, on the same part."),
    vector(
        "Position",
        "Upper end of the suspension, relative to the centre of the part. The wheel hangs at most "
        "SuspensionRestLength below.",
        required=True,
    ),
    parameter("Radius", "Radius.", unit="m", required=True, interval=POSITIVE_LENGTH),
    parameter("Width", "Width.", unit="m", required=True, interval=POSITIVE_LENGTH),
    parameter(
        "SuspensionRestLength",
        "Length of the suspension without load.",
        unit="m",
        required=True,
        interval=POSITIVE_LENGTH,
    ),
    parameter(
        "SuspensionKs",
        "Stiffness of the spring for each kilogram of the part; 200 is a stiff sports suspension.",
        unit="N/(m kg)",
        required=True,
        interval=Interval(0.001, 1e5),
    ),
    parameter(
        "SuspensionKd",
        "Damping for each kilogram of the part.",
        unit="N s/(m kg)",
        required=True,
        interval=Interval(0.0, 1e5),
    ),
    parameter(
        "Friction",
        "Coefficient of friction of the tyre on a dry road.",
        default=1.0,
        interval=Interval(0.0, 10.0),
    ),
    switch("Powered", "Whether the motor drives it."),
    switch("Steering", "Whether it is steered."),
    switch("Brakes", "Whether it has a brake."),
    model("Model", "How it looks; a plain cylinder when not given."),
)

_PSD = _device(
    "PSDSensor",
    "Position sensitive device: the distance to the nearest body or surface along a ray.",
    vector(
        "Position", "Where the ray begins, relative to the centre of the part.", default=_ORIGIN
    ),
    direction("Direction", "Where it points.", default=_FORWARD),
    parameter(
        "Range",
        "Greatest distance; also the value when nothing is hit.",
        unit="m",
        default=10.0,
        interval=Interval(0.001, 1e5),
    ),
    *_NOISES,
)

_LIDAR = _device(
    "LidarSensor",
    "A rotating lidar: in each step it measures only the sector that it sweeps in this step. Its "
    "values are ranges [m], a row for each channel from the lowest to the highest, a column for "
    "each direction, counter-clockwise from above beginning with Direction; 0 where nothing came "
    "back. It sees surfaces and the boxes of other robots. Noise is in metres.",
    vector("Position", "Where the rays begin, relative to the part's centre.", default=_ORIGIN),
    direction("Direction", "Where its first column points.", default=_FORWARD),
    direction("UpVector", "What is up for it, nearly: at a right angle to Direction.", default=_UP),
    parameter(
        "Channels",
        "Rays above each other.",
        default=16,
        interval=Interval(1, 128),
        type=ValueType.INTEGER,
    ),
    parameter(
        "LowestElevation",
        "Angle of the lowest channel above the horizontal.",
        unit="rad",
        default=-pi / 12,
        interval=_ELEVATION,
    ),
    parameter(
        "HighestElevation",
        "Angle of the highest channel above the horizontal.",
        unit="rad",
        default=pi / 12,
        interval=_ELEVATION,
    ),
    parameter(
        "Columns",
        "Directions in a revolution. Channels × Columns are 65536 at most.",
        default=360,
        interval=Interval(1, 4096),
        type=ValueType.INTEGER,
    ),
    parameter(
        "Rate",
        "Revolutions in a second.",
        unit="Hz",
        default=10.0,
        interval=Interval(0.001, 1000.0),
    ),
    parameter(
        "MinimumRange",
        "What is nearer gives no return.",
        unit="m",
        default=0.5,
        interval=Interval(0.001, 1e3),
    ),
    parameter(
        "Range",
        "What is farther gives no return. The physics has the world at least as far around.",
        unit="m",
        default=100.0,
        interval=Interval(0.01, 1e3),
    ),
    parameter(
        "Dropout",
        "Share of the rays that give no return by chance.",
        default=0.0,
        interval=Interval(0.0, 1.0),
    ),
    *_NOISES,
)

_GYROSCOPE = _device(
    "GyroscopeSensor",
    "Angular velocity of the part [rad/s] about an axis; positive is counter-clockwise for an "
    "observer at whom the axis points.",
    direction("Axis", "The axis."),
    _ALPHA,
    *_NOISES,
)

_VELOCIMETER = _device(
    "VelocimeterSensor",
    "Velocity [m/s] of the part's centre along an axis.",
    direction("Axis", "The axis.", default=_FORWARD),
    _ALPHA,
    *_NOISES,
)

_COMPASS = _device(
    "CompassSensor",
    "Heading [rad] of an axis, clockwise from north, from 0 to 2 pi.",
    direction("Axis", "The axis.", default=_FORWARD),
    *_NOISES,
)

_INCLINOMETER = _device(
    "InclinometerSensor",
    "Tilt [rad] of the part about an axis against gravity, from -pi to pi: 0 when the part's own "
    "up is the world's, positive counter-clockwise for an observer at whom the axis points. It is "
    "what a pendulum that swings about the axis shows at rest: neither heading nor acceleration "
    "changes it. On a slope, a car that heads uphill shows the grade as pitch, one that stands "
    "across it as roll. While the axis itself stands upright, it is 0.",
    direction("Axis", "The axis; not the part's vertical one, about which nothing tilts."),
    *_NOISES,
)

_GPS = _device(
    "GPSSensor",
    "A receiver of the Global Positioning System: an NMEA 0183 RMC sentence. Noise is in metres.",
    vector("Position", "Place of the antenna, relative to the part's centre.", default=_ORIGIN),
    parameter(
        "Rate",
        "New sentences in a second.",
        unit="Hz",
        default=10.0,
        interval=Interval(0.001, 10000.0),
    ),
    *_NOISES,
)

_TIME = _device("TimeDevice", "The simulated time [s].")

_CAMERA = _device(
    "Camera",
    "A virtual camera, drawn by the clients.",
    Element(
        "Type",
        "`fixed` looks along Direction; `thirdperson` looks at its part from Position.",
        (
            Attribute(
                "name",
                "",
                ValueType.TEXT,
                default="fixed",
                required=True,
                allowed=("fixed", "thirdperson"),
            ),
        ),
    ),
    vector("Position", "Place, relative to the part's centre.", default=_ORIGIN),
    direction("Direction", "Where it looks.", default=_FORWARD),
    direction("UpVector", "What is up in the picture.", default=_UP),
    parameter(
        "Fov",
        "Vertical field of view.",
        unit="rad",
        default=pi / 3,
        interval=Interval(0.01, 3.0),
    ),
)

_LAMP = (
    vector("Position", "Centre of the glass, relative to the part's centre.", default=_ORIGIN),
    direction("Direction", "Where it shines.", default=_FORWARD),
    parameter(
        "Diameter", "Diameter of the glass.", unit="m", default=0.1, interval=POSITIVE_LENGTH
    ),
    colour("Colour of the light at full intensity, as shown on a screen (sRGB).", (1.0, 1.0, 1.0)),
    Element(
        "Follows",
        "A DriveActuator of the robot that also switches the light: while it brakes, or while it "
        "drives backwards (its acceleration is negative).",
        (
            Attribute("name", "The actuator.", ValueType.NAME, required=True),
            Attribute(
                "function",
                "What the light shows.",
                ValueType.TEXT,
                required=True,
                allowed=("brake", "reverse"),
            ),
        ),
    ),
)

_LIGHT = _device(
    "LightDevice",
    "A lamp that is seen: a tail light, a brake light, an indicator. `set_data` sets its intensity "
    "from 0 to 1.",
    *_LAMP,
)

_HEAD_LIGHT = _device(
    "HeadLightDevice",
    "A lamp that also lights what is before it, in a cone. `set_data` sets its intensity from 0 to "
    "1.",
    *_LAMP,
    parameter(
        "ConeAngle",
        "Angle between the axis and the edge of the cone.",
        unit="rad",
        default=0.5,
        interval=Interval(0.01, 1.5),
    ),
    parameter(
        "Range",
        "Distance at which nothing is left of its light.",
        unit="m",
        default=60.0,
        interval=Interval(0.1, 1000.0),
    ),
)

_BELIEF = _device(
    "BeliefDevice",
    "What a user program believes of the part's pose, to be compared with the truth: `set_data` "
    "sets the position [m] in the world (east, north, up), the heading [rad] clockwise from north, "
    "the standard deviations of these four, and the correlation of east and north.",
)

DEVICES = (
    _DRIVE_ACTUATOR,
    _WHEEL,
    _LIGHT,
    _HEAD_LIGHT,
    _BELIEF,
    _PSD,
    _LIDAR,
    _GYROSCOPE,
    _VELOCIMETER,
    _COMPASS,
    _INCLINOMETER,
    _GPS,
    _TIME,
    _CAMERA,
)

ROBOT = Element(
    "Robot",
    "A robot file: the parts of a robot and the devices on them.",
    (name_of("the robot"),),
    (
        Element("Parts", "Bodies and links.", children=(_BOX, _LINK), occurs=Occurs.ONCE),
        Element("Devices", "Actuators and sensors.", children=DEVICES),
    ),
    occurs=Occurs.ONCE,
)
