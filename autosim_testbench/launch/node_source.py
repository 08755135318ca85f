"""The code of a node, found and read without running it."""

import ast
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autosim.config.launches import NodeEntry
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim_testbench.launch.node_classes import is_own_module

_NODE = ("autosim_testbench.nodes.node", "Node")
"""Module and name of the base class of all nodes."""


class DeclarationError(UserError):
    """A node of a launch file is not in the code that the file names."""


@dataclass(frozen=True, slots=True)
class CodeModule:
    """The syntax of a module.

    Attributes:
        classes, functions: those at its top level, by name.
        imported: names that it imports from modules, and their names there.
        origins: these names, and their modules; relative ones are left out.
    """

    file: Path
    """The file of the module."""
    tree: ast.Module
    """Its syntax tree."""
    classes: Mapping[str, ast.ClassDef]
    functions: Mapping[str, ast.FunctionDef]
    imported: Mapping[str, str]
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DeclaredNode:
    """The code of a node.

    Attributes:
        chain: the class and its bases, each with its module; without `Node` itself.
        is_whole: whether all bases have been found.
    """

    module: CodeModule
    """The module that defines the node."""
    chain: tuple[tuple[CodeModule, ast.ClassDef], ...]
    is_whole: bool


def read_node(entry: NodeEntry, folder: Path) -> DeclaredNode | None:
    """The code of a node; None where it is on another machine or not plain Python.

    Args:
        entry: the node.
        folder: that of the launch file.

    Raises:
        DeclarationError: there is no such file, module or class, or the file is not Python.
    """
    file = _file_of(entry.pkg, folder, is_elsewhere=entry.machine is not None)
    if file is None:
        return None
    module = _read(file)
    if entry.type not in module.classes:
        is_known = entry.type in module.imported or "*" in module.imported
        if is_known or _assigns(module.tree, entry.type):
            return None
        hint = suggestion(entry.type, module.classes)
        raise DeclarationError(f"{entry.pkg} has no node {entry.type!r}{hint}")
    chain = [(module, module.classes[entry.type])]
    is_whole = True
    for origin, each in chain:
        for base in each.bases:
            found = _base(origin, base)
            is_whole &= found is not None
            chain += [one for one in found or [] if one not in chain]
    return DeclaredNode(module, tuple(chain), is_whole)


def _read(file: Path) -> CodeModule:
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except OSError as error:
        raise DeclarationError(f"cannot read {file}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        raise DeclarationError(f"{file}:{getattr(error, 'lineno', 0)}: {error}") from error
    imports = [
        (node, alias)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    return CodeModule(
        file,
        tree,
        classes={each.name: each for each in tree.body if isinstance(each, ast.ClassDef)},
        functions={each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)},
        imported={alias.asname or alias.name: alias.name for _, alias in imports},
        origins={
            alias.asname or alias.name: node.module
            for node, alias in imports
            if node.module and not node.level
        },
    )


def _base(module: CodeModule, base: ast.expr) -> list[tuple[CodeModule, ast.ClassDef]] | None:
    """A base class with its module; [] for `Node`, None where it is not found."""
    name = base.id if isinstance(base, ast.Name) else ""
    if name in module.classes:
        return [(module, module.classes[name])]
    origin, original = module.origins.get(name, ""), module.imported.get(name, "")
    if (origin, original) == _NODE:
        return []
    try:
        file = _file_of(origin, module.file.parent) if origin else None
        found = _read(file) if file is not None else None
    except DeclarationError:
        return None
    if found is None or original not in found.classes:
        return None
    return [(found, found.classes[original])]


def _file_of(pkg: str, folder: Path, *, is_elsewhere: bool = False) -> Path | None:
    """The file of a module; None for one that is not plain Python, or on another machine."""
    if pkg.endswith(".py"):
        return folder / pkg
    if is_own_module(pkg):
        try:
            spec = importlib.util.find_spec(pkg)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None:
            raise DeclarationError(f"there is no module {pkg!r}")
        return Path(spec.origin)
    beside = folder.joinpath(*pkg.split(".")).with_suffix(".py")
    if beside.is_file():
        return beside
    return None if is_elsewhere else _installed(pkg, folder)


def _installed(pkg: str, folder: Path) -> Path | None:
    """The file of an installed module, whose packages are not imported."""
    first, *rest = pkg.split(".")
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):
        spec = None
    if spec is None and not (folder / first).is_dir():
        raise DeclarationError(
            f"there is no module {pkg!r}: it is neither installed nor next to the launch file"
        )
    if spec is None:
        places = [folder / first]
    elif spec.submodule_search_locations is None:
        return Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None
    else:
        places = [Path(each) for each in spec.submodule_search_locations]
    for number, part in enumerate(rest):
        found = [path for place in places for path in place.glob(f"{part}*") if _is(path, part)]
        if not found:
            raise DeclarationError(f"there is no module {pkg!r}: {first!r} has no {part!r}")
        if number == len(rest) - 1:
            return next((each for each in found if each.suffix == ".py"), None)
        places = [each for each in found if each.is_dir()]
    return None


def _is(path: Path, part: str) -> bool:
    """Whether a file or folder may be the module `part`."""
    return path.name.split(".")[0] == part


def _assigns(tree: ast.Module, name: str) -> bool:
    targets = (each for node in tree.body if isinstance(node, ast.Assign) for each in node.targets)
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)
