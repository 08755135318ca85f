"""`autosim ctl` changes what a running server simulates."""

import math

import pytest

from autosim.applications.remote.management_orders import place_of
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.server.network.server_process import ServerProcess
from tests.applications.serving import Shell
from tests.server.light_simulation import light_options
from tests.worlds import ROOT

LOOPS = """
from autosim.userprogram import wait

def main(argv):
    while True:
        wait(0.1)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The folder of a project, which servers search."""
    project = tmp_path_factory.mktemp("project")
    (project / "userprograms").mkdir()
    (project / "userprograms" / "loops.py").write_text(LOOPS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOSIM_PATH", str(project))
        yield project


@pytest.fixture(scope="module")
def shell(project):
    """A server that has the world that the last test loaded."""
    with ServerProcess(None, light_options()) as server:
        yield Shell(server.address)


@pytest.fixture
def new_shell(project):
    """A server without a world."""
    with ServerProcess(None, light_options()) as server:
        yield Shell(server.address)


def test_a_server_is_given_a_world_a_robot_and_a_program(new_shell, tmp_path):
    shell = new_shell
    assert shell.ok("ctl", "status") == "no world is loaded: autosim ctl load WORLD loads one\n"
    assert "no world yet" in shell.error("ctl", "tree")
    shell.ok("ctl", "load", "worlds/convoy.xml", "--no-programs")
    assert shell.record("ctl", "status")["world"] == "convoy"
    shell.ok("ctl", "step", "24")
    assert shell.ok("ctl", "programs") == (
        "first: userprograms/convoy.py second third: stopped: not started\n"
    )
    shell.ok("ctl", "add", "robots/scout.xml", "--name", "car2", "--at", "-20,4.5,90")
    assert shell.record("ctl", "status")["step"] == 24
    assert "car2 [Robot]" in shell.ok("ctl", "tree")
    added = shell.record("ctl", "attach", "loops.py", "a", "b", "--robot", "car2")
    assert [(each["robot"], each["state"]) for each in added] == [
        ("first", "stopped"),
        ("car2", "running"),
    ]
    shell.ok("ctl", "step", "48")
    (_, running) = shell.record("ctl", "programs")
    assert (running["state"], running["arguments"]) == ("running", ["a", "b"])
    (_, again) = shell.record("ctl", "restart-program", "car2")
    assert again["restarts"] == 1
    assert "car2: userprograms/loops.py a b: stopped: was stopped" in shell.ok(
        "ctl", "stop-program", "car2"
    )
    assert "no program runs for 'car2'" in shell.error("ctl", "stop-program", "car2")

    file = tmp_path / "made" / "later.xml"
    shell.ok("ctl", "save", str(file))
    saved = load_world(file)
    assert [robot.name for robot in saved.robots] == ["first", "second", "third", "car2"]
    assert saved.robots[3].program == "userprograms/loops.py"
    assert saved.terrain == load_world(ROOT / "worlds" / "convoy.xml").terrain
    assert file.read_text().startswith("<?xml")
    assert list(file.parent.iterdir()) == [file]


def test_a_world_begins_anew_with_another_step_size(shell):
    shell.ok("ctl", "load", "worlds/yard.xml", "--no-programs")
    shell.ok("ctl", "step", "24")
    shell.ok("ctl", "load", "--no-programs", "--steps-per-second", "480")
    status = shell.record("ctl", "status")
    assert (status["world"], status["step"]) == ("yard", 0)
    messages = shell.ok("ctl", "messages")
    assert messages.count("loaded 'yard'") == 1, "those of the world before are gone"
    shell.ok("ctl", "step", "24")
    assert shell.record("ctl", "status")["time"] == 24 / 480
    assert (
        "expected 0 or a number in [30, 10000]"
        in shell("ctl", "load", "--steps-per-second", "7").stderr
    )
    shell.ok("ctl", "load", "worlds/yard.xml", "--no-programs")
    shell.ok("ctl", "step", "24")
    assert shell.record("ctl", "status")["time"] == 24 / 240


def test_a_robot_is_moved_and_removed(shell):
    shell.ok("ctl", "load", "worlds/convoy.xml", "--no-programs")
    step = shell.record("ctl", "status")["step"]
    shell.ok("ctl", "move", "second", "--to", "7.5,-3,90")
    assert "second.chassis.position 7.5 -3 0 m" in shell.ok("ctl", "get", "second.chassis.position")
    assert "no robot 'fourth'" in shell.error("ctl", "move", "fourth", "--to", "0,0")
    assert "'there' is not a position" in shell.error("ctl", "move", "second", "--to", "there")
    shell.ok("ctl", "remove", "third")
    assert shell.record("ctl", "status")["step"] == step
    assert "third [Robot]" not in shell.ok("ctl", "tree")
    assert "no robot 'third'" in shell.error("ctl", "remove", "third")


def test_what_cannot_be_done_is_said(shell):
    assert "found no 'worlds/none.xml'" in shell.error("ctl", "load", "worlds/none.xml")
    wrong = ("ctl", "add", "robots/scout.xml", "--name", "x", "--at", "here")
    assert "'here' is not a position" in shell.error(*wrong)


def test_places_are_read_as_people_write_them():
    assert place_of("-120,2")[0] == (-120.0, 2.0)
    assert place_of("0,0,90")[1] == pytest.approx(0.0)
    assert place_of("0,0,0")[1] == pytest.approx(math.pi / 2)
    assert place_of("0,0")[1] is None
    for wrong in ("1", "1,2,3,4", "a,b", "nan,0", ""):
        with pytest.raises(UserError):
            place_of(wrong)
