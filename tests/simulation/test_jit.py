"""Kernels run wherever their machine code can be kept, and where it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autosim.simulation import jit

SOURCE = Path(jit.__file__)
RUN = "import kernels; print(kernels.doubled(21.0))"


@pytest.fixture
def package(tmp_path):
    (tmp_path / "kernels.py").write_text(
        "from autosim.simulation.jit import compiled\n\n\n"
        "@compiled\ndef doubled(value):\n    return 2.0 * value\n"
    )
    return tmp_path


def doubled(package, code=RUN, **environment):
    own = {**os.environ, "PYTHONPATH": f"{package}:{SOURCE.parents[2]}", **environment}
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
