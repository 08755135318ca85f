"""What a camera of the virtual world sees, as a topic."""

from pathlib import Path

import numpy as np
import pytest

from autosim.errors import UserError
from autosim_testbench.launch.bench import BenchOptions, LockstepBench, run_launch
from autosim_testbench.launch.launch_file import Launch, load_launch

from .test_autoware import WORLD, listen

pytest.importorskip("panda3d")

BENCH = """<launch><node name="town" pkg="autosim_testbench.bridge.simulated_world"
type="SimulatedWorld"><param name="~world" value="{world}"/><param name="~picture_rate" value="10"/>
<param name="~picture:car.chassis.{camera}" value="front"/></node></launch>"""

KINDS = '<Kind name="rgb"/><Kind name="depth"/><Resolution width="64" height="48"/><Fov'


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))


def bench(folder: Path, camera: str) -> Launch:
    robot = (Path(__file__).parents[3] / "robots" / "impreza.xml").read_text()
    (folder / "robots").mkdir()
    (folder / "robots" / "seeing_car.xml").write_text(robot.replace("<Fov", KINDS, 1))
    world, file = folder / "seeing.xml", folder / "bench.xml"
    world.write_text(WORLD.replace("robots/impreza.xml", "robots/seeing_car.xml"))
    file.write_text(BENCH.format(world=world, camera=camera))
    return load_launch(file)


def test_a_camera_shows_colours_and_depth(tmp_path: Path) -> None:
    options = BenchOptions(seconds=0.2, period=0.05)
    with LockstepBench(bench(tmp_path, "front_view"), options) as running:
        front = listen(running, running.nodes[0], "front")
        running.run(after_tick=front.connection.process)
    assert front.received == 2, "ten a second"
    picture = front.object
    assert picture.colours.shape == (48, 64, 3)
    assert picture.colours[:12].mean() > picture.colours[-4:].mean(), "sky above, the bonnet below"
    assert np.isfinite(picture.depths[-1]).all()
    assert picture.depths[-1].max() < 5.0, "its own bonnet is near"
    assert np.isinf(picture.depths[0]).any(), "the sky is not"


def test_what_is_no_camera_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"node town: 'car.chassis.time' is a .*, no Camera"):
        run_launch(bench(tmp_path, "time"), BenchOptions(seconds=0.1))
