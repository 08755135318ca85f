"""The running gear of another robot's file: its drive actuators and wheels, stated only there."""

from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from lxml import etree

from autosim.config.descriptions import PartFile
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.sources import Source
from autosim.config.reading.xml_reader import UnreadableError, line_of, parse_xml, read_bytes
from autosim.config.schema import Attribute, Element, Occurs, ValueType
from autosim.kinds.actuators import drive_actuator, wheel

TAG = "RunningGear"

ELEMENT = Element(
    TAG,
    "The running gear of another robot: its `DriveActuator`s and `WheelDevice`s, with their tyres, "
    "springs and brakes, become devices of this robot, before its own. Both robots need parts of "
    "the same names. So robots that share a car state it once.",
    (
        Attribute(
            "file",
            "The file of the other robot, such as `robots/impreza.xml`.",
            ValueType.PATH,
            required=True,
        ),
    ),
    occurs=Occurs.OPTIONAL,
)

_TAKEN = (drive_actuator.KIND.name, wheel.KIND.name)


def with_running_gear(source: Source, roots: Roots) -> tuple[Source, PartFile | None]:
    """A robot file with the devices of its running gear, and the file that they are from.

    Errors are noted at the line of the element, those of the devices too.
    """
    node = source.root.find(TAG)
    name = "" if node is None else str(node.get("file") or "")
    if node is None or not name:
        return source, None
    try:
        path = find_file(name, roots)
        file = PartFile(name, path, read_bytes(path))
        taken = _devices_in(file)
    except (PathError, UnreadableError, ValueError) as error:
        reason = error if isinstance(error, PathError) else f"'{name}': {error}"
        source.faults.error(line_of(node), f"<{TAG}>: {reason}")
        return source, None
    root = deepcopy(source.root)
    devices = root.find("Devices")
    if devices is None:
        devices = etree.SubElement(root, "Devices")
    for number, device in enumerate(taken):
        for each in device.iter():
            cast("Any", each).sourceline = line_of(node)
        devices.insert(number, device)
    return replace(source, root=root), file


def _devices_in(file: PartFile) -> list[etree._Element]:
    """Copies of the drive actuators and wheels in a robot file.

    Raises:
        UnreadableError: the file is not XML.
        ValueError: it has none, or takes them from another file itself.
    """
    root = parse_xml(file.content)
    if root.find(TAG) is not None:
        raise ValueError(f"takes its own <{TAG}> from another file: name that one")
    devices = root.find("Devices") if root.tag == "Robot" else None
    found = [] if devices is None else [each for each in devices if each.tag in _TAKEN]
    if not found:
        raise ValueError(f"is not a robot file with {' or '.join(f'<{tag}>' for tag in _TAKEN)}")
    return [deepcopy(each) for each in found]
