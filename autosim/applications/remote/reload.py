"""Detects changes of a user program and of the modules in its folder."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path


class ProgramWatch:
    """A program's file, and the modules that it imports from its folder, as they were last seen.

    An editor may be writing a file: a change counts when the file is the same for two looks. What
    is imported follows from the files' text, so it may also be a module that is not there yet.

    Args:
        program: the program's file.
    """

    def __init__(self, program: Path) -> None:
        self._program = program
        self._known: dict[Path, bytes | None] = {}
        self._seen: dict[Path, bytes | None] = {}
        self._follow()

    @property
    def files(self) -> frozenset[Path]:
        """The watched files."""
        return frozenset(self._known)

    def look(self) -> tuple[Path, ...]:
        """The files that have changed since the last reported change."""
        before, self._seen = self._seen, {file: _read(file) for file in self._known}
        changed = tuple(
            file
            for file, content in self._seen.items()
            if content is not None and content == before[file] and content != self._known[file]
        )
        if changed:
            self._known |= {file: self._seen[file] for file in changed}
            self._follow()
        return changed

    def find_fault(self) -> str:
        """Syntax error of the files, with file and line; "" without one."""
        for file, content in self._known.items():
            fault = _fault_of(file, content or b"")
            if fault:
                return fault
        return ""

    def _follow(self) -> None:
        """Watches what the files import by now."""
        followed: set[Path] = set()
        waiting = [self._program]
        while waiting:
            file = waiting.pop()
            if file in followed:
                continue
            followed.add(file)
            if file not in self._known:
                self._known[file] = self._seen[file] = _read(file)
            waiting += _imported(file, self._known[file] or b"", root=self._program.parent)


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:  # between two versions it may not be there
        return None


def _fault_of(file: Path, content: bytes) -> str:
    try:
        compile(content, str(file), "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{file}:{error.lineno or 1}: error: {error.msg}"
    except ValueError as error:  # a zero byte
        return f"{file}:1: error: {error}"
    return ""


def _imported(file: Path, content: bytes, *, root: Path) -> Iterator[Path]:
    """The files of `root` that `file` may import; none where it cannot be read as Python."""
    nodes: list[ast.AST] = []
    with suppress(SyntaxError, ValueError):
        nodes = list(ast.walk(ast.parse(content)))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module_files(root, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            above = [root, *file.parents]
            base = above[min(node.level, len(above) - 1)]
            module = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from _module_files(base, [*module, alias.name])


def _module_files(base: Path, names: Sequence[str]) -> Iterator[Path]:
    """Files of a module and the packages around it, if they are in `base`."""
    for count in range(1, len(names) + 1):
        place = base.joinpath(*names[:count])
        if count == 1 or place.parent.is_dir():
            yield place.with_name(f"{place.name}.py")
            if place.is_dir():
                yield place / "__init__.py"
