"""`autosim run --scenario`: a verdict, figures and an exit code, without a window."""

import json

import pytest
from click.testing import CliRunner

from autosim.applications.records.recorded_world import recorded_world
from autosim.applications.records.verify import verify
from autosim.cli import main
from tests.paths import ROOT

STANDS = """
from autosim.userprogram import wait

wait(60.0)
"""

SCENARIO = """<Scenario name="short" seconds="0.5">
  <Once name="its speed"><Speed of="impreza" {bound}/></Once>
</Scenario>"""


@pytest.mark.parametrize(("bound", "code"), [('most="1"', 0), ('least="20"', 1)])
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


BRAKES = """<Scenario name="brakes" seconds="1">
  <Vehicle name="van" kind="van" speed="8"><Beside of="impreza" ahead="15"/></Vehicle>
  <Event name="brakes">
    <When><Time least="0.5"/></When>
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
