"""A clock that a fault moves is seen by the processes that it is meant for."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.faults.moved_clock import MovedClock

TELL = "import time; input(); print(time.time(), time.time_ns())"


def test_a_running_process_sees_the_clock_jump(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path / "clock")
    with subprocess.Popen(
        [sys.executable, "-P", "-c", TELL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(clock.folder)},
        text=True,
    ) as process:
        clock.set(-3600.0)
        begin = time.time()
        seconds, nanoseconds = map(float, process.communicate("\n")[0].split())
    assert begin - 3600.0 <= seconds <= time.time() - 3600.0
    assert begin - 3600.0 <= nanoseconds * 1e-9 <= time.time() - 3600.0
