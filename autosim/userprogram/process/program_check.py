"""Finds the faults of a user program before it runs: of its syntax, its entry and its imports."""

import ast
from collections.abc import Iterator
from pathlib import Path

from autosim import userprogram
from autosim.config.diagnostics import Diagnostics, printable
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.faults import Faults
from autosim.config.reading.xml_reader import UnreadableError, read_bytes
from autosim.userprogram.process import hooks
from autosim.userprogram.process.program_file import ProgramFileError, load_main

_API = "autosim.userprogram"

_MAX_REASON = 300
"""Number of characters of an error of the program that are shown."""


def check_program(file: Path, found: Diagnostics, *, is_trusted: bool = False) -> bool:
    """Checks a user program; returns whether `file` is one.

    A user program defines `main` or a class `Program`, or imports `autosim.userprogram`; a study
    defines `study`.

    Args:
        file: a Python file.
        found: takes its faults.
        is_trusted: import the program as well, which runs its module, but not its `main`. Else none
            of its code is run.
    """
    try:
        tree = ast.parse(read_bytes(file), str(file))
    except (UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # whatever it is meant to be
    if not _is_program(tree):
        return False
    faults = Faults(file, found)
    _check_imports(tree, faults)
    _check_entry(tree, faults)
    if is_trusted and not found.errors:
        _check_import(file, faults)
    return True


def _is_program(tree: ast.Module) -> bool:
    names = {name for node in tree.body for name in _defined(node)}
    imports = any(_imported_from(node) == _API for node in ast.walk(tree))
    return "study" not in names and (bool(names & {"main", hooks.CLASS_NAME}) or imports)


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (each.id for each in targets if isinstance(each, ast.Name))


def _imported_from(node: ast.AST) -> str:
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return node.module or ""
    if isinstance(node, ast.Import):
        return next((each.name for each in node.names if each.name == _API), "")
    return ""


def _check_imports(tree: ast.Module, faults: Faults) -> None:
    """Names functions that `autosim.userprogram` does not have."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or _imported_from(node) != _API:
            continue
        for each in node.names:
            if each.name != "*" and not hasattr(userprogram, each.name):
                hint = suggestion(each.name, userprogram.__all__)
                faults.error(node.lineno, f"{_API} has no '{each.name}'{hint}")


def _check_entry(tree: ast.Module, faults: Faults) -> None:
    mains = [each for each in tree.body if "main" in _defined(each)]
    classes = [
        each
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == hooks.CLASS_NAME
    ]
    if mains and isinstance(mains[-1], ast.FunctionDef):
        _check_main(mains[-1], faults)
    elif classes and not mains:
        _check_class(classes[-1], faults)
    elif not mains and not any(hooks.CLASS_NAME in _defined(each) for each in tree.body):
        functions = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
        defines = f"; it defines {', '.join(functions)}" if functions else ""
        faults.error(1, f"a user program defines main(argv) or a class Program{defines}")


def _check_main(main: ast.FunctionDef, faults: Faults) -> None:
    if not _takes(main, 1):
        faults.error(main.lineno, "main must take one argument: main(argv)")


def _check_class(program: ast.ClassDef, faults: Faults) -> None:
    methods = {each.name: each for each in program.body if isinstance(each, ast.FunctionDef)}
    if not program.bases and not methods.keys() & hooks.SIGNATURES.keys():
        faults.error(
            program.lineno, f"class {program.name} has none of {', '.join(hooks.SIGNATURES)}"
        )
    for name, count in (("step", 2), ("stop", 1)):
        method = methods.get(name)
        if method is not None and not method.decorator_list and not _takes(method, count):
            faults.error(method.lineno, f"{name} must be {hooks.SIGNATURES[name]}")


def _takes(function: ast.FunctionDef, count: int) -> bool:
    """Whether a function can be called with that number of positional arguments."""
    arguments = function.args
    places = len(arguments.posonlyargs) + len(arguments.args)
    required = places - len(arguments.defaults)
    has_free_keywords = all(each is not None for each in arguments.kw_defaults)
    has_room = count <= places or arguments.vararg is not None
    return required <= count and has_room and has_free_keywords


def _check_import(file: Path, faults: Faults) -> None:
    """Runs the module of a trusted program."""
    try:
        load_main(file, module="checked_userprogram")
    except ProgramFileError as error:
        faults.error(0, str(error).removeprefix(f"{file}:"))
    except (Exception, SystemExit) as error:  # whatever a program raises
        faults.error(0, f"{type(error).__name__}: {printable(str(error), _MAX_REASON)}")
