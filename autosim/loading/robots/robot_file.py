"""Builds a robot's description from the blocks of its file."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autosim.config.descriptions import PartFile, RobotDescription, UsedPlugin
from autosim.config.files.lookup import PathError, Roots
from autosim.config.reading.blocks import Block
from autosim.config.reading.missing_models import check_models, parts_of
from autosim.config.reading.sources import Source, read_block
from autosim.config.reading.xml_reader import line_of
from autosim.kinds.coupling.fmu_description import ENDING
from autosim.kinds.foreign import foreign_kinds
from autosim.kinds.kind import AnyDeviceKind
from autosim.kinds.plugins import (
    ALL_PLUGINS,
    Plugin,
    PluginError,
    PluginPolicy,
    installed_plugins,
    load_plugin,
)
from autosim.kinds.registry import BUILT_IN, LINKS, PARTS
from autosim.loading.robots.declared_plugins import (
    PLUGIN_ENDING,
    find_plugin,
    leave_out_plugin_devices,
)
from autosim.loading.robots.fmu_files import (
    check_connections,
    check_fmu_files,
    fmus_of,
    with_fmu_file,
)
from autosim.loading.robots.noise_checks import check_noise
from autosim.loading.robots.part_files import check_part_files, files_of, with_file
from autosim.loading.robots.robot_checks import check_robot
from autosim.loading.robots.robot_schema import robot_element
from autosim.loading.robots.running_gear import with_running_gear
from autosim.loading.robots.tyre_files import check_tyre_files, tyre_files_of, with_tyre_file
from autosim.loading.robots.vehicle_maps import (
    check_vehicle_maps,
    vehicle_maps_of,
    with_vehicle_maps,
)

_PARTS = {kind.name: kind for kind in PARTS}
_LINKS = {kind.name: kind for kind in LINKS}

Kinds = dict[str, AnyDeviceKind]


def build_robot(
    block: Block,
    source: Path,
    kinds: Kinds,
    *,
    roots: Roots = (),
    plugins: tuple[UsedPlugin, ...] = (),
    running_gear: PartFile | None = None,
) -> RobotDescription:
    """The robot that a `Robot` block without errors describes."""
    parts = block.section("Parts")
    links = tuple(_LINKS[each.tag].read(each) for each in parts.all(*_LINKS))
    by_name = {each.name: each for each in links}
    devices = [(kinds[each.tag], each) for each in block.section("Devices").children]
    return RobotDescription(
        name=block.name,
        source=source,
        parts=tuple(with_file(_PARTS[each.tag].read(each), roots) for each in parts.all(*_PARTS)),
        links=links,
        devices=tuple(
            with_vehicle_maps(with_tyre_file(kind.complete(kind.read(each), by_name), roots), roots)
            for kind, each in devices
        ),
        plugins=plugins,
        semantic_class=str(block.get("class") or ""),
        running_gear=running_gear,
    )


def read_robot(
    source: Source,
    roots: Roots,
    told: RobotDescription | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> RobotDescription | None:
    """The robot that a file describes; None, with diagnostics, where it has errors.

    Args:
        source: the file.
        roots: the folders in which what it names is looked up.
        told: the robot as reported by a server, which runs its plug-ins: here none is run or
            needed.
        plugins: which plug-ins of this machine are run.
    """
    source, running_gear = with_running_gear(source, roots)
    kinds: Kinds = {kind.name: kind for kind in BUILT_IN}
    if told is None:
        loaded = _load_plugins(source, roots, kinds, plugins)
    else:
        kinds |= {kind.name: kind for kind in foreign_kinds(told)}
    is_strict = source.root.get("unknown") != "ignore"
    block = read_block(source, robot_element(kinds.values(), is_strict=is_strict))
    if block is None:
        return None
    check_robot(block, {**kinds, **_PARTS, **_LINKS}, source.faults)
    check_models(parts_of(block), roots, source.faults)
    check_part_files(block.section("Parts").children, roots, source.faults)
    check_tyre_files(block.section("Devices").children, roots, source.faults)
    check_vehicle_maps(block.section("Devices").children, roots, source.faults)
    if told is None:
        check_fmu_files(block.section("Devices").children, roots, source.faults, plugins)
    if not source.faults.has_errors:
        check_noise(block, kinds, source.faults)
    if source.faults.has_errors:
        return None
    used = _used(block, loaded) if told is None else told.plugins
    robot = build_robot(
        block, source.path, kinds, roots=roots, plugins=used, running_gear=running_gear
    )
    return _with_fmus(robot, block, source, roots=roots, told=told, plugins=plugins)


def _with_fmus(
    robot: RobotDescription,
    block: Block,
    source: Source,
    *,
    roots: Roots,
    told: RobotDescription | None,
    plugins: PluginPolicy,
) -> RobotDescription | None:
    """The robot with what its FMUs say; None where they cannot be connected."""
    devices = tuple(with_fmu_file(each, roots, plugins, told) for each in robot.devices)
    robot = replace(robot, devices=devices)
    if told is not None:
        return robot
    check_connections(robot, block.section("Devices").children, source.faults)
    if source.faults.has_errors:
        return None
    return replace(robot, plugins=(*robot.plugins, *fmus_of(robot)))


def files_of_robot(robot: RobotDescription) -> list[PartFile]:
    """The files that a robot's file names: shapes, tyres, maps of vehicles, its running gear."""
    gear = () if robot.running_gear is None else (robot.running_gear,)
    devices = robot.devices
    return [*files_of(robot.parts), *tyre_files_of(devices), *vehicle_maps_of(devices), *gear]


def _used(block: Block, loaded: Sequence[Plugin]) -> tuple[UsedPlugin, ...]:
    """Of the plug-ins that are there, those whose devices a robot has."""
    tags = {each.tag for each in block.section("Devices").children}
    return tuple(each.used for each in loaded if any(kind.name in tags for kind in each.kinds))


def _load_plugins(source: Source, roots: Roots, kinds: Kinds, policy: PluginPolicy) -> list[Plugin]:
    """Installed plug-ins and those that a robot file names; adds their kinds to `kinds`."""
    loaded = _installed(source, kinds, policy)
    if not policy.may_run:
        leave_out_plugin_devices(source, roots, kinds)
        return loaded
    for node in source.root.findall("Plugin"):
        name = str(node.get("file") or "")
        if not policy.is_expected(name):
            continue  # no device of the recorded run was of its kinds
        try:
            plugin = _from_file(name, roots, policy)
            _add(kinds, plugin.kinds)
        except (PathError, PluginError, OSError) as error:
            source.faults.error(line_of(node), _explain(name, error))
        else:
            loaded.append(plugin)
    return loaded


def _installed(source: Source, kinds: Kinds, policy: PluginPolicy) -> list[Plugin]:
    """The plug-ins of installed packages; adds their kinds to `kinds`."""
    loaded: list[Plugin] = []
    try:
        for plugin in installed_plugins():
            policy.require(plugin.used.name, plugin.used.version)
            _add(kinds, plugin.kinds)
            loaded.append(plugin)
        names = {each.used.name for each in loaded}
        for name, version in (policy.expected or {}).items():
            if not name.endswith((PLUGIN_ENDING, ENDING)) and name not in names:
                raise PluginError(
                    f"the recorded run had devices of the package '{name}' {version}, which is "
                    "not installed: install it"
                )
    except PluginError as error:
        source.faults.error(line_of(source.root), str(error))
    return loaded


def _from_file(name: str, roots: Roots, policy: PluginPolicy) -> Plugin:
    text = find_plugin(name, roots).read_bytes()
    policy.require(name, hashlib.sha256(text).hexdigest())
    return load_plugin(name, text)


def _explain(name: str, error: Exception) -> str:
    if isinstance(error, PathError):
        return f"<Plugin>: {error}; a plug-in is code, so put it there yourself: none is fetched"
    return f"<Plugin>: {error}"


def _add(kinds: Kinds, others: tuple[AnyDeviceKind, ...]) -> None:
    for kind in others:
        if kind.name in kinds and kinds[kind.name] is not kind:
            raise PluginError(f"there is already a kind of device <{kind.name}>")
        kinds[kind.name] = kind
