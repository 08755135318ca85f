"""`autosim ctl token`: rights to a server are handed out and taken back."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim.access.variables import TOKENS
from autosim.applications.remote.token_orders import seconds_of
from autosim.errors import UserError
from tests.applications.serving import Shell, light_server


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with light_server() as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step")
        yield shell


def test_a_token_is_made_used_listed_and_revoked(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "alice.token"
    made = shell("ctl", "token", "make", "--role", "drive", "--robot", "r0", "--name", "alice",
                 "--expires", "8h", "--out", str(file))  # fmt: skip
    assert made.exit_code == 0, made.output
    secret = file.read_text().strip()
    assert file.stat().st_mode & 0o077 == 0
    assert secret not in made.output
    assert "'alice': may drive r0, until" in made.stderr
    (listed,) = shell.record("ctl", "token", "list")
    assert (listed["name"], listed["role"], listed["robots"]) == ("alice", "drive", ["r0"])
    assert listed["expires"] == pytest.approx(listed["made"] + 8 * 3600.0)
    assert secret not in shell.ok("ctl", "token", "list")

    given = ("--token-file", str(file))
    assert shell("ctl", "set", "r0.box.drive", "0.1", "0", "0", *given).exit_code == 0
    assert "not 'r1'" in shell.error("ctl", "set", "r1.box.drive", "0.1", "0", "0", *given)
    for command in (("pause",), ("step",), ("stop",), ("token", "list"), ("save", "x.xml")):
        assert "this takes one to control" in shell.error("ctl", *command, *given)
    # An option is good for its own command alone.
    assert not set(TOKENS) & set(os.environ)
    shell.ok("ctl", "pause")

    shell.ok("ctl", "token", "revoke", "alice")
    assert "does not know the token" in shell.error("ctl", "status", *given)
    assert shell.ok("ctl", "token", "list") == "no tokens\n"
    assert "there is no token 'alice'" in shell.error("ctl", "token", "revoke", "alice")


def test_a_token_is_shown_once_on_a_line_of_its_own(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = shell.ok("ctl", "token", "make", "--role", "view").strip()
    assert len(secret) == 43
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("AUTOSIM_TOKEN", secret)
    shell.ok("ctl", "status")
    assert "is good to view; this takes one to control" in shell.error("ctl", "run")


def test_a_robot_that_is_not_there_is_suspected_to_be_mistyped(shell: Shell) -> None:
    made = shell("ctl", "token", "make", "--role", "drive", "--robot", "r9")
    assert "warning: the present world has no robot 'r9'" in made.stderr
    assert "names its robots" in shell.error("ctl", "token", "make", "--role", "drive")


def test_a_class_gets_a_token_for_each_robot(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "class.txt"
    make = ("ctl", "token", "make", "--class", "robots")
    made = shell(*make, "--out", str(file))
    assert made.exit_code == 0, made.output
    assert "on other machines, give the address of this one there" in made.stderr
    assert file.stat().st_mode & 0o077 == 0
    lines = [line.split("\t") for line in file.read_text().splitlines()]
    robots = [robot for robot, _, _ in lines]
    assert robots[0] == "r0"
    listed = shell.record("ctl", "token", "list")
    own = [each for each in listed if each["name"] in robots]
    assert [(each["role"], each["robots"]) for each in own] == [("drive", [r]) for r in robots]
    assert len({secret for _, secret, _ in lines}) == len(robots)
    assert f"AUTOSIM_TOKEN={lines[0][1]} autosim run PROGRAM.py --robot r0" in lines[0][2]
    assert "there are tokens of these names already: r0" in shell.error(*make)
    assert "no robot 'r9'" in shell.error(*make, "--robot", "r9")
    assert "--class robots always creates tokens to drive" in shell(*make, "--role", "view").output
    for robot in robots:
        shell.ok("ctl", "token", "revoke", robot)


def test_a_program_with_the_token_of_another_robot_is_refused_in_one_line(
    shell: Shell, tmp_path: Path
) -> None:
    file, program = tmp_path / "r0.token", tmp_path / "idle.py"
    program.write_text("from autosim.userprogram import wait\n\ndef main(argv):\n    wait(1.0)\n")
    shell.ok("ctl", "token", "make", "--role", "drive", "--robot", "r0", "--out", str(file))
    error = shell.error("run", str(program), "--robot", "r1", "--token-file", str(file))
    refused = [line for line in error.splitlines() if "stands still" not in line]
    assert len(refused) == 1, error
    assert "is good to drive r0, not 'r1'" in refused[0]


def test_durations_are_read() -> None:
    found = [seconds_of(each) for each in ("90s", "30m", "8h", "7d")]
    assert found == [90.0, 1800.0, 28800.0, 604800.0]
    for text in ("", "8", "h", "-1h", "1.5h", "0s", "1y", "9999999d"):
        with pytest.raises(UserError, match="is not a duration"):
            seconds_of(text)
