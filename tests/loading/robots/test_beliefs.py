"""Who owns what a robot believes, and who may know the truth: files, and their faults."""

from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError
from autosim.kinds.owners.program_state import ProgramState
from autosim.loading.loader import load_robot, load_world
from autosim.loading.world_writer import write_world
from tests.paths import ROOT

ROBOT = """<Robot name="r">
  <Parts><Box name="body"><Size x="1" y="1" z="1"/><Mass value="1"/></Box></Parts>
  <Devices>
{}
  </Devices>
</Robot>"""
OWNER = '    <ProgramState name="{}"><Part name="body"/></ProgramState>'


def robot_of(folder: Path, devices: str, text: str = ROBOT):
    path = folder / "robot.xml"
    path.write_text(text.format(devices))
    return load_robot(path)


def faults_of(folder: Path, devices: str, text: str = ROBOT) -> str:
    with pytest.raises(ConfigError) as caught:
        robot_of(folder, devices, text)
    return str(caught.value)


def test_a_robot_has_one_owner_of_its_belief(tmp_path: Path):
    (owner,) = robot_of(tmp_path, OWNER.format("belief")).devices
    assert owner == ProgramState("belief", "body", stale_after=1.0)


def test_two_owners_are_an_error_with_both_lines(tmp_path: Path):
    fault = faults_of(tmp_path, OWNER.format("one") + "\n" + OWNER.format("two"))
    assert "robot.xml:5: error: <ProgramState> 'two' in line 5" in fault
    assert "<ProgramState> 'one' in line 4 both own what the robot believes" in fault


def test_the_old_element_says_what_replaces_it(tmp_path: Path):
    fault = faults_of(tmp_path, '<BeliefDevice name="b"><Part name="body"/></BeliefDevice>')
    assert "robot.xml:4: error: <BeliefDevice> is no longer: write <ProgramState>" in fault


@pytest.mark.parametrize("name", ["state", "state_truth"])
def test_no_part_is_called_like_a_state(tmp_path: Path, name: str):
    fault = faults_of(tmp_path, "", ROBOT.replace('"body"', f'"{name}"'))
    assert f"robot.xml:2: error: <Box> '{name}': '{name}' is the name of what" in fault


def world_with(folder: Path, inside: str) -> Path:
    text = (ROOT / "worlds" / "circle_town.xml").read_text()
    (folder / "world.xml").write_text(text.replace("</Robot>", inside + "</Robot>"))
    return folder / "world.xml"


def test_the_world_file_says_whose_truth_programs_may_read(tmp_path: Path):
    world = load_world(world_with(tmp_path, '<ReadableTruth value="true"/>'), roots=[ROOT])
    assert world.robots[0].robot.is_truth_readable
    (tmp_path / "again.xml").write_text(write_world(world, [ROOT]))
    again = load_world(tmp_path / "again.xml", roots=[ROOT])
    assert again.robots[0].robot.is_truth_readable
    assert not load_world(world_with(tmp_path, ""), roots=[ROOT]).robots[0].robot.is_truth_readable


def test_no_publication_is_called_like_a_state(tmp_path: Path):
    inside = '<Publication name="state" capacity="1"><Column name="a"/></Publication>'
    with pytest.raises(ConfigError, match="'state' is the name of what the robot believes"):
        load_world(world_with(tmp_path, inside), roots=[ROOT])
