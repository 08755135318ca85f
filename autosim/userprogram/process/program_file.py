"""A user program's file: loaded as its own module, and checked."""

import ast
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from autosim.userprogram.process import hooks

Main = Callable[[Sequence[str]], object]


class ProgramFileError(Exception):
    """A file cannot be used as a user program; the text names file and line."""


def load_main(file: Path, *, module: str, arguments: int = 0) -> Main:
    """Runs the module body of `file` and returns its `main`, or one that drives its class.

    The module is known as `module` while it lives (dataclasses and pickle ask for that), never as
    `__main__`; no byte code is written next to the user's file.

    Args:
        file: the program.
        module: its name as a module.
        arguments: how many follow the robot's name.

    Raises:
        ProgramFileError: there is no such file, no `main` that takes one argument, or no class
            `Program` with hooks as in `hooks`.
        BaseException: whatever the file raises, SyntaxError among them.
    """
    try:
        source = file.read_bytes()
    except OSError as error:
        raise ProgramFileError(f"{file}: error: cannot be read: {error.strerror}") from error
    loaded = ModuleType(module)
    loaded.__file__ = str(file)
    sys.modules[module] = loaded
    exec(compile(source, str(file), "exec", dont_inherit=True), loaded.__dict__)
    main, program = vars(loaded).get("main"), vars(loaded).get(hooks.CLASS_NAME)
    if main is None and program is not None:
        return _checked_class(program, file, source, arguments)
    if program is not None and any(hasattr(program, name) for name in hooks.SIGNATURES):
        raise ProgramFileError(f"{file}:1: error: there is both main(argv) and a class Program")
    return _checked_main(loaded, file)


def _checked_class(program: object, file: Path, source: bytes, arguments: int) -> Main:
    if not isinstance(program, type):
        raise ProgramFileError(
            f"{file}:1: error: Program is a {type(program).__name__}, not a class"
        )
    fault = hooks.find_fault(program, arguments)
    if fault is None:
        return hooks.as_main(program)
    line, reason = fault
    raise ProgramFileError(f"{file}:{line or _class_line(source)}: error: {reason}")


def _class_line(source: bytes) -> int:
    """Line of the class Program."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name == hooks.CLASS_NAME:
            return node.lineno
    return 1


def _checked_main(module: ModuleType, file: Path) -> Main:
    main: Main | None = getattr(module, "main", None)
    if main is None:
        functions = [
            name
            for name, each in vars(module).items()
            if inspect.isfunction(each) and each.__module__ == module.__name__
        ]
        found = f"; it defines {', '.join(functions)}" if functions else ""
        wanted = "a user program defines main(argv) or a class Program"
        raise ProgramFileError(f"{file}:1: error: {wanted}{found}")
    if not callable(main):
        raise ProgramFileError(f"{file}:1: error: main is a {type(main).__name__}, not a function")
    try:
        inspect.signature(main).bind(())
    except TypeError as error:
        line = main.__code__.co_firstlineno if inspect.isfunction(main) else 1
        raise ProgramFileError(
            f"{file}:{line}: error: main must take one argument, main(argv): {error}"
        ) from error
    return main
