"""Builds a robot's description from the blocks of its file."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypedDict, cast

from autosim.config.blocks import Block
from autosim.config.descriptions import (
    BeliefDevice,
    BoxPart,
    Camera,
    CompassSensor,
    Device,
    DriveActuator,
    Follows,
    GPSSensor,
    GyroscopeSensor,
    HeadLightDevice,
    InclinometerSensor,
    LidarSensor,
    LightDevice,
    ModelReference,
    Motion,
    Noise,
    PSDSensor,
    RobotDescription,
    SphericalLink,
    TimeDevice,
    Vector3,
    VelocimeterSensor,
    WheelDevice,
)
from autosim.config.frames import body_direction, body_extent, body_vector
from autosim.config.lookup import Roots
from autosim.config.models import check_models
from autosim.config.robot_checks import check_robot
from autosim.config.schemas.robot import ROBOT
from autosim.config.sources import Source, read_block


def build_robot(block: Block, source: Path) -> RobotDescription:
    """The robot that a `Robot` block without errors describes."""
    parts = block.section("Parts")
    return RobotDescription(
        name=block.name,
        source=source,
        parts=tuple(_box(each) for each in parts.all("Box")),
        links=tuple(_link(each) for each in parts.all("SphericalLink")),
        devices=tuple(_DEVICES[each.tag](each) for each in block.section("Devices").children),
    )


def build_model(block: Block, tag: str = "Model") -> ModelReference | None:
    """The model that the child `tag` refers to, None if there is none."""
    if block.first(tag) is None:
        return None
    return ModelReference(block.text(tag, "path"), block.text(tag, "type"))


def _box(block: Block) -> BoxPart:
    return BoxPart(
        name=block.name,
        position=body_vector(block.vector("Position")),
        size=body_extent(block.vector("Size")),
        mass=block.real("Mass"),
        centre_of_mass=body_vector(block.vector("CenterOfMass")),
        **build_body(block),
    )


class _Body(TypedDict):
    model: ModelReference | None
    colour: Vector3
    motion: Motion
    friction: float


def build_body(block: Block) -> _Body:
    """What the bodies of robots and of objects have in common, of a block without errors."""
    return _Body(
        model=build_model(block),
        colour=_colour(block),
        motion=cast("Motion", block.text("Motion")),
        friction=block.real("Friction"),
    )


def _colour(block: Block) -> Vector3:
    red, green, blue = (block.real("Colour", each) for each in ("red", "green", "blue"))
    return red, green, blue


def _link(block: Block) -> SphericalLink:
    return SphericalLink(
        name=block.name,
        parent=block.text("Parent"),
        child=block.text("Child"),
        position=body_vector(block.vector("Position")),
    )


class _Common(TypedDict):
    name: str
    part: str
    noises: tuple[Noise, ...]


def _common(block: Block) -> _Common:
    noises = block.all("WhiteNoise", "WhiteGaussianNoise")
    return _Common(
        name=block.name, part=block.text("Part"), noises=tuple(_noise(each) for each in noises)
    )


def _noise(block: Block) -> Noise:
    kind = cast('Literal["WhiteNoise", "WhiteGaussianNoise"]', block.tag)
    return Noise(kind, range=block.own_real("range"), offset=block.own_real("offset"))


def _drive_actuator(block: Block) -> DriveActuator:
    return DriveActuator(
        **_common(block),
        motor_force=block.real("MotorForce"),
        brake_force=block.real("BrakeForce"),
        max_steering_angle=block.real("MaxSteeringAngle"),
    )


def _wheel(block: Block) -> WheelDevice:
    return WheelDevice(
        **_common(block),
        drive_actuator=block.text("DriveActuator"),
        position=body_vector(block.vector("Position")),
        radius=block.real("Radius"),
        width=block.real("Width"),
        suspension_rest_length=block.real("SuspensionRestLength"),
        suspension_ks=block.real("SuspensionKs"),
        suspension_kd=block.real("SuspensionKd"),
        friction=block.real("Friction"),
        is_powered=block.is_true("Powered"),
        is_steering=block.is_true("Steering"),
        has_brakes=block.is_true("Brakes"),
        model=build_model(block),
    )


class _Lamp(TypedDict):
    position: Vector3
    direction: Vector3
    diameter: float
    colour: Vector3
    follows: Follows | None


def _lamp(block: Block) -> _Lamp:
    return _Lamp(
        position=body_vector(block.vector("Position")),
        direction=body_direction(block.vector("Direction")),
        diameter=block.real("Diameter"),
        colour=_colour(block),
        follows=_follows(block),
    )


def _follows(block: Block) -> Follows | None:
    if block.first("Follows") is None:
        return None
    function = cast('Literal["brake", "reverse"]', block.text("Follows", "function"))
    return Follows(block.text("Follows"), function)


def _light(block: Block) -> LightDevice:
    return LightDevice(**_common(block), **_lamp(block))


def _head_light(block: Block) -> HeadLightDevice:
    return HeadLightDevice(
        **_common(block),
        **_lamp(block),
        cone_angle=block.real("ConeAngle"),
        range=block.real("Range"),
    )


def _belief(block: Block) -> BeliefDevice:
    return BeliefDevice(**_common(block))


def _psd(block: Block) -> PSDSensor:
    return PSDSensor(
        **_common(block),
        position=body_vector(block.vector("Position")),
        direction=body_direction(block.vector("Direction")),
        range=block.real("Range"),
    )


def _lidar(block: Block) -> LidarSensor:
    return LidarSensor(
        **_common(block),
        position=body_vector(block.vector("Position")),
        direction=body_direction(block.vector("Direction")),
        up=body_direction(block.vector("UpVector")),
        channels=block.whole("Channels"),
        lowest_elevation=block.real("LowestElevation"),
        highest_elevation=block.real("HighestElevation"),
        columns=block.whole("Columns"),
        rate=block.real("Rate"),
        minimum_range=block.real("MinimumRange"),
        range=block.real("Range"),
        dropout=block.real("Dropout"),
    )


def _gyroscope(block: Block) -> GyroscopeSensor:
    axis = body_direction(block.vector("Axis"))
    return GyroscopeSensor(**_common(block), axis=axis, alpha=block.real("Alpha"))


def _velocimeter(block: Block) -> VelocimeterSensor:
    axis = body_direction(block.vector("Axis"))
    return VelocimeterSensor(**_common(block), axis=axis, alpha=block.real("Alpha"))


def _compass(block: Block) -> CompassSensor:
    return CompassSensor(**_common(block), axis=body_direction(block.vector("Axis")))


def _inclinometer(block: Block) -> InclinometerSensor:
    return InclinometerSensor(**_common(block), axis=body_direction(block.vector("Axis")))


def _gps(block: Block) -> GPSSensor:
    position = body_vector(block.vector("Position"))
    return GPSSensor(**_common(block), position=position, rate=block.real("Rate"))


def _time(block: Block) -> TimeDevice:
    return TimeDevice(**_common(block))


def _camera(block: Block) -> Camera:
    return Camera(
        **_common(block),
        type=cast('Literal["fixed", "thirdperson"]', block.text("Type")),
        position=body_vector(block.vector("Position")),
        direction=body_direction(block.vector("Direction")),
        up=body_direction(block.vector("UpVector")),
        fov=block.real("Fov"),
    )


_DEVICES: dict[str, Callable[[Block], Device]] = {
    "DriveActuator": _drive_actuator,
    "WheelDevice": _wheel,
    "LightDevice": _light,
    "HeadLightDevice": _head_light,
    "BeliefDevice": _belief,
    "PSDSensor": _psd,
    "LidarSensor": _lidar,
    "GyroscopeSensor": _gyroscope,
    "VelocimeterSensor": _velocimeter,
    "CompassSensor": _compass,
    "InclinometerSensor": _inclinometer,
    "GPSSensor": _gps,
    "TimeDevice": _time,
    "Camera": _camera,
}


def read_robot(source: Source, roots: Roots) -> RobotDescription | None:
    """The robot that a file describes; None, with diagnostics, if it has errors."""
    block = read_block(source, ROBOT)
    if block is None:
        return None
    check_robot(block, source.faults)
    check_models(block, roots, source.faults)
    return None if source.faults.has_errors else build_robot(block, source.path)
