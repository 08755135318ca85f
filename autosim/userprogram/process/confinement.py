"""The limits that a user program's process sets itself before it runs foreign code.

This contains mistakes, not attacks: memory and open files are limited, and there is no core dump.
"""

import faulthandler
import resource
import signal
from typing import IO

from autosim.helper_processes.forked_module import inherited_bytes

_RESERVE_BYTES = 64 << 20
"""Memory [bytes] that is kept back to report that the memory is used up."""

_NEW_INTERPRETER_BYTES = 123 << 20
"""Address space [bytes] of a new interpreter that is ready to run a program."""

_OPEN_FILES = 1024
"""Number of files that a program may open: the usual limit of Linux. Above it, `select` fails."""


def limit_resources(memory_bytes: int) -> None:
    """Limits the address space [bytes] and the open files; allows no core dump."""
    # A forked process begins with modules of AutoSim that the program has not asked for.
    soft = memory_bytes + max(0, inherited_bytes() - _NEW_INTERPRETER_BYTES)
    _lower(resource.RLIMIT_AS, soft, soft + _RESERVE_BYTES)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES)
    _lower(resource.RLIMIT_CORE, 0, 0)


def release_reserve() -> None:
    """Allows the memory that `limit_resources` kept back."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def report_crashes(file: IO[str]) -> None:
    """Writes the program's stack to `file` when it crashes, and on SIGUSR1, which then ends it.

    That works in an endless loop too, and in a call that does not return.
    """
    faulthandler.enable(file, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file, all_threads=False, chain=True)


def _lower(limit: int, soft: int, hard: int) -> None:
    highest = resource.getrlimit(limit)[1]
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(limit, (soft, hard))
