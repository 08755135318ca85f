"""The FMUs that robot files name: found among the user's own files, described, and connected.

An FMU is code: it is run by the process that simulates, never fetched from another machine, and
only if its name ends in `.fmu`. To check a robot file its description is read, and nothing of it
is run.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from autosim.config.descriptions import Device, RobotDescription, UsedPlugin
from autosim.config.files.lookup import PathError, Roots
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.kinds.coupling.fmu_description import (
    ENDING,
    FmuDescription,
    FmuDescriptionError,
    read_description,
)
from autosim.kinds.coupling.fmu_device import KIND
from autosim.kinds.coupling.fmu_record import PUSHES, TURNS, FmuDevice, FmuPort
from autosim.kinds.coupling.robot_values import RobotValueError, find_value
from autosim.kinds.plugins import PluginError, PluginPolicy
from autosim.loading.robots.part_files import found_file

_CAUSALITIES = {
    "Input": ("input",),
    "Output": ("output", "local", "calculatedParameter"),
    "Parameter": ("parameter", "structuralParameter", "input"),
}
"""Causalities of the variables that each element may name."""


def check_fmu_files(
    devices: Iterable[Block], roots: Roots, faults: Faults, plugins: PluginPolicy
) -> None:
    """Notes each FMU among `devices` whose file is missing, is not an FMU, or lacks a variable."""
    for device in devices:
        name = str(device.get("file") or "") if device.tag == KIND.name else ""
        if not name:
            continue
        try:
            description = _describe(name, roots, plugins)[0]
        except (PathError, PluginError) as error:
            faults.error(device, f"{device.title}: {error}")
        except FmuDescriptionError as error:
            faults.error(device, f"{device.title}: '{name}' {error}")
        else:
            for each in device.all(*_CAUSALITIES):
                _check_variable(each, device.title, description, faults)


def with_fmu_file(
    device: Device, roots: Roots, plugins: PluginPolicy, told: RobotDescription | None
) -> Device:
    """`device` with what its FMU says, which `check_fmu_files` has found without fault.

    Args:
        device: any device.
        roots: the folders in which files are looked up.
        plugins: which code of this machine may be run.
        told: the robot as reported by a server, which runs the FMU: here none is needed.
    """
    if not isinstance(device, FmuDevice):
        return device
    if told is not None:
        own = (device.part, device.name)
        return next((each for each in told.devices if (each.part, each.name) == own), device)
    description, found, digest = _describe(device.file, roots, plugins)
    ports = description.variables
    return replace(
        device,
        path=found,
        digest=digest,
        inputs=tuple(_described(each, description) for each in device.inputs),
        outputs=tuple(_described(each, description) for each in device.outputs),
        parameters=tuple(each for each in device.parameters if each[0] in ports),
    )


def check_connections(robot: RobotDescription, devices: Iterable[Block], faults: Faults) -> None:
    """Notes connections of FMUs to values that the robot lacks, or that cannot be set."""
    for device in devices:
        for each in device.all("Input", "Output") if device.tag == KIND.name else ():
            attribute = "from" if each.tag == "Input" else "to"
            name = str(each.get(attribute) or "")
            if not name or (attribute == "to" and name in (*PUSHES, *TURNS)):
                continue
            title = f"<{each.tag}> of {device.title}: {attribute}="
            try:
                value = find_value(robot, name)
            except RobotValueError as error:
                faults.error(each, f"{title}{error}")
                continue
            if attribute == "to" and not value.is_settable:
                faults.error(each, f"{title}'{name}' cannot be set: expected an actuator's number")


def fmus_of(robot: RobotDescription) -> tuple[UsedPlugin, ...]:
    """The FMUs of a robot, each once, as code of the user."""
    used = {
        each.file: UsedPlugin(each.file, each.digest)
        for each in robot.devices
        if isinstance(each, FmuDevice)
    }
    return tuple(used.values())


def _describe(name: str, roots: Roots, plugins: PluginPolicy) -> tuple[FmuDescription, Path, str]:
    """The description, the path and the digest of an FMU.

    Raises:
        PathError: it is not there, or its name does not end in `.fmu`.
        PluginError: a recorded run had another one.
        FmuDescriptionError: it is not an FMU.
    """
    if not name.lower().endswith(ENDING):
        raise PathError(f"'{name}' does not end in {ENDING}, as an FMU does")
    file = found_file(name, roots)
    digest = hashlib.sha256(file.content).hexdigest()
    plugins.require(name, digest)
    return read_description(file.content), file.path, digest


def _check_variable(block: Block, title: str, description: FmuDescription, faults: Faults) -> None:
    name = str(block.get("variable") or "")
    allowed = _CAUSALITIES[block.tag]
    known: Mapping[str, str] = {
        each.name: each.causality for each in description.variables.values()
    }
    if name not in known:
        near = [each for each, causality in known.items() if causality in allowed]
        message = f"<{block.tag}> of {title}: the FMU has no scalar number '{name}'"
        faults.error(block, message + suggestion(name, near))
    elif known[name] not in allowed:
        message = f"<{block.tag}> of {title}: '{name}' is of causality {known[name]}: expected "
        faults.error(block, message + " or ".join(allowed))


def _described(port: FmuPort, description: FmuDescription) -> FmuPort:
    variable = description.variables[port.variable]
    limits = variable.limits.low, variable.limits.high
    return replace(port, unit=variable.unit, start=variable.start, limits=limits)
