"""What each renderer draws. A process holds one renderer, so each draws in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.paths import ROOT
from tests.screens import screen

pytest.importorskip("panda3d")

DRAW = ROOT / "tests/client" / "draw_pictures.py"
WIDTH, HEIGHT = 160, 120
FOCAL = HEIGHT / 2
"""Focal length [pixels] of the camera that looks at the tower: 90 degrees from top to bottom."""


def draw(renderer: str, file: Path, environment: dict[str, str], *options: str) -> None:
    done = subprocess.run(
        [sys.executable, str(DRAW), renderer, str(file), *options],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=["p3headlessgl", "p3tinydisplay", "pandagl"])
def pictures(request, tmp_path_factory):
    """All pictures of one renderer by name, and `facts`."""
    file = tmp_path_factory.mktemp("pictures") / "pictures.npz"
    if request.param == "pandagl":
        with screen() as display:
            draw(request.param, file, {"DISPLAY": display}, "onscreen")
    else:
        draw(request.param, file, {"DISPLAY": ""})
    with np.load(file) as loaded:
        return dict(loaded)


def brightness(picture):
    return picture[..., :3].astype(float).mean(axis=2)


def difference(one, other):
    return np.abs(brightness(one) - brightness(other))


def test_a_picture_is_rgba_bytes_with_rows_from_the_top(pictures):
    picture = pictures["chase"]
    assert picture.shape == (HEIGHT, WIDTH, 4)
    assert picture.dtype == np.uint8
    assert (picture[..., 3] == 255).all()
    red, _, blue = picture[0, 60:100, :3].astype(int).T
    assert (blue > red + 10).mean() > 0.7, "the top row is sky"
    red, green, blue = (picture[-1, :, i].astype(int) for i in range(3))
    assert (blue < green + 15).all(), "the bottom row is ground"


def test_the_chase_camera_sees_the_car_in_its_middle(pictures):
    red, green, blue = (pictures["chase"][60:100, 65:95, i].astype(int) for i in range(3))
    is_paint = (blue > 1.5 * red) & (blue > 1.3 * green)
    assert is_paint.mean() > 0.2


def test_the_same_state_gives_the_same_bytes(pictures):
    assert (pictures["chase"] == pictures["again"]).all()


def test_the_picture_follows_the_car(pictures):
    for other in ("ahead", "turned"):
        change = difference(pictures["chase"], pictures[other])
        assert (change[:60] > 20).mean() > 0.1, "the houses move"
        assert change[72:92, 70:90].mean() < 25, "the car stays in the middle"


def test_the_front_camera_does_not_see_its_own_car(pictures):
    red, green, blue = (pictures["front"][70:, :, i].astype(int) for i in range(3))
    assert not ((blue > 1.5 * red) & (blue > 1.3 * green)).any()


def test_a_box_is_seen_at_the_pixels_that_the_pinhole_says(pictures):
    # The tower's near face is 9 m ahead, from 2 to 4 m on the left, and 3 m above the camera.
    change = difference(pictures["tower"], pictures["no_tower"]) > 25
    columns = np.flatnonzero(change[45:58].mean(axis=0) > 0.5)
    assert columns.min() == pytest.approx(WIDTH / 2 - FOCAL * 4 / 9, abs=1.5)
    # The right wall goes back to 11 m, so it may be seen as far as there.
    nearest, farthest = (WIDTH / 2 - FOCAL * 2 / distance for distance in (9, 11))
    assert nearest - 1.5 < columns.max() + 1 < farthest + 1.5
    rows = np.flatnonzero(change[:, 58:64].mean(axis=1) > 0.5)
    assert rows.min() == pytest.approx(HEIGHT / 2 - FOCAL * 3 / 9, abs=1.5)


def test_wheels_roll_and_steer_and_hang_on_their_suspension(pictures):
    still = pictures["wheel"]
    for name in ("wheel_rolled", "wheel_steered", "wheel_dropped"):
        change = difference(still, pictures[name]) > 25
        assert change[35:85, 50:110].mean() > 0.03, name
        assert change[:25].mean() < 0.01, f"{name}: nothing else moves"


def test_what_the_renderer_cannot_do_is_said(pictures):
    renderer, limitations, warnings, was_closed, is_closed = pictures["facts"].tolist()
    assert warnings == ""
    assert (was_closed, is_closed) == ("False", "True")
    has_shadows = (difference(pictures["chase"], pictures["no_shadows"]) > 20).mean() > 0.01
    assert has_shadows == ("no shadows" not in limitations)
    assert has_shadows == (not renderer.startswith("p3tinydisplay"))


def test_samples_smooth_edges_where_there_are_any(pictures):
    _, limitations, *_ = pictures["facts"].tolist()
    change = difference(pictures["chase"], pictures["jagged"])
    is_smooth = 0.01 < (change > 5).mean() < 0.2
    assert is_smooth == ("no multisampling" not in limitations)
