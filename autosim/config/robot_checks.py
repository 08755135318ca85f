"""Checks the blocks of a robot file against one another."""

from collections.abc import Iterable, Sequence, Set
from math import hypot

from autosim.config.blocks import Block
from autosim.config.faults import Faults, check_unique
from autosim.config.frames import body_direction
from autosim.config.values import nearest

_PARALLEL = 1e-6
"""Sine of the angle below which two directions are parallel: a camera's picture has no upright
then. It is a number that rounding in a file does not reach."""

_UPRIGHT = 0.01
"""Sine (a number) of the angle to the vertical below which an inclinometer's axis measures only
heading."""

MOST_RANGES = 65_536
"""Largest number of ranges of a lidar: half a megabyte of each state, which all clients receive."""


def check_robot(block: Block, faults: Faults) -> None:
    """Finds duplicate names, references to nothing, and impossible geometry.

    `block` may lack the parts of the file that have errors.
    """
    bodies = block.section("Parts").children
    devices = block.section("Devices").children
    parts = {each.name for each in bodies if each.tag == "Box" and each.name}
    check_unique(bodies, faults)
    check_unique(devices, faults, scope=lambda device: device.text("Part"))
    # A wheel names its actuator without the part, so that name has to be the only one.
    check_unique((each for each in devices if each.tag == "DriveActuator"), faults)
    _check_links(bodies, parts, faults)
    for body in (each for each in bodies if each.tag == "Box"):
        _check_centre_of_mass(body, faults)
    for device in devices:
        _check_reference(device, "Part", parts, faults)
    _check_actuators(devices, faults)
    _check_lights(devices, faults)
    for device in (each for each in devices if each.tag in ("Camera", "LidarSensor")):
        _check_axes(device, faults)
    for lidar in (each for each in devices if each.tag == "LidarSensor"):
        _check_lidar(lidar, faults)
    for inclinometer in (each for each in devices if each.tag == "InclinometerSensor"):
        _check_inclinometer(inclinometer, faults)


def _check_links(bodies: Iterable[Block], parts: Set[str], faults: Faults) -> None:
    before: set[str] = set()
    for body in bodies:
        before.add(body.name)
        if body.tag == "SphericalLink":
            for end in ("Parent", "Child"):
                _check_reference(body, end, parts, faults)
                if body.text(end) in parts and body.text(end) not in before:
                    message = f"{body.title} must stand after its part '{body.text(end)}'"
                    faults.error(body, message)
            if body.text("Parent") and body.text("Parent") == body.text("Child"):
                faults.error(body, f"{body.title} links '{body.text('Child')}' to itself")


def _check_reference(block: Block, tag: str, names: Set[str], faults: Faults) -> None:
    name = block.text(tag)
    if name and name not in names:
        message = f"<{tag}> of {block.title} names '{name}', which is no part of this robot"
        faults.error(block.line_of(tag), message + nearest(name, names))


def _check_actuators(devices: Sequence[Block], faults: Faults) -> None:
    actuators = {(each.name, each.text("Part")) for each in devices if each.tag == "DriveActuator"}
    names = {name for name, _ in actuators}
    for wheel in (each for each in devices if each.tag == "WheelDevice"):
        part, name = wheel.text("Part"), wheel.text("DriveActuator")
        message = f"<DriveActuator> of {wheel.title} names '{name}', which is no DriveActuator"
        if name and name not in names:
            hint = nearest(name, names)
            faults.error(wheel.line_of("DriveActuator"), message + hint)
        elif name and part and (name, part) not in actuators:
            message += f" on its part '{part}'; a part with wheels needs one of its own"
            faults.error(wheel.line_of("DriveActuator"), message)


def _check_lights(devices: Sequence[Block], faults: Faults) -> None:
    actuators = {each.name for each in devices if each.tag == "DriveActuator"}
    for light in (each for each in devices if each.first("Follows")):
        name = light.text("Follows")
        if name and name not in actuators:
            message = f"<Follows> of {light.title} names '{name}', which is no DriveActuator"
            faults.error(light.line_of("Follows"), message + nearest(name, actuators))


def _check_centre_of_mass(body: Block, faults: Faults) -> None:
    sizes, offsets = _numbers(body, "Size"), _numbers(body, "CenterOfMass")
    if sizes and offsets and any(abs(c) > s / 2 for c, s in zip(offsets, sizes, strict=True)):
        line = body.line_of("CenterOfMass")
        faults.warning(line, f"the centre of mass of {body.title} lies outside its box")


def _check_lidar(lidar: Block, faults: Faults) -> None:
    for low, high in (("LowestElevation", "HighestElevation"), ("MinimumRange", "Range")):
        a, b = lidar.value(low), lidar.value(high)
        if a is not None and b is not None and float(a) >= float(b):
            message = f"<{low}> of {lidar.title} is {a}, which is not less than <{high}>, {b}"
            faults.error(lidar.line_of(low), message)
    channels, columns = lidar.value("Channels"), lidar.value("Columns")
    if channels and columns and int(channels) * int(columns) > MOST_RANGES:
        message = f"{lidar.title} has {channels} × {columns} ranges; {MOST_RANGES} are possible"
        faults.error(lidar.line_of("Columns"), message)


def _check_axes(device: Block, faults: Faults) -> None:
    forward, up = _numbers(device, "Direction"), _numbers(device, "UpVector")
    if not forward or not up or not any(forward) or not any(up):
        return
    fx, fy, fz = body_direction(forward)
    ux, uy, uz = body_direction(up)
    if hypot(fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux) < _PARALLEL:
        message = f"<Direction> and <UpVector> of {device.title} are parallel"
        faults.error(device.line_of("Direction"), message)


def _check_inclinometer(device: Block, faults: Faults) -> None:
    axis = _numbers(device, "Axis")
    if axis and any(axis) and hypot(*body_direction(axis)[:2]) < _UPRIGHT:
        message = f"<Axis> of {device.title} stands upright: turning about it tilts nothing"
        hint = "; a CompassSensor measures heading, a GyroscopeSensor how fast it changes"
        faults.error(device.line_of("Axis"), message + hint)


def _numbers(block: Block, tag: str) -> tuple[float, float, float] | None:
    x, y, z = (block.value(tag, axis) for axis in "xyz")
    return None if x is None or y is None or z is None else (float(x), float(y), float(z))
