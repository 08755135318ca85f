"""Kernels run wherever their machine code can be kept, and where it cannot."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autosim import jit

SOURCE = Path(jit.__file__)
RUN = "import kernels; print(kernels.doubled(21.0))"


@pytest.fixture
def package(tmp_path):
    (tmp_path / "kernels.py").write_text(
        "from autosim.jit import compiled\n\n\n"
        "@compiled\ndef doubled(value):\n    return 2.0 * value\n"
    )
    return tmp_path


def doubled(package, code=RUN, **environment):
    own = {**os.environ, "PYTHONPATH": f"{package}:{SOURCE.parents[1]}", **environment}
    return subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True)


def test_the_code_is_kept_beside_the_source(package):
    assert doubled(package).stdout == "42.0\n"
    assert list((package / "__pycache__").glob("kernels.doubled*.nbc"))


def test_without_a_folder_for_it_the_code_is_made_in_each_process(package):
    nowhere = (
        "from numba.core import caching\ncaching.FunctionCache._impl_class._locator_classes = []\n"
    )
    ran = doubled(package, nowhere + RUN)
    assert ran.stdout == "42.0\n", ran.stderr
    assert not list(package.rglob("*.nbc"))


def test_a_full_disk_is_no_reason_to_fail(package):
    full = (
        "from numba.core.caching import IndexDataCacheFile\n"
        "def save(*arguments): raise OSError(28, 'No space left on device')\n"
        "IndexDataCacheFile.save = save\n"
    )
    ran = doubled(package, full + RUN)
    assert ran.stdout == "42.0\n", ran.stderr


def test_what_is_kept_is_known(package):
    asked = (
        "import kernels; from autosim.jit import is_kept\n"
        "print(is_kept(kernels.doubled)); kernels.doubled(1.0); print(is_kept(kernels.doubled))"
    )
    assert doubled(package, asked).stdout == "False\nTrue\n"
    (package / "other.py").write_text("CHANGED = True\n")
    assert doubled(package, asked).stdout == "False\nTrue\n"


def test_what_kernels_call_is_python_to_python(package):
    (package / "kernels.py").write_text(
        "from autosim.jit import compilable, compiled\n\n\n"
        "@compilable\ndef twice(value):\n    return 2.0 * value\n\n\n"
        "@compiled\ndef doubled(value):\n    return twice(value)\n"
    )
    assert doubled(package).stdout == "42.0\n"
    asked = "import kernels; print(type(kernels.twice).__name__, kernels.twice(4.0))"
    assert doubled(package, asked).stdout == "function 8.0\n"


def test_a_bound_kernel_is_compiled_already_and_sees_what_its_arrays_hold(package):
    (package / "kernels.py").write_text(
        "from autosim.jit import compiled\n\n\n"
        "@compiled\ndef double(values, twice):\n    values[0] = twice[0] * values[0]\n"
    )
    asked = (
        "import kernels, numpy; from autosim.jit import bound\n"
        "values = numpy.ones(1); call = bound(kernels.double, values, (2.0,))\n"
        "print(len(kernels.double.dispatcher.signatures), values)\n"
        "values[0] = 4.0; call(); call(); print(values)"
    )
    assert doubled(package, asked).stdout == "1 [1.]\n[16.]\n"


def test_modules_with_kernels_are_imported_without_numba(package):
    code = (
        "import sys, autosim.loading.loader, autosim.userprogram.api, kernels\n"
        "print('numba' in sys.modules)"
    )
    ran = doubled(package, code)
    assert ran.stdout == "False\n", ran.stderr


def test_code_is_made_anew_when_anything_that_kernels_call_has_changed():
    """A folder that kernels of others import functions for kernels from is known to the door."""
    package = Path(jit.__file__).parent
    helpers: dict[str, set[str]] = {}
    callers: list[tuple[Path, ast.Module]] = []
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        marks = {
            node.name: {ast.unparse(mark) for mark in node.decorator_list}
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
        }
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        helpers[module] = {
            name for name, found in marks.items() if found & {"compilable", "inlined"}
        }
        if any("compiled" in found for found in marks.values()) or helpers[module]:
            callers.append((path, tree))
    known = {package / name for name in jit._CALLED_BY_ALL} | {package}
    for path, tree in callers:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in helpers:
                called = helpers[node.module] & {each.name for each in node.names}
                folder = package.parent.joinpath(*node.module.split(".")).parent
                assert not called or folder in known | {path.parent}, (path, called)
