"""Keeps code whose bits depend on the processor out of what decides the bytes of worlds and steps.

Such are functions for which NumPy or the C library have several codes (`sin`), what calls BLAS or
LAPACK (`@`), products of complex numbers, powers, and sorting that leaves the order of equals
open. `autosim.portable` has the former; the latter is written out, or `kind="stable"`.

`np.einsum` of two operands, `np.interp` and `np.linalg.norm` along an axis are no such code: NumPy
has one code for each, in a fixed order.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

FOLDERS = (
    "config",
    "model",
    "estimation",
    "tracks",
    "traffic",
    "vehicle",
    "engine",
    "server",
    "world",
    "tools/osm_manipulator",
)
PROGRAMS = ("driver.py",)
"""User programs that drive in a demo."""

_MATH = "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p cbrt "
_NUMPY = (
    "arcsin arccos arctan arctan2 arcsinh arccosh arctanh logaddexp power float_power hypot angle "
)
_BLAS = "dot vdot inner matmul tensordot convolve correlate polyfit cov corrcoef fft"
FUNCTIONS = {
    "np": frozenset((_MATH + _NUMPY + _BLAS).split()),
    "math": frozenset((_MATH + "asin acos atan atan2 asinh acosh atanh pow gamma erf").split()),
}
ALLOWED = {
    (
        "world/geometry/least_squares.py",
        "@",
    ): "sparse: SciPy adds products up in order",
    ("world/geometry/polylines.py", "a complex number"): "sorts by two numbers, rounds nothing",
    (
        "world/levels/axis_samples.py",
        "a complex number",
    ): "sorts by two numbers, rounds nothing",
    ("world/compiled/ground_index.py", "a power"): "of whole numbers",
    ("tracks/racing.py", "@"): "judges drives, and steers none",
    ("estimation/consistency.py", "@"): "judges beliefs, and makes none",
    ("estimation/consistency.py", "np.linalg.solve"): "judges beliefs, and makes none",
    ("traffic/signals/signal_groups.py", "@"): "of whole numbers",
    ("tools/osm_manipulator/preview.py", "a power"): "the bar of a scale in a picture",
    ("tools/osm_manipulator/preview.py", "np.log10"): "the bar of a scale in a picture",
    ("engine/step/run_monitor.py", "math.log"): "classes of durations, which no clock repeats",
    ("engine/step/run_monitor.py", "math.exp"): "classes of durations, which no clock repeats",
}


def sources() -> list[Path]:
    """Of all that decides bytes; what writes worlds for other simulators does not."""
    found = [path for folder in FOLDERS for path in (ROOT / "autosim" / folder).rglob("*.py")]
    programs = [ROOT / "userprograms" / name for name in PROGRAMS]
    return [path for path in found if "export" not in path.parts] + programs


def suspects(code: str) -> Iterator[tuple[int, str]]:
    """Line and name of each piece of code whose bits may depend on the processor."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Attribute(ast.Name(module), name) if name in FUNCTIONS.get(module, ()):
                yield node.lineno, f"{module}.{name}"
            case ast.ImportFrom("math", names):
                wrong = FUNCTIONS["math"].intersection(each.name for each in names)
                yield from ((node.lineno, f"math.{name}") for name in wrong)
            case ast.Constant(complex()):
                yield node.lineno, "a complex number"
            case ast.BinOp(left, operator, right) if _is_suspect(left, operator, right):
                yield node.lineno, "@" if isinstance(operator, ast.MatMult) else "a power"
            case ast.Call(ast.Attribute(owner, name), _, keywords):
                given = {each.arg for each in keywords}
                if name == "argsort" and "kind" not in given:
                    yield node.lineno, "argsort without kind"
                if ast.unparse(owner) == "np.linalg" and (name, "axis" in given) != ("norm", True):
                    yield node.lineno, f"np.linalg.{name}"


def _is_suspect(left: ast.expr, operator: ast.operator, right: ast.expr) -> bool:
    if not isinstance(operator, ast.Pow):
        return isinstance(operator, ast.MatMult)
    match left, right:
        case (_, ast.Constant(2)) | (ast.Constant(2.0), _) | (ast.Constant(int()), ast.Constant()):
            return False
    return True


@cache
def found() -> dict[tuple[str, str], list[int]]:
    """Lines of each kind of suspect code, by the file and the kind."""
    lines = defaultdict(list)
    for path in sources():
        for line, what in suspects(path.read_text(encoding="utf-8")):
            lines[path.relative_to(ROOT).as_posix().removeprefix("autosim/"), what].append(line)
    return lines


def test_what_decides_bytes_is_portable() -> None:
    wrong = {place: lines for place, lines in found().items() if place not in ALLOWED}
    assert not wrong, "bits may depend on the processor: take functions of autosim/portable.py"


def test_all_that_is_allowed_is_used() -> None:
    assert set(ALLOWED) <= set(found())


@pytest.mark.parametrize(
    "code",
    [
        *("np.sin(x)", "math.atan2(y, x)", "from math import cos, sqrt", "a @ b", "np.dot(a, b)"),
        *("np.linalg.norm(a)", "np.linalg.solve(a, b)", "np.exp(1j * x)", "x**3", "x**0.5"),
        *("np.argsort(x)", "x.argsort()"),
    ],
)
def test_code_that_depends_on_the_processor_is_found(code: str) -> None:
    assert list(suspects(code))


@pytest.mark.parametrize(
    "code",
    [
        *("np.sqrt(x)", "portable.sin(x)", "from math import sqrt", "np.linalg.norm(a, axis=1)"),
        *("x**2", "2**32", "2.0**-53", 'np.argsort(x, kind="stable")', "(a * b).sum(axis=1)"),
    ],
)
def test_code_that_does_not_is_let_through(code: str) -> None:
    assert not list(suspects(code))
