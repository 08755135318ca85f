"""Modules that are named but not used are not imported."""

import subprocess
import sys


def modules_after(code: str) -> set[str]:
    """The modules of a fresh process that has run `code`."""
    command = [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


PUT_OFF = "from autosim.world.pipeline.lazy_imports import UNUSED_BY_SCIPY, put_off\n"
WITH_SCIPY = PUT_OFF + "with put_off(*UNUSED_BY_SCIPY): import scipy.spatial, scipy.sparse.linalg"


def test_scipy_is_imported_without_what_it_does_not_use():
    modules = modules_after(WITH_SCIPY)
    assert "scipy.spatial" in modules
    assert not {"numpy.f2py", "numpy.testing", "numpy.polynomial"} & modules


def test_what_was_put_off_is_imported_when_it_is_asked_for():
    code = "\nimport numpy.polynomial as p; assert p.Polynomial([1, 2])(3) == 7"
    assert {"numpy.polynomial", "numpy.polynomial.polynomial"} <= modules_after(WITH_SCIPY + code)


def test_what_is_asked_for_inside_is_there_at_once():
    code = "with put_off('numpy.ma'):\n import numpy\n assert numpy.ma.array([1]).sum() == 1"
    assert "numpy.ma.core" in modules_after(PUT_OFF + code)


def test_what_is_there_already_stays():
    code = "import numpy.ma as known\nwith put_off('numpy.ma'): pass\n"
    assert "numpy.ma" in modules_after(PUT_OFF + code + "assert sys.modules['numpy.ma'] is known")
