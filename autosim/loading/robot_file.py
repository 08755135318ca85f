"""Builds a robot's description from the blocks of its file."""

from pathlib import Path
from typing import Any

from autosim.config.descriptions import PluginFile, RobotDescription
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.blocks import Block
from autosim.config.reading.sources import Source, read_block
from autosim.config.reading.xml_reader import line_of
from autosim.kinds.kind import DeviceKind
from autosim.kinds.plugins import PluginError, installed_kinds, load_plugin
from autosim.kinds.registry import BUILT_IN, LINKS, PARTS
from autosim.loading.missing_models import check_models
from autosim.loading.part_files import check_part_files, with_file
from autosim.loading.robot_checks import check_robot
from autosim.loading.robot_schema import robot_element

_PARTS = {kind.name: kind for kind in PARTS}
_LINKS = {kind.name: kind for kind in LINKS}
_ENDING = ".py"

Kinds = dict[str, DeviceKind[Any]]


def build_robot(
    block: Block,
    source: Path,
    kinds: Kinds,
    *,
    roots: Roots = (),
    plugins: tuple[PluginFile, ...] = (),
) -> RobotDescription:
    """The robot that a `Robot` block without errors describes."""
    parts = block.section("Parts")
    devices = block.section("Devices").children
    return RobotDescription(
        name=block.name,
        source=source,
        parts=tuple(with_file(_PARTS[each.tag].read(each), roots) for each in parts.all(*_PARTS)),
        links=tuple(_LINKS[each.tag].read(each) for each in parts.all(*_LINKS)),
        devices=tuple(kinds[each.tag].read(each) for each in devices),
        plugins=plugins,
    )


def read_robot(source: Source, roots: Roots) -> RobotDescription | None:
    """The robot that a file describes; None, with diagnostics, where it has errors."""
    kinds = {kind.name: kind for kind in BUILT_IN}
    try:
        _add(kinds, installed_kinds())
    except PluginError as error:
        source.faults.error(line_of(source.root), str(error))
    plugins = _load_plugins(source, roots, kinds)
    is_strict = source.root.get("unknown") != "ignore"
    block = read_block(source, robot_element(kinds.values(), is_strict=is_strict))
    if block is None:
        return None
    check_robot(block, {**kinds, **_PARTS, **_LINKS}, source.faults)
    check_models(block, roots, source.faults)
    check_part_files(block.section("Parts").children, roots, source.faults)
    if source.faults.has_errors:
        return None
    return build_robot(block, source.path, kinds, roots=roots, plugins=plugins)


def _load_plugins(source: Source, roots: Roots, kinds: Kinds) -> tuple[PluginFile, ...]:
    """Loads the plug-ins that a robot file names, and adds their kinds to `kinds`."""
    loaded = []
    for node in source.root.findall("Plugin"):
        name = str(node.get("file") or "")
        try:
            if not name.endswith(_ENDING):
                raise PathError(f"a plug-in is a Python file: '{name}' does not end in {_ENDING}")
            file = find_file(name, roots)
            text = file.read_bytes()
            _add(kinds, load_plugin(name, text).kinds)
        except (PathError, PluginError, OSError) as error:
            source.faults.error(line_of(node), _explain(name, error))
        else:
            loaded.append(PluginFile(name, file))
    return tuple(loaded)


def _explain(name: str, error: Exception) -> str:
    if isinstance(error, PathError):
        return f"<Plugin>: {error}; a plug-in is code, so put it there yourself: none is fetched"
    return f"<Plugin>: {error}"


def _add(kinds: Kinds, others: tuple[DeviceKind[Any], ...]) -> None:
    for kind in others:
        if kind.name in kinds and kinds[kind.name] is not kind:
            raise PluginError(f"there is already a kind of device <{kind.name}>")
        kinds[kind.name] = kind
