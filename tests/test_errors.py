"""The drawing of the exceptions in `autosim.errors` shows each one and its place in the tree."""

import ast
import re
from pathlib import Path

import autosim.errors

PACKAGE = Path(autosim.errors.__file__).parent
LINE = re.compile(r"    ([│├└─ ]*)(\w+Error)(?: +([\w.]+):)?")


def _drawn() -> dict[str, tuple[str, str]]:
    """Of each drawn exception its base and its module."""
    drawn: dict[str, tuple[str, str]] = {}
    ancestors: list[tuple[str, str]] = []
    for line in (autosim.errors.__doc__ or "").splitlines():
        match = LINE.match(line)
        if match is None:
            continue
        branch, name, module = match.groups()
        depth = len(branch) // 4
        del ancestors[depth:]
        base = ancestors[-1] if ancestors else ("Exception", "errors")
        drawn[name] = (base[0], module or base[1])
        ancestors.append((name, drawn[name][1]))
    return drawn


def _declared() -> dict[str, tuple[str, str]]:
    """Of each public subclass of `UserError` its base and its module."""
    bases: dict[str, tuple[str, str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.bases and not node.name.startswith("_"):
                module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
                bases[node.name] = (ast.unparse(node.bases[0]), module)
    found = {"UserError"}
    while more := {name for name, (base, _) in bases.items() if base in found} - found:
        found |= more
    return {name: bases[name] for name in found}


def test_the_drawn_tree_is_that_of_the_classes() -> None:
    assert _drawn() == _declared()
