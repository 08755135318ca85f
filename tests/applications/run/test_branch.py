"""A run of a shipped world goes on several times from the disk, as from the command line."""

import json
from pathlib import Path

import pytest

from autosim.applications.common.open_worlds import open_named_world
from autosim.client.link.simulation_control import simulation_control
from autosim.server.network.server_process import ServerProcess
from autosim.server.worlds.server_options import ServerOptions
from tests.applications.serving import Shell
from tests.records.runs import states_of
from tests.worlds import ROOT

HOLDS = """
from autosim.userprogram import set_data, wait

def main(argv):
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, float(argv[1]), 0.0])
    wait(1e6)
"""


@pytest.mark.slow
def test_branches_go_on_as_the_run_did_or_with_other_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOSIM_RECORDS", str(tmp_path))
    (tmp_path / "userprograms").mkdir()
    (tmp_path / "userprograms" / "holds.py").write_text(HOLDS)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    world = open_named_world(str(ROOT / "worlds" / "circle_town.xml"))
    with ServerProcess(world, ServerOptions("127.0.0.1:0")) as server:
        shell = Shell(server.address)
        shell.ok("ctl", "step", "48")
        made = shell("ctl", "branch", "--seconds", "0.1", "--program", "holds.py 1.0", "--record")
        assert "holds.py 1.0: step 72, at (" in made.stdout
        shell.ok("ctl", "snapshot", "--on-disk", "moment")
        with simulation_control(server.address) as control:
            control.step(24)
            expected = control.report().state_digest
    (record,) = tmp_path.glob("*-branch-1.mcap")
    assert len(states_of(record)) == 73
    out = shell.plain(
        "branch", str(tmp_path / "moment.mcap"), "2", "--seconds", "0.1", "--json"
    ).stdout
    branches = [json.loads(line) for line in out.splitlines()]
    assert [each["digest"] for each in branches] == [expected] * 2
    assert branches[0]["address"] != branches[1]["address"]


def test_what_cannot_be_branched_is_said(tmp_path: Path) -> None:
    nothing = str(tmp_path / "no.mcap")
    assert "cannot be read" in Shell.plain("branch", nothing, "2").stderr
    assert "the number of branches" in Shell.plain("branch", nothing).stderr
    wrong = Shell.plain("branch", nothing, "3", "--program", "a.py")
    assert "3 branches need 3 --program options, or none" in wrong.stderr
