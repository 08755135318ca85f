"""Programs that a world file names for the client's side."""

import subprocess
import sys
from pathlib import Path

import pytest

from autosim.applications.remote.program_choice import (
    choose_robot,
    chosen_program,
    named_program,
    resolve_program,
)
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.server.network.server_process import ServerProcess
from tests.server.light_simulation import light_options
from tests.worlds import ROOT

WORLD = """
<World name="seen">
  <Graphics><View name="view"><Size width="64" height="48"/></View></Graphics>
  <Terrain>
    <Map name="yard"><Folder path="worlds/yard"/><DrivingSide value="left"/></Map>
  </Terrain>
  <Objects>
    <Robot name="looks">
      <File path="robots/scout.xml"/>
      <UserProgram file="eyes.py" side="client" arguments="{told}" restart="true" memory="2048"/>
    </Robot>
    <Robot name="drives">
      <File path="robots/scout.xml"/>
      <UserProgram file="eyes.py"/>
    </Robot>
  </Objects>
</World>
"""

EYES = """
from pathlib import Path
from autosim.userprogram import get_image, wait

def main(argv):
    if len(argv) > 1:
        wait(0.1)
        picture = get_image(f"{argv[0]}.chassis.front_view")
        Path(argv[1]).write_text(f"{argv[0]} {picture.shape}")
"""


@pytest.fixture
def world_file(tmp_path: Path) -> Path:
    (tmp_path / "userprograms").mkdir()
    (tmp_path / "userprograms" / "eyes.py").write_text(EYES)
    file = tmp_path / "seen.xml"
    file.write_text(WORLD.format(told=tmp_path / "told.txt"))
    return file


def test_the_order_is_what_the_world_file_says(world_file: Path):
    world = load_world(world_file)
    order = named_program(world, choose_robot(world, "looks"))
    assert order is not None
    assert (order.program, order.robot) == (world_file.parent / "userprograms" / "eyes.py", "looks")
    assert order.arguments == (str(world_file.parent / "told.txt"),)
    assert (order.limits.is_restarted, order.limits.memory) == (True, 2048 << 20)
    assert named_program(world, choose_robot(world, "drives")) is None
    with pytest.raises(UserError, match=r"no robot 'sleeps'.*looks, drives"):
        choose_robot(world, "sleeps")


def test_arguments_that_are_given_take_the_place_of_those_of_the_world_file(world_file: Path):
    world, file = load_world(world_file), world_file.parent / "userprograms" / "eyes.py"
    named = chosen_program(world, program=None, robot="looks", arguments=("a", "b"))
    assert named is not None
    assert (named.arguments, named.limits.is_restarted) == (("a", "b"), True)
    given = chosen_program(world, program=file, robot="drives", arguments=("c",))
    assert given is not None
    assert given.arguments == ("c",)


def test_a_client_that_takes_the_robot_runs_its_program_with_pictures(world_file: Path):
    pytest.importorskip("panda3d")
    told = world_file.parent / "told.txt"
    with ServerProcess(load_world(world_file), light_options(real_time_factor=1.0)) as server:
        command = [sys.executable, "-m", "autosim", "client", str(world_file), "--headless"]
        with subprocess.Popen(
            [*command, "--server", server.address, "--robot", "looks"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        ) as client:
            try:
                assert client.stderr is not None
                said = []
                while not (said and ("main returned" in said[-1] or said[-1] == "")):
                    said.append(client.stderr.readline())
            finally:
                client.kill()
    assert told.read_text() == "looks (48, 64, 4)", said


def test_a_program_is_found_where_files_of_worlds_are(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    assert resolve_program(Path("userprograms/driver.py")) == ROOT / "userprograms" / "driver.py"
    assert resolve_program(Path("driver.py")) == ROOT / "userprograms" / "driver.py"
    with pytest.raises(UserError, match=r"did you mean 'userprograms/driver\.py'"):
        resolve_program(Path("userprogram/drivr.py"))
    with pytest.raises(UserError, match="is a folder"):
        resolve_program(Path("userprograms"))
