"""`autosim ctl` against a real server, without any file of its world."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.shell_completion import BashComplete

from autosim.applications.common.tree_values import command_of, select
from autosim.applications.remote import server_orders
from autosim.applications.remote.value_orders import watch
from autosim.cli import main
from autosim.cli.remote.ctl import ctl
from autosim.client.link.mirror import Mirror
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.model.commands import DeviceState
from autosim.model.state import State
from tests.applications.serving import WORLD, Shell, light_server
from tests.running_processes import children


@contextmanager
def served() -> Iterator[Shell]:
    with light_server() as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step", "24")
        yield shell


@pytest.fixture
def shell() -> Iterator[Shell]:
    with served() as shell:
        yield shell


@pytest.fixture(scope="module")
def asked() -> Iterator[Shell]:
    """A server for all who only ask, or are refused."""
    with served() as shell:
        yield shell


def test_a_simulation_is_stepped_run_paused_and_stopped(shell: Shell):
    assert shell.ok("ctl", "status").startswith("paused at step 24 (0.100 s)")
    assert shell.record("ctl", "step")["step"] == 25
    assert shell.record("ctl", "run", "--pace", "0")["phase"] == "running"
    paused = shell.record("ctl", "pause")
    assert paused["phase"] == "paused"
    assert shell.record("ctl", "status")["step"] >= paused["step"]
    assert shell.record("ctl", "stop")["phase"] == "stopped"


def test_a_run_may_end_by_itself(shell: Shell):
    shell.ok("ctl", "run", "--pace", "0", "--steps", "6")
    lines = watch(shell.address, ["r0.box.position"], as_json=True, rate_hz=0.0)
    while json.loads(next(lines))["step"] < 30:
        pass
    lines.close()
    assert shell.record("ctl", "status")["step"] == 30


def test_the_tree_comes_from_the_server(asked: Shell):
    text = asked.ok("ctl", "tree")
    assert "step=24" in text
    assert "r1 [Robot]" in text
    assert "drive [DriveActuator] steering=0 rad acceleration=0 brake=0" in text
    record = asked.record("ctl", "tree", "r0.box")
    assert (record["name"], record["kind"]) == ("r0.box", "Box")
    assert record["children"][0]["fields"][0] == {"name": "steering", "unit": "rad", "value": 0.0}


def test_a_node_is_described_with_units_and_meanings(asked: Shell):
    text = asked.ok("ctl", "describe", "r0.box.drive")
    assert text.startswith("r0.box.drive [DriveActuator]\n  Steers, drives and brakes the wheels")
    assert "motor_force = 0 N" in text
    assert "steering [rad] in [-0.6, 0.6]  Angle of the steered wheels, positive to" in text
    assert "Set by the robot's driver" in text
    record = asked.record("ctl", "describe", "r0.box.drive")
    assert record["fields"][2]["meaning"] == "Share of BrakeForce."
    assert record["parameters"][0]["name"] == "part"
    assert "did you mean 'r0.box.drive'" in asked.error("ctl", "describe", "r0.box.driv")


def test_values_are_read_by_the_name_of_a_node_or_a_field(asked: Shell):
    lines = asked.ok("ctl", "get", "r0", "r0.box.drive.brake").splitlines()
    assert lines == ["r0 device_state=INVALID collisions=0", "r0.box.drive.brake 0"]
    record = asked.record("ctl", "get", "r0.box.position")
    assert record["step"] == 24
    assert record["values"]["r0.box.position"]["position"][0] == pytest.approx(9.95, abs=0.01)


def test_times_are_written_as_whole_nanoseconds(shell: Shell):
    # As a product with 1e-9 it is 0.15000000000000002.
    assert shell.record("ctl", "step", "12")["time"] == 0.15
    assert shell.record("ctl", "get", "r0.box.position")["time"] == 0.15


def test_what_is_set_is_there_at_the_next_step_and_the_other_fields_stay(shell: Shell):
    shell.ok("ctl", "set", "r0.box.drive", "-0.25", "0.5", "0")
    shell.ok("ctl", "step")
    assert shell.ok("ctl", "get", "r0.box.drive").split()[1:] == [
        "steering=-0.25",
        "rad",
        "acceleration=0.5",
        "brake=0",
        "hand_brake=0",
        "gear=0",
    ]
    shell.ok("ctl", "set", "r0.box.drive.brake", "1")
    shell.ok("ctl", "step")
    values = shell.record("ctl", "get", "r0.box.drive")["values"]["r0.box.drive"]
    assert values == {
        "steering": -0.25,
        "acceleration": 0.5,
        "brake": 1.0,
        "hand_brake": 0.0,
        "gear": 0.0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("get", "r0.box.driv"), "there is no 'r0.box.driv'; did you mean 'r0.box.drive'?"),
        (("get", "r0.box.eye"), "'r0.box.eye' is a Camera: it has no values"),
        (("tree", "r0.bx"), "there is no 'r0.bx'; did you mean 'r0.box'?"),
        (("set", "r0.box", "1"), "INVALID_DEVICE: 'r0.box' is a Box, no device"),
        (
            ("set", "r0.box.drive", "1"),
            "'r0.box.drive' takes 3 or 4 or 5 values (steering, acceleration, brake, hand_brake, "
            "gear), 1 given",
        ),
        (("set", "r0.box.drive", "nan", "0", "0"), "values must be finite"),
        (("set", "r0.box.drive.brake", "1", "1"), "'r0.box.drive.brake' takes one value, 2 given"),
        (("set", "r0.device_state", "4"), "'r0' is a Robot, no device"),
        (
            ("set", "r0.box.drive", "100", "50", "-3"),
            "'r0.box.drive' steering: expected a number in [-0.6, 0.6] rad, not 100",
        ),
        (
            ("set", "r0.box.drive.brake", "-3"),
            "'r0.box.drive' brake: expected a number in [0, 1], not -3",
        ),
    ],
)
def test_what_cannot_be_done_is_said(asked: Shell, arguments: tuple[str, ...], message: str):
    assert message in asked.error("ctl", *arguments)


def test_a_robot_that_is_blocked_is_not_set_by_hand():
    state = State(build_tree(WORLD))
    state.ints[state.tree.find("r0").start // 8] = DeviceState.BLOCKED
    assert select(state.tree, "r0.device_state").as_text(state) == "r0.device_state BLOCKED"
    assert command_of(state, "r1.box.drive", (0.0, 1.0, 0.0)).device == "r1.box.drive"
    with pytest.raises(UserError, match="'r0' brakes since its program has failed: restart"):
        command_of(state, "r0.box.drive.brake", (0.0,))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("step", "1" + 20 * "0"), "is not in the range"),
        (("run", "--steps", "1" + 20 * "0"), "expected a number in [0, 1e+12], not 1000"),
        (("run", "--pace", "nan"), "expected a finite number, not 'nan'"),
        (("run", "--pace", "1e-18"), "expected 0 or a number in [0.001, 1e+06], not 1e-18"),
        (("watch", "r0", "--rate", "inf"), "expected a finite number [Hz], not 'inf'"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(
    asked: Shell, arguments: tuple[str, ...], message: str
):
    result = asked("ctl", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_watching_prints_a_line_for_each_name_and_state(shell: Shell):
    shell.ok("ctl", "run", "--pace", "0")
    arguments = ("ctl", "watch", "r0.box.drive", "r1.collisions", "--count", "3")
    lines = shell.ok(*arguments).splitlines()
    assert [line.split()[2] for line in lines] == ["r0.box.drive", "r1.collisions"] * 3
    times = [json.loads(line)["time"] for line in shell.ok(*arguments, "--json").splitlines()]
    assert len(times) == 3
    assert times == sorted(set(times))


def test_watching_ends_with_the_server():
    with light_server() as server:
        shell = Shell(server.address)
        lines = watch(shell.address, ["r0"], as_json=False)
        assert "r0 device_state=INVALID" in next(lines)
        shell.ok("ctl", "stop")
        with pytest.raises(UserError, match="the server at"):
            next(lines)


def test_messages_are_printed_by_level(shell: Shell):
    assert shell.ok("ctl", "messages") == "step 0: light: info: loaded with seed 0\n"
    assert shell.ok("ctl", "messages", "--level", "error") == ""
    assert shell.record("ctl", "messages")["source"] == "light"


def test_connected_clients_are_listed(shell: Shell):
    assert shell.ok("ctl", "clients") == "no clients\n"
    with Mirror(WORLD, shell.address, name="a window") as mirror:
        mirror.connection.wait_for_state(60.0)
        assert [each["name"] for each in shell.record("ctl", "clients")] == ["a window"]
        assert shell.ok("ctl", "clients").startswith("a window at ")


def test_a_server_that_is_not_there_is_said():
    for arguments in (("status",), ("get", "r0"), ("run",), ("messages",)):
        error = Shell("127.0.0.1:9").error("ctl", *arguments)
        assert error == "error: no server listens at 127.0.0.1:9: start autosim server there\n"


def test_a_simulation_that_is_stopped_is_said_and_waited_for(monkeypatch: pytest.MonkeyPatch):
    with light_server() as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step")
        (simulation,) = children(server.pid)
        os.kill(simulation, signal.SIGSTOP)
        try:
            while not shell.record("ctl", "status")["unresponsive_seconds"]:
                pass
            assert "; the simulation does not answer since" in shell.ok("ctl", "status")
            assert "the simulation process has not answered for" in shell.ok("ctl", "messages")
            said: list[str] = []

            def tell(text: str) -> None:
                said.append(text)
                os.kill(simulation, signal.SIGCONT)

            monkeypatch.setattr(server_orders, "tell", tell)
            assert shell.record("ctl", "step")["step"] == 2, "late, but it succeeds"
            assert "the simulation does not answer since" in said[0]
        finally:
            os.kill(simulation, signal.SIGCONT)


def test_a_server_that_is_stopped_is_said():
    with light_server() as server:
        os.kill(server.pid, signal.SIGSTOP)
        try:
            error = Shell(server.address).error("ctl", "status")
        finally:
            os.kill(server.pid, signal.SIGCONT)
    assert f"the server at {server.address} does not answer: it may be stopped" in error


def test_the_shell_completes_names_of_the_server(asked: Shell):
    completer = BashComplete(main, {}, "autosim", "_AUTOSIM_COMPLETE")
    arguments = ["ctl", "get", "--server", asked.address]
    found = [each.value for each in completer.get_completions(arguments, "r1.box.dr")]
    assert found == [
        "r1.box.drive",
        "r1.box.drive.steering",
        "r1.box.drive.acceleration",
        "r1.box.drive.brake",
        "r1.box.drive.hand_brake",
        "r1.box.drive.gear",
    ]
    lost = ["ctl", "get", "--server", "127.0.0.1:9"]
    assert completer.get_completions(lost, "r1") == []


def test_the_server_may_be_named_before_the_command(asked: Shell):
    before = asked.plain("ctl", "--server", asked.address, "status")
    assert before.stdout == asked.ok("ctl", "status")
    completer = BashComplete(main, {}, "autosim", "_AUTOSIM_COMPLETE")
    found = completer.get_completions(["ctl", "--server", asked.address, "get"], "r1.box.drive.b")
    assert [each.value for each in found] == ["r1.box.drive.brake"]


def test_the_server_that_a_command_names_prevails(asked: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOSIM_SERVER", "nowhere")
    assert asked.plain("ctl", "status").exit_code == 2
    assert asked.plain("ctl", "--server", asked.address, "status").exit_code == 0
    assert asked.plain("ctl", "--server", "elsewhere", "status").exit_code == 2
    named = asked.plain("ctl", "--server", "elsewhere", "status", "--server", asked.address)
    assert named.exit_code == 0


def test_every_command_shows_an_example():
    for name in ctl.commands:
        assert "Example:" in Shell("").ok("ctl", name, "--help"), name


@pytest.mark.parametrize("group", [(), ("ctl",), ("world",)])
def test_a_list_of_commands_has_whole_sentences(group: tuple[str, ...]):
    _, commands = Shell.plain(*group, "--help").stdout.split("Commands:")
    assert "..." not in commands
