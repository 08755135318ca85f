"""`autosim run --scenario`: a verdict, figures and an exit code, without a window."""

import json
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from autosim.applications.records.recorded_world import recorded_world
from autosim.applications.records.verify import verify
from autosim.cli import main
from tests.paths import ROOT
from tests.world.lanelets.commonroad_files import PROBLEM, document, two_lanes

STANDS = """
from autosim.userprogram import wait


def main(argv):
    wait(60.0)
"""

SCENARIO = """<Scenario name="short" seconds="0.5">
  <Once name="its speed"><Speed of="impreza" {bound}/></Once>
</Scenario>"""


@pytest.mark.parametrize(("bound", "code"), [('max="1"', 0), ('min="20"', 1)])
def test_the_verdict_is_written_and_decides_the_exit_code(tmp_path, bound, code):
    file, program, out = tmp_path / "s.xml", tmp_path / "stands.py", tmp_path / "out"
    program.write_text(STANDS)
    file.write_text(SCENARIO.format(bound=bound))
    world = str(ROOT / "worlds" / "circle_town.xml")
    arguments = ["run", str(program), "--scenario", str(file), "--world", world, "--out", str(out)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["scenario"]["passed"] is (code == 0)
    assert ("its speed" in summary["failure"]) is (code == 1)


DRIVES = """
from autosim.userprogram import set_data, wait


def main(argv):
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, float(argv[1]), 0.0])
    wait(60.0)
"""

FAILS = """
from autosim.userprogram import wait


def main(argv):
    wait(0.1)
    raise ValueError("the road is gone")
"""


def play(scenario, program, *options):
    world = str(ROOT / "worlds" / "circle_town.xml")
    given = ["run", str(program), "--scenario", str(scenario), "--world", world, "--", *options]
    return CliRunner().invoke(main, given)


def test_a_program_from_any_folder_drives(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, program = tmp_path / "s.xml", tmp_path / "drives.py"
    program.write_text(DRIVES)
    text = SCENARIO.replace('seconds="0.5"', 'seconds="2"').format(bound='min="1"')
    file.write_text(text)
    result = play(file, program, "0.5")
    assert result.exit_code == 0, result.output


def test_without_its_program_a_scenario_is_not_played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "s.xml"
    file.write_text(SCENARIO.format(bound='max="1"'))
    result = play(file, tmp_path / "nothing.py")
    assert result.exit_code == 1
    assert "there is no user program" in result.output
    assert "played" not in result.output


def test_a_program_that_fails_fails_the_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, program = tmp_path / "s.xml", tmp_path / "fails.py"
    program.write_text(FAILS)
    file.write_text(SCENARIO.format(bound='max="1"'))
    result = play(file, program)
    assert result.exit_code == 1
    assert "the road is gone" in result.output
    summary = json.loads((tmp_path / "out" / "scenario" / "summary.json").read_text())
    assert summary["failure"] == "fails.py has failed"


BRAKES = """<Scenario name="brakes" seconds="1">
  <Vehicle name="van" kind="van" speed="8"><RelativePosition of="impreza" ahead="15"/></Vehicle>
  <Event name="brakes">
    <When><Time min="0.5"/></When>
    <SetSpeed actor="van" value="0" seconds="2"/>
  </Event>
</Scenario>"""


def test_a_record_of_it_holds_the_scenario_and_comes_to_the_same_bytes(tmp_path, monkeypatch):
    file, elsewhere = tmp_path / "elsewhere" / "brakes.xml", tmp_path / "records"
    file.parent.mkdir()
    file.write_text(BRAKES)
    monkeypatch.setenv("AUTOSIM_RECORDS", str(elsewhere))
    world = str(ROOT / "worlds" / "circle_town.xml")
    arguments = ["run", "--scenario", str(file), "--world", world, "--record", "brakes"]
    result = CliRunner().invoke(main, [*arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    record = elsewhere / "brakes.mcap"
    file.unlink()
    with recorded_world(record) as recorded:
        assert recorded.traffic.scenario.actors[0].name == "van"
    verified = verify(record)
    assert verified.difference is None
    assert verified.states > 240


def test_without_program_and_scenario_it_says_what_is_missing():
    result = CliRunner().invoke(main, ["run"])
    assert result.exit_code == 2
    assert "--scenario" in result.output


def test_a_world_in_the_place_of_the_program_is_said_to_be_none():
    world = str(ROOT / "worlds" / "circle_town.xml")
    result = CliRunner().invoke(main, ["run", world, "--scenario", world])
    assert result.exit_code == 2
    assert "is not a Python program" in result.output
    assert "--world" in result.output


def test_a_commonroad_scenario_leaves_a_solution_from_the_start_to_its_end(tmp_path):
    file, program, out = tmp_path / "s.xml", tmp_path / "stands.py", tmp_path / "out"
    file.write_text(document(two_lanes(), PROBLEM))
    program.write_text(STANDS)
    arguments = ["run", str(program), "--map", str(file), "--scenario", str(file)]
    result = CliRunner().invoke(main, [*arguments, "--out", str(out)])
    assert result.exit_code == 1, result.output  # the goal is not reached
    solution = ElementTree.parse(out / "solution.xml").getroot()
    (trajectory,) = solution
    assert trajectory.get("planningProblem") == "9"
    times = [int(state.findtext("time")) for state in trajectory]
    assert times == list(range(len(times)))
    assert len(times) >= 41
    places = [(float(s.findtext("x")), float(s.findtext("y"))) for s in trajectory]
    assert all(abs(x - 5.0) < 0.1 and abs(y - 1.75) < 0.1 for x, y in places)
