"""Whether a window can be shown here; knows no Qt itself, so that it can say that Qt is missing."""

import os
import subprocess
import sys
from importlib.util import find_spec

_PROBE = "from PyQt6.QtWidgets import QApplication; QApplication([])"
_PROBE_SECONDS = 30.0
"""Time [s] after which a screen counts as dead: Qt starts within some seconds, even on a
forwarded display."""


def find_obstacle() -> str:
    """Reason why no window can be shown; "" if one can."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        return "there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set)"
    if find_spec("PyQt6") is None:
        return "PyQt6 is not installed (pip install 'autosim[gui]')"
    # Qt ends the process where it cannot reach the screen: let it end another one.
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "the screen does not answer"
    if probe.returncode == 0:
        return ""
    lines = [line for line in probe.stderr.splitlines() if line.strip()]
    return "Qt does not start" + (f": {lines[0].strip()}" if lines else "")
