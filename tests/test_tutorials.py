"""The tutorials in docs/ do what they say: their commands are run, in order, as a reader would."""

import os
import pty
import re
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.driving.event_device import AXIS, EVENT, Axis
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from autosim.config.descriptions import ProgramLimits
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.belief import StateEstimate, belief_of, state_words, truth_of
from tests.commands import AUTOSIM, finish, server
from tests.worlds import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"


def commands(name: str) -> list[list[str]]:
    """The command lines of a tutorial, the first of which starts the server."""
    page = next((ROOT / "docs").rglob(f"{name}.md"))
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)
    lines = [line.split("#")[0].split() for block in blocks for line in block.splitlines()]
    assert lines[0][:2] == ["autosim", "server"]
    return lines


def run(command: list[str], folder: Path, environment: dict[str, str]) -> "tuple[int, str, str]":
    if command == ["autosim", "drive"]:
        return drive_by_hand(folder, environment)
    at = command.index("autosim") if "autosim" in command else 0
    is_ours = command[at] == "autosim"
    words = [*command[:at], *AUTOSIM, *command[at + 1 :]] if is_ours else command
    if command[:2] == ["autosim", "client"]:
        words = [*words, "--server", environment["AUTOSIM_SERVER"]]
    return finish(words, folder, environment)


def drive_by_hand(folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """`autosim drive` in a terminal: W is held until the car is fast, then Q."""
    world = fetch_description(environment["AUTOSIM_SERVER"])
    ours, theirs = pty.openpty()
    with (
        Mirror(world, environment["AUTOSIM_SERVER"], rate_hz=20.0) as mirror,
        subprocess.Popen(
            [*AUTOSIM, "drive"], cwd=folder, env=environment, stdin=theirs, stdout=theirs
        ) as process,
    ):
        node = mirror.tree.find("impreza.chassis.velocimeter")
        assert node is not None
        while mirror.state.value(node, node.fields[0]) < 3.0:
            if mirror.take():
                os.write(ours, b"w")
            assert process.poll() is None
            time.sleep(0.005)
        os.write(ours, b"q")
        os.close(theirs)
        code = process.wait(60.0)
        os.close(ours)
    return code, "", ""


def play(name: str, folder: Path) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each command after the server's, from a checkout."""
    (folder / "userprograms").symlink_to(ROOT / "userprograms")
    first, *others = commands(name)
    with server(first, folder) as environment:
        return [run(each, folder, environment) for each in others]


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"(?<=[ =])-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_the_first_drive(tmp_path: Path):
    pytest.importorskip("panda3d")
    results = play("first_drive", tmp_path)
    codes = {" ".join(each): code for each, (code, _, _) in zip(
        commands("first_drive")[1:], results, strict=True)}  # fmt: skip
    ended = next(line for line in codes if line.startswith("timeout"))
    assert codes.pop(ended) == 124
    assert set(codes.values()) == {0}, codes
    assert {each.name for each in (tmp_path / "pictures").iterdir()} >= {"chase.png"}
    outputs = dict(zip(codes, (out for _, out, _ in results), strict=False))
    assert "drive_chassis [DriveActuator]" in outputs["autosim ctl tree impreza"]
    x, y, _ = numbers(outputs["autosim ctl get impreza.chassis.position"])[:3]
    assert (x + 90.4) ** 2 + (y - 2.0) ** 2 > 1.0


def test_the_wall_follower_keeps_its_distance(tmp_path: Path):
    results = play("wall_follower", tmp_path)
    assert [code for code, _, _ in results] == [0] * 5
    outputs = [out for _, out, _ in results]
    assert numbers(outputs[1]) == pytest.approx([4.1, 4.1], abs=0.05)
    assert outputs[3].splitlines()[1] == "scout.collisions 0"
    assert numbers(outputs[4]) == pytest.approx([4.0, 4.0], abs=0.05)


def test_the_convoy_keeps_together_and_its_cars_are_its_own(tmp_path: Path):
    *results, refused = play("convoy", tmp_path)
    assert [code for code, _, _ in results] == [0] * 4
    places = [numbers(line)[:2] for line in results[1][1].splitlines()]
    for (x0, y0), (x1, y1) in pairwise(places):
        gap = ((x0 - x1) ** 2 + (y0 - y1) ** 2) ** 0.5
        assert gap == pytest.approx(16.6, abs=0.15)
    speeds = numbers(results[2][1])
    assert speeds == pytest.approx([6.9] * 3, abs=0.1)
    assert refused[0] == 1
    assert "robot 'second' is driven by the program" in refused[2]


def test_the_camera_writes_its_files(tmp_path: Path):
    pytest.importorskip("panda3d")
    client, listing = play("camera_to_files", tmp_path)
    assert client[0] == 0, client[2]
    pictures = listing[1].split()
    assert pictures[0] == "0000.png"
    assert len(pictures) >= 2


def test_dead_reckoning_believes_the_truth_within_its_deviations():
    program = ROOT / "userprograms" / "dead_reckoning.py"
    with Simulation(load_world("worlds/circle_town.xml")) as simulation:
        simulation.start()
        assert simulation.participants is not None
        # Beside the program that drives: a belief drives nothing.
        simulation.participants.launch(
            program, robot="impreza", arguments=(), limits=ProgramLimits()
        )
        while simulation.state.time < 14.0:  # into the roundabout
            simulation.step()
        tree, state = simulation.tree, simulation.state
        truth, believed = (
            StateEstimate.of(state_words(state.floats, node), state.time)
            for node in (truth_of(tree, "impreza"), belief_of(tree, "impreza"))
        )
    error = np.abs(believed.position[:2] - truth.position[:2])
    deviation = np.sqrt(np.diag(believed.covariance)[:2])
    # One period of 0.05 s may have passed since it was set.
    assert believed.age <= 0.06
    assert (error < 3.0 * deviation + 0.06 * np.linalg.norm(truth.velocity)).all()
    assert (deviation > 0.0).all()
    assert (deviation < 3.0).all()
    assert abs(believed.heading - truth.heading) < 0.1
    assert np.linalg.norm(truth.position[:2] - (-90.4, 2.0)) > 60.0


def test_the_lane_keeper_keeps_to_its_lane(tmp_path: Path):
    pytest.importorskip("panda3d")
    pytest.importorskip("cv2")
    client, place = play("lane_keeper", tmp_path)
    assert client[0] == 0, client[2]
    assert "running " in client[2]
    assert "error" not in client[2]
    position, collisions = (numbers(line) for line in place[1].splitlines())
    assert position[0] > 66.9
    assert collisions == [0.0]


def test_the_joystick_drives(tmp_path: Path):
    (_, _, *words), *_ = commands("joystick")[1:]
    assert words == ["userprograms/joystick.py", "--robot", "impreza", "--", "/dev/input/event5"]
    os.mkfifo(tmp_path / "event5")
    stick = os.open(tmp_path / "event5", os.O_RDWR)
    os.write(stick, EVENT.pack(0, 0, AXIS, Axis.Y, -32768))
    words[-1] = str(tmp_path / "event5")
    with server(commands("joystick")[0], ROOT) as environment:
        address = environment["AUTOSIM_SERVER"]
        with (
            Mirror(fetch_description(address), address, rate_hz=20.0) as mirror,
            subprocess.Popen([*AUTOSIM, "run", *words], cwd=ROOT, env=environment) as process,
        ):
            node = mirror.tree.find("impreza.chassis.velocimeter")
            assert node is not None
            while mirror.state.value(node, node.fields[0]) < 3.0:
                mirror.take()
                assert process.poll() is None
                time.sleep(0.005)
            os.close(stick)
            assert process.wait(60.0) == 0


def test_the_indicators_blink_until_the_program_ends(tmp_path: Path):
    turned, (code, _, said) = play("blinking_indicator", tmp_path)
    assert turned[0] == 0
    assert code == 124  # that is how timeout says that it has ended the program
    assert "error" not in said


def test_the_program_with_a_window_drives_beside_a_client(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("panda3d")
    pytest.importorskip("PyQt6")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    first, client = commands("demo_user_program")
    with server(first, ROOT) as environment:
        address = environment["AUTOSIM_SERVER"]
        words = [*AUTOSIM, *client[1:], "--server", address]
        with (
            Mirror(fetch_description(address), address, rate_hz=20.0) as mirror,
            subprocess.Popen(
                words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
            ) as process,
        ):
            node = mirror.tree.find("impreza.chassis.drive_chassis")
            assert node is not None
            while mirror.state.value(node, node.fields[2]) != 0.0:  # the car brakes until then
                mirror.take()
                assert process.poll() is None
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60.0)
    assert "error" not in said


@pytest.mark.parametrize(
    "name",
    [
        "wall_follower",
        "convoy",
        "camera_to_files",
        "lane_keeper",
        "joystick",
        "demo_user_program",
        "blinking_indicator",
        "dead_reckoning",
    ],
)
def test_the_lines_that_a_tutorial_quotes_stand_in_its_program(name: str):
    text = (TUTORIALS / f"{name}.md").read_text()
    program = (ROOT / "userprograms" / f"{name}.py").read_text()
    known = {line.strip().split("  #")[0] for line in program.splitlines()}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            assert line.strip().split("  #")[0] in known or "get_image(" in line, line
