"""A user program's file: loaded as a module of its own, and checked."""

import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

Main = Callable[[Sequence[str]], object]


class ProgramError(Exception):
    """A file cannot be used as a user program; the text names file and line."""


def load_main(file: Path, *, module: str) -> Main:
    """Runs the module body of `file` and returns its `main`.

    The module is known as `module` while it lives (dataclasses and pickle ask for that), never as
    `__main__`; no byte code is written next to the user's file.

    Raises:
        ProgramError: there is no such file, or no `main` that takes one argument.
        BaseException: whatever the file raises, SyntaxError among them.
    """
    try:
        source = file.read_bytes()
    except OSError as error:
        raise ProgramError(f"{file}: error: cannot be read: {error.strerror}") from error
    loaded = ModuleType(module)
    loaded.__file__ = str(file)
    sys.modules[module] = loaded
    exec(compile(source, str(file), "exec", dont_inherit=True), loaded.__dict__)
    return _checked_main(loaded, file)


def _checked_main(module: ModuleType, file: Path) -> Main:
    main: Main | None = getattr(module, "main", None)
    if main is None:
        functions = [name for name, each in vars(module).items() if inspect.isfunction(each)]
        found = f"; it defines {', '.join(functions)}" if functions else ""
        raise ProgramError(f"{file}:1: error: a user program defines main(argv){found}")
    if not callable(main):
        raise ProgramError(f"{file}:1: error: main is a {type(main).__name__}, not a function")
    try:
        inspect.signature(main).bind(())
    except TypeError as error:
        line = main.__code__.co_firstlineno if inspect.isfunction(main) else 1
        raise ProgramError(
            f"{file}:{line}: error: main must take one argument, main(argv): {error}"
        ) from error
    return main
