"""Scripts that draw in a process of their own, since a process holds only one renderer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.paths import ROOT

HERE = Path(__file__).parent


def facts_of(script: str) -> Any:
    """What `script` prints last, as JSON; it finds this folder's modules and has no screen."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": "", "PYTHONPATH": f"{ROOT}:{HERE}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
