"""From `pkg` and `type` of a launch file to the class of a node."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from autosim.config.diagnostics import ConfigError, Diagnostic
from autosim.config.launches import NodeEntry
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.node_faults import NODE_FAULTS, fault_in_words
from autosim_testbench.nodes.node import Node

_OWN_PACKAGE = "autosim_testbench"

_FORMER_PACKAGE = "autosim.testbench"

_searched: set[Path] = set()
"""Folders of nodes from which this process has imported modules."""


def node_class(file: Path, entry: NodeEntry) -> type[Node]:
    """The class of a node.

    Args:
        file: the launch file.
        entry: the node in it.

    Raises:
        ConfigError: there is no such module or class, or it is not a node; with the line of the
            file.
    """
    if _is_former(entry.pkg):
        present = entry.pkg.replace(_FORMER_PACKAGE, _OWN_PACKAGE, 1)
        raise _fault(file, entry, f"{entry.pkg!r} is called {present!r} now")
    try:
        module = _module(entry.pkg, file.parent)
    except NODE_FAULTS as error:
        message = f"cannot import {entry.pkg!r}: {fault_in_words(error)}"
        raise _fault(file, entry, message) from error
    classes = {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, type) and issubclass(each, Node) and each is not Node
    }
    if entry.type not in classes:
        hint = suggestion(entry.type, classes)
        raise _fault(file, entry, f"{entry.pkg} has no node {entry.type!r}{hint}")
    return classes[entry.type]


def refuse_foreign_nodes(launch: Launch) -> None:
    """Checks that all nodes of a launch file are part of AutoSim.

    Other nodes are code of the file's author, which runs when their module is imported.

    Raises:
        ConfigError: some do not; all are named with their lines.
    """
    foreign = [
        each for each in launch.nodes if not is_own_module(each.pkg) and not _is_former(each.pkg)
    ]
    if foreign:
        raise ConfigError(
            Diagnostic(
                launch.file,
                each.line,
                "error",
                f"node {each.name!r} is code of {each.pkg!r}, and was not run: if you trust it, "
                "--trust runs it",
            )
            for each in foreign
        )


def is_own_module(pkg: str) -> bool:
    """Whether nodes of this module are part of AutoSim."""
    return pkg.partition(".")[0] == _OWN_PACKAGE


def _is_former(pkg: str) -> bool:
    """Whether a module of the test bench has the name that it had inside the core package."""
    return f"{pkg}.".startswith(f"{_FORMER_PACKAGE}.")


def _module(pkg: str, folder: Path) -> ModuleType:
    """The module of a node; it can import the modules in its folder, as a script can."""
    if is_own_module(pkg):
        return importlib.import_module(pkg)
    if not pkg.endswith(".py"):
        _search_first(folder.resolve())
        return importlib.import_module(pkg)
    path = (folder / pkg).resolve()
    _search_first(path.parent)
    name = f"autosim_testbench_nodes.{path.stem}_{abs(hash(path)):x}"
    if name not in sys.modules:
        if not path.is_file():
            raise UserError(f"there is no file {path}")
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def _search_first(folder: Path) -> None:
    """Makes Python look for modules in `folder` first, also in the turns of a node.

    A module of the same name that nodes of another folder have imported is not taken for it.
    """
    if str(folder) in sys.path[:1]:
        return
    sys.path[:] = [str(folder), *(each for each in sys.path if each != str(folder))]
    importlib.invalidate_caches()
    for path in folder.glob("*.py"):
        imported = getattr(sys.modules.get(path.stem), "__file__", None)
        if imported and Path(imported).parent in _searched - {folder}:
            del sys.modules[path.stem]
    _searched.add(folder)


def _fault(file: Path, entry: NodeEntry, message: str) -> ConfigError:
    return ConfigError([Diagnostic(file, entry.line, "error", f"node {entry.name!r}: {message}")])
