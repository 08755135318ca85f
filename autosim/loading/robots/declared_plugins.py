"""Declarations of plug-ins, found without running them.

A robot file from elsewhere may name a Python file as a plug-in. To check the robot file, the
plug-in is only parsed: its syntax, and the names of the elements that it defines. Their content is
left unchecked, and a warning says so.
"""

import ast
from collections.abc import Collection
from pathlib import Path

from autosim.config.diagnostics import printable
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.config.reading.sources import Source
from autosim.config.reading.xml_reader import UnreadableError, line_of, read_bytes

PLUGIN_ENDING = ".py"
"""The ending of plug-ins."""

_MAKERS = ("device_element", "Element")
"""The functions whose first argument is the name of an element of files."""


def find_plugin(name: str, roots: Roots) -> Path:
    """The file of a plug-in, as a robot file names it.

    Raises:
        PathError: it does not end in `.py`, or is in none of the roots.
    """
    if not name.endswith(PLUGIN_ENDING):
        shown = printable(name)
        raise PathError(f"a plug-in is a Python file: '{shown}' does not end in {PLUGIN_ENDING}")
    return find_file(name, roots)


def leave_out_plugin_devices(source: Source, roots: Roots, known: Collection[str]) -> None:
    """Removes the devices that plug-ins define from the tree of a robot file.

    Faults of the plug-ins, and a warning for each device that is not checked, go to the file's
    faults. Devices that no plug-in declares stay, for the schema to refuse.

    Args:
        source: a robot file.
        roots: the folders in which plug-ins are looked up.
        known: the elements of devices that need no plug-in.
    """
    declared: set[str] = set()
    are_all_known = True
    for node in source.root.findall("Plugin"):
        name = str(node.get("file") or "")
        try:
            names = declared_elements(find_plugin(name, roots))
        except (PathError, UnreadableError) as error:
            message = f"<Plugin>: '{printable(name)}': {error}"
            source.faults.error(line_of(node), message)
            names = frozenset()
        declared |= names
        are_all_known &= bool(names)
    if source.root.find("Plugin") is None:
        return
    for devices in source.root.findall("Devices"):
        for node in list(devices):
            tag = str(node.tag)
            if tag not in known and (tag in declared or not are_all_known):
                source.faults.warning(
                    line_of(node),
                    f"<{printable(tag)}> is not checked: its plug-in is code, and was not run; "
                    "with --trust it is",
                )
                devices.remove(node)


def declared_elements(file: Path) -> frozenset[str]:
    """The names of the elements that a plug-in defines, as far as its text shows them.

    Raises:
        UnreadableError: the file cannot be read, or is not Python.
    """
    try:
        tree = ast.parse(read_bytes(file), file.name)
    except SyntaxError as error:
        raise UnreadableError(f"line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"cannot be parsed: {printable(str(error))}") from error
    return frozenset(filter(None, map(_element_name, ast.walk(tree))))


def _element_name(node: ast.AST) -> str:
    """The name of the element that a call makes; "" for everything else."""
    if not isinstance(node, ast.Call) or not node.args:
        return ""
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    first = node.args[0]
    if name not in _MAKERS or not isinstance(first, ast.Constant):
        return ""
    return first.value if isinstance(first.value, str) else ""
