"""`<Scenario>` in the traffic of a world file: who reads the world has the scenario."""

from pathlib import Path

import numpy as np
import pytest

from autosim.config.descriptions import WorldDescription
from autosim.config.diagnostics import ConfigError
from autosim.config.files.digests import file_digest
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.traffic.scenarios.scenario_file import load_scenario
from tests.loading.round_trip import written_and_read
from tests.paths import ROOT
from tests.worlds import flat_world

CIRCLE = (ROOT / "worlds" / "circle_town.xml").read_text()
SCENARIO = """\
<Scenario name="s" seconds="5">
  <Vehicle name="ego"><LanePosition lane="1" station="20"/></Vehicle>
  <Never name="no hit"><Collision of="ego"/></Never>
</Scenario>
"""


def world(folder: Path, scenario: str = SCENARIO) -> WorldDescription:
    (folder / "s.xml").write_text(scenario)
    file = folder / "town.xml"
    named = "<Traffic><Scenario path='s.xml'/></Traffic>"
    text = CIRCLE.replace("<Objects>", f"{named}\n<Objects>")
    file.write_text(text.replace('<UserProgram file="userprograms/driver.py" side="server"/>', ""))
    return load_world(file)


def test_the_first_robot_plays_the_car_under_test(tmp_path: Path):
    found = world(tmp_path)
    assert found.traffic is not None
    assert found.traffic.scenario is not None
    assert found.traffic.scenario.actors == ()
    assert [name for name, _ in found.traffic.scenario.starts] == ["impreza"]


def test_the_scenario_is_a_file_of_the_world(tmp_path: Path):
    found = world(tmp_path)
    assert dict(found.files)["s.xml"] == file_digest(tmp_path / "s.xml")
    assert found.text_of((tmp_path / "s.xml").resolve()) == SCENARIO.encode()


def test_a_simulation_begins_where_the_scenario_says(tmp_path: Path):
    with Simulation(world(tmp_path), compiled=flat_world()) as simulation:
        (robot,) = simulation.tree.robots
        chassis = robot.children[0]
        place = simulation.state.value(chassis, chassis.fields[0])
    expected = flat_world().roads.lanes[1].position(20.0)
    assert np.hypot(*(np.asarray(place)[:2] - expected[:2])) < 0.5


def test_a_saved_world_names_its_scenario(tmp_path: Path):
    found = written_and_read(world(tmp_path), tmp_path)
    assert found.traffic is not None
    assert found.traffic.scenario == world(tmp_path).traffic.scenario  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        ("<Scenario name='s' seconds='x'/>", "'s.xml' cannot be played"),
        (SCENARIO.replace('of="ego"', 'of="egon"'), "names 'egon', who take no part"),
    ],
)
def test_faults_of_the_scenario_are_those_of_the_world(tmp_path: Path, scenario: str, said: str):
    with pytest.raises(ConfigError) as error:
        world(tmp_path, scenario)
    assert said in str(error.value)


def test_a_scenario_knows_its_file():
    path = ROOT / "scenarios" / "jay_walker.xml"
    assert load_scenario(path).source == path


def test_recorded_vehicles_may_be_reactive_by_the_world_file(tmp_path: Path):
    rows = "".join(f"a,car,{k},{10.0 * k},0,0\n" for k in range(4))
    (tmp_path / "log.csv").write_text(f"id,kind,time,x,y,heading\n{rows}")
    file = tmp_path / "town.xml"
    named = "<Traffic><Scenario path='log.csv' reactive='idm'/></Traffic>"
    text = CIRCLE.replace("<Objects>", f"{named}\n<Objects>")
    file.write_text(text.replace('<UserProgram file="userprograms/driver.py" side="server"/>', ""))
    found = load_world(file)
    for each in (found, written_and_read(found, tmp_path)):
        assert each.traffic is not None
        assert each.traffic.scenario is not None
        (actor,) = each.traffic.scenario.actors
        assert actor.is_reactive


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", "id,kind\n", "is text, not XML: expected a scenario"),
        ("s.xml", "<OpenDRIVE/>", "is <OpenDRIVE>: expected a scenario"),
    ],
)
def test_a_file_of_another_kind_is_named_with_the_kinds_of_scenarios(
    tmp_path: Path, name: str, content: str, message: str
):
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError, match=message):
        load_scenario(tmp_path / name)


def test_a_table_is_not_a_map(tmp_path: Path):
    (tmp_path / "ok.csv").write_text("id,kind\n")
    with pytest.raises(ConfigError, match="is a table, not XML: expected a world file, or a map"):
        load_world(tmp_path / "ok.csv")
