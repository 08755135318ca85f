"""Limits of the system are named, and raised where that is allowed."""

import errno
import os
import subprocess
import sys

import pytest

from autosim.system_limits import explain_shortage


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EMFILE, "Too many open files"), "files and connections open: allow more"),
        (OSError(errno.ENFILE, "File table overflow"), "fs.file-max"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "ulimit -u"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory"),
        (MemoryError(), "memory"),
        (RuntimeError("can't start new thread"), "memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "memory"),
        (ModuleNotFoundError("No module named 'panda3d'"), ""),
        (OSError(errno.ENOENT, "No such file"), ""),
        (ValueError("x"), ""),
    ],
)
def test_what_stands_in_the_way_is_named(error: Exception, words: str) -> None:
    text = explain_shortage(error)
    assert words in text
    assert bool(text) is bool(words)


LIMITED = """
import resource, sys
from autosim.system_limits import explain_shortage, raise_file_limit

_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, min(hard, 128)))
raise_file_limit()
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(hard, 128)
try:
    files = [open("/dev/null") for _ in range(200)]
except OSError as error:
    print(explain_shortage(error))
"""


def run(source: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_soft_limit_of_files_is_raised_and_the_hard_one_named() -> None:
    assert "may have 128 files and connections open: allow more (ulimit -n)" in run(LIMITED)


SHORT_FILES = """
import resource
from autosim.system_limits import explain_shortage
from autosim.world.compiled.compiled_file import file_in_memory
from tests.server.light_simulation import flat_world

resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    file_in_memory(flat_world())
except OSError as error:
    print(explain_shortage(error))
"""


def test_a_file_that_may_not_be_so_large_is_named() -> None:
    said = run(SHORT_FILES)
    assert said.startswith("the compiled map of 'light', in memory: no file may be larger than 100")
    assert "allow more (ulimit -f)" in said


SHORT_OF_MEMORY = """
import sys

class Loader:
    # As the loader of libraries fails where memory is limited.
    def find_spec(self, name, path=None, target=None):
        if name == "panda3d.core":
            raise ImportError("libpanda.so: failed to map segment from shared object")

sys.meta_path.insert(0, Loader())
import resource
resource.setrlimit(resource.RLIMIT_AS, (4000 << 20, resource.RLIM_INFINITY))
try:
    import autosim.client.panda.panda_imports
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_library_that_does_not_fit_into_memory_is_not_called_missing() -> None:
    said = run(SHORT_OF_MEMORY)
    assert said.startswith("RendererError Panda3D is installed, but cannot be loaded")
    assert "this process may have 4000 MiB of memory: allow more (ulimit -v)" in said
