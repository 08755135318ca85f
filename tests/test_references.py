"""Names in docstrings exist: exceptions, members of classes, and modules of a package."""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("autosim", "autosim_assets", "autosim_testbench")

NOT_OURS = frozenset({"Protocol", "ABC", "Generic", "object", "NamedTuple"})
"""Bases without members that a docstring would name."""

NOT_MODULES = frozenset(
    ("__all__", "autosim", "from_message", "pkg", "supervise", "to_message", "traffic", "type")
)
"""Words in backticks of package docstrings that are not modules of the package."""


@cache
def trees() -> dict[Path, ast.Module]:
    files = [path for each in PACKAGES for path in sorted((ROOT / each).rglob("*.py"))]
    return {path: ast.parse(path.read_text()) for path in files if "_pb2" not in path.name}


@cache
def classes() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Of each class its members and the names of its bases."""
    found: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = (ast.unparse(each).split("[")[0].split(".")[-1] for each in node.bases)
                before = found[node.name][0] if node.name in found else frozenset()
                found[node.name] = before | frozenset(_members(node)), tuple(bases)
    return found


def _members(node: ast.ClassDef) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr


def _has(name: str, member: str) -> bool:
    members, bases = classes()[name]
    if member in members:
        return True
    return any(_has(each, member) if each in classes() else each not in NOT_OURS for each in bases)


def _docstrings() -> Iterator[tuple[Path, str]]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield path.relative_to(ROOT), text


def _names_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (each.asname or each.name for each in node.names)


def _raised(text: str) -> Iterator[str]:
    """The exceptions that the section "Raises" of a docstring names."""
    section = re.search(r"^Raises:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
    name = r"^    ([A-Z][\w., ]+|(?:click|grpc)[\w.]+):"
    for names in re.findall(name, section[1] if section else "", re.MULTILINE):
        yield from names.split(", ")


def test_documented_exceptions_exist() -> None:
    known = {*dir(builtins), *(name for tree in trees().values() for name in _names_of(tree))}
    unknown = [
        (str(path), name)
        for path, text in _docstrings()
        for name in _raised(text)
        if name.split(".")[0] not in known
    ]
    assert not unknown


def test_members_that_docstrings_name_exist() -> None:
    unknown = [
        (str(path), f"{name}.{member}")
        for path, text in _docstrings()
        for name, member in re.findall(r"`([A-Z]\w+)\.(\w+)[`(]", text)
        if name in classes() and not _has(name, member)
    ]
    assert not unknown


def test_modules_that_a_package_lists_exist() -> None:
    unknown = []
    for path, tree in trees().items():
        text = (ast.get_docstring(tree) or "") if path.name == "__init__.py" else ""
        for name in re.findall(r"`([a-z_]+)(?:\.py|\.[A-Z]\w+)?`", text):
            is_there = any((path.parent / each).exists() for each in (name, f"{name}.py"))
            if not is_there and name not in NOT_MODULES:
                unknown.append((str(path.relative_to(ROOT)), name))
    assert not unknown
