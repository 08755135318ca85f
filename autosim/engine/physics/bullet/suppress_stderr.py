"""Keeps a foreign library from writing to the terminal while it is imported."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def suppress_stderr() -> Iterator[None]:
    """Inside, whatever is written to descriptor 2 is dropped, by C code too."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
