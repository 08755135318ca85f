"""One word for one thing: names of modules and of public classes."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("autosim", "autosim_testbench", "autosim_assets")
OUTSIDE = ("__init__", "__main__")


def modules() -> Iterator[Path]:
    for path in sorted(path for each in PACKAGES for path in (ROOT / each).rglob("*.py")):
        if path.stem not in OUTSIDE and "v1" not in path.parts and "defaults" not in path.parts:
            yield path


def is_mirror(paths: list[Path]) -> bool:
    """Whether one of two modules is a command and the other one what it runs."""
    return len(paths) == 2 and any("cli" in path.parts for path in paths)


def test_a_module_has_its_own_name():
    places = defaultdict(list)
    for path in modules():
        places[path.stem].append(path)
    doubled = [name for name, each in places.items() if len(each) > 1 and not is_mirror(each)]
    assert not doubled


def test_no_module_is_called_as_its_folder():
    assert not [path for path in modules() if path.stem == path.parent.name]


def test_a_public_class_has_its_own_name():
    places = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path)
    assert not {name: each for name, each in places.items() if len(each) > 1}
