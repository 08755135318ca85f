"""Kernels run wherever their machine code can be kept, and where it cannot."""

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
        "import kernels; from autosim.jit import is_cached\n"
        "print(is_cached(kernels.doubled)); kernels.doubled(1.0); print(is_cached(kernels.doubled))"
    )
    assert doubled(package, asked).stdout == "False\nTrue\n"


def test_what_kernels_call_is_python_to_python(package):
    (package / "kernels.py").write_text(
        "from autosim.jit import jitable, compiled\n\n\n"
        "@jitable\ndef twice(value):\n    return 2.0 * value\n\n\n"
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
        "import kernels, numpy; from autosim.jit import bind_arguments\n"
        "values = numpy.ones(1); call = bind_arguments(kernels.double, values, (2.0,))\n"
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


CALLED = """
from autosim.jit import jitable
from others.constants import FACTOR

@jitable
def scaled(value):
    return FACTOR * value
"""

CALLING = """
from autosim.jit import jitable, compiled
from others import calls

@jitable
def twice(value):
    return calls.scaled(value)

@compiled
def doubled(value):
    return twice(value)
"""


def test_code_is_made_anew_when_anything_that_a_kernel_calls_has_changed(package):
    (package / "others").mkdir()
    (package / "others" / "constants.py").write_text("FACTOR = 2.0\n")
    (package / "others" / "calls.py").write_text(CALLED)
    (package / "kernels.py").write_text(CALLING)
    asked = (
        "import kernels; from autosim.jit import is_cached\n"
        "print(is_cached(kernels.doubled), kernels.doubled(21.0))"
    )
    assert doubled(package).stdout == "42.0\n"
    assert doubled(package, asked).stdout == "True 42.0\n"
    # A constant that it names, a function of another folder, and its own file.
    (package / "others" / "constants.py").write_text("FACTOR = 3.0 + 0.0\n")
    assert doubled(package, asked).stdout == "False 63.0\n"
    (package / "others" / "calls.py").write_text(CALLED.replace("FACTOR *", "1.0 + FACTOR *"))
    assert doubled(package, asked).stdout == "False 64.0\n"
    (package / "kernels.py").write_text(CALLING.replace("return twice", "return 2.0 * twice"))
    assert doubled(package, asked).stdout == "False 128.0\n"


def test_code_is_kept_when_what_a_kernel_does_not_call_has_changed(package):
    assert doubled(package).stdout == "42.0\n"
    (package / "other.py").write_text("CHANGED = True\n")
    asked = "import kernels; from autosim.jit import is_cached; print(is_cached(kernels.doubled))"
    assert doubled(package, asked).stdout == "True\n"


def test_code_of_types_that_are_gone_is_no_reason_to_fail(package):
    (package / "types_of_ours.py").write_text(
        "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: float\n    b: float\n"
    )
    (package / "kernels.py").write_text(
        "from autosim.jit import compiled\nfrom types_of_ours import Pair\n\n\n"
        "@compiled\ndef doubled(value):\n    return Pair(value, value).a * 2.0\n"
        "@compiled\ndef summed(pair):\n    return pair.a + pair.b\n"
    )
    code = "import kernels; print(kernels.summed(kernels.Pair(1.0, 2.0)))"
    assert doubled(package, code).stdout == "3.0\n"
    (package / "types_of_ours.py").rename(package / "renamed_types.py")
    text = (package / "kernels.py").read_text()
    (package / "kernels.py").write_text(text.replace("types_of_ours", "renamed_types"))
    ran = doubled(package, code)
    assert ran.stdout == "3.0\n", ran.stderr


def test_code_of_a_record_whose_fields_have_other_types_is_made_anew(package):
    def write(module):
        (package / f"{module}.py").write_text(
            "from typing import NamedTuple\n\n\nclass Inner(NamedTuple):\n    a: float\n"
        )
        (package / "records.py").write_text(
            f"from typing import NamedTuple\nfrom {module} import Inner\n\n\n"
            "class Pair(NamedTuple):\n    inner: Inner\n    b: float\n"
        )

    (package / "kernels.py").write_text(
        "from autosim.jit import compiled\nfrom records import Inner, Pair\n\n\n"
        "@compiled\ndef doubled(pair):\n    return pair.b * 2.0\n"
    )
    code = "import kernels as k; print(k.doubled(k.Pair(k.Inner(1.0), 2.0)))"
    write("inner")
    assert doubled(package, code).stdout == "4.0\n"
    (package / "inner.py").unlink()
    write("renamed")
    ran = doubled(package, code)
    assert ran.stdout == "4.0\n", ran.stderr


def test_a_kernel_may_call_scipys_linear_algebra_which_is_imported_then(package):
    (package / "kernels.py").write_text(
        "import numpy as np\n\nfrom autosim.jit import compiled\n\n\n"
        "@compiled\ndef product(values):\n    return np.dot(values, values)\n"
    )
    ran = doubled(package, "import kernels, numpy; print(kernels.product(numpy.full(3, 2.0)))")
    assert ran.stdout == "12.0\n", ran.stderr
