"""The render mode `human`: a window that shows each step."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autosim.environments.driving import DrivingEnv
from autosim.environments.tasks import FollowLane
from autosim.errors import UserError
from tests.environments.test_driving import TOWN
from tests.screens import screen

WATCHED = """
import os, sys
import numpy as np
from PIL import ImageGrab
from autosim.environments.driving import DrivingEnv

made = DrivingEnv(sys.argv[1], render_mode="human")
made.reset(seed=0, options={"speed": 10.0})
pictures = [made.render()]
for _ in range(2):
    for _ in range(5):
        made.step(np.array([0.0, 0.3], np.float32))
    pictures.append(np.asarray(ImageGrab.grab(xdisplay=os.environ["DISPLAY"])))
made.close()
assert pictures[0] is None
np.savez(sys.argv[2], *pictures[1:])
"""


def test_without_a_screen_the_other_mode_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    made = DrivingEnv(TOWN, task=FollowLane(routes=4), render_mode="human")
    with pytest.raises(UserError, match=r"needs a screen \(\$DISPLAY\): without one, use 'rgb_"):
        made.reset(seed=0)
    made.close()


@pytest.mark.slow
def test_a_window_shows_the_car_after_each_step(tmp_path: Path) -> None:
    file = tmp_path / "pictures.npz"
    with screen(1000, 600) as display:
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, str(TOWN), str(file)],
            env={**os.environ, "DISPLAY": display},
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stderr
    with np.load(file) as arrays:
        first, second = (arrays[name][..., :3].astype(int) for name in arrays.files)
    seen = first[100:500, 100:900].reshape(-1, 3)
    greens = (seen[:, 1] > seen[:, 0] + 10) & (seen[:, 1] > seen[:, 2] + 10)
    assert greens.mean() > 0.02  # grass and trees, which a window once left out
    assert len(np.unique(seen, axis=0)) > 500
    assert (first != second).mean() > 0.05
