"""Devices of users' own: from a file that a robot names to forces and other processes."""

import pickle
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot, UsedPlugin
from autosim.engine.step.simulation import Simulation
from autosim.kinds import plugins
from autosim.kinds.foreign import ForeignDevice
from autosim.loading.checker import check_file
from autosim.loading.loader import load_robot
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import DeviceError, command_for
from autosim.model.tree import Access
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from autosim.userprogram.session.node_records import describe
from tests.kinds.plugins import write_thruster
from tests.worlds import flat_world, impreza_world

NAME = "boat.hull.bow_thruster"


def simulate(robot) -> Simulation:
    placed = PlacedRobot("boat", robot, position=(0.0, 0.0, None), yaw=0.0)
    world = replace(impreza_world(), robots=(placed,))
    return Simulation(world, compiled=flat_world(), report=lambda notice: None)


@pytest.fixture
def robot(tmp_path):
    return write_thruster(tmp_path)


def test_an_actuator_of_ones_own_pushes_its_robot(robot):
    with simulate(robot) as simulation:
        simulation.step()
        hull = simulation.tree.find("boat.hull")
        before = simulation.state.value(hull, hull.fields[2])
        simulation.queue([command_for(simulation.tree, NAME, [1.0])])
        simulation.step()
        after = simulation.state.value(hull, hull.fields[2])
        # 50 N push 10 kg forwards for a step, less what friction holds against a sliding box.
        assert 0.0 < after[0] - before[0] <= 50.0 / 10.0 / 240 + 1e-9


def test_it_may_be_set_within_its_limits(robot):
    with simulate(robot) as simulation:
        tree = simulation.tree
        assert tree.find(NAME).access is Access.DRIVE
        with pytest.raises(DeviceError, match=r"thrust: expected a number in \[-1, 1\], not 2"):
            within_limits(tree, command_for(tree, NAME, [2.0]))


def test_a_process_without_the_plug_in_knows_its_devices_by_their_names(robot):
    with simulate(robot) as simulation:
        tree = tree_from_bytes(tree_to_bytes(simulation.tree))
    node, device = tree.find(NAME), describe(tree, NAME)
    assert isinstance(device, ForeignDevice)
    assert (device.record, device.part, device.max_thrust) == ("BowThruster", "hull", 50.0)
    assert [(field.name, field.unit) for field in node.fields] == [("thrust", "1")]
    assert (node.access, node.fields[0].limits.high) == (Access.DRIVE, 1.0)
    with pytest.raises(AttributeError, match="a BowThruster has no 'colour'; it has position"):
        _ = device.colour


def test_another_process_of_the_server_reads_its_description(robot, tmp_path):
    path = tmp_path / "robot.pickle"
    path.write_bytes(pickle.dumps(robot))
    code = (
        "import pickle, sys\n"
        "robot = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(robot.devices[-1].max_thrust, type(robot.devices[-1]).__name__)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "50.0 BowThruster\n"


def test_an_edited_plug_in_is_read_anew(robot, tmp_path):
    file = tmp_path / "plugins" / "bow_thruster.py"
    file.write_text(file.read_text().replace('"MaxThrust"', '"Thrust"'))
    found = check_file(tmp_path / "robots" / "bow_thruster.xml", roots=[tmp_path], is_trusted=True)
    words = "TypeError: BowThruster has no field 'thrust' for <Thrust> of <BowThruster>"
    assert any(words in each.message for each in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("KIND = 1 / 0\n", "line 1: ZeroDivisionError: division by zero"),
        ("KIND = (\n", "line 1: "),
        ("x = 3\n", "defines no KIND"),
    ],
)
def test_a_plug_in_with_a_fault_is_named(robot, tmp_path, text, words):
    (tmp_path / "plugins" / "bow_thruster.py").write_text(text)
    messages = [
        str(each)
        for each in check_file(
            tmp_path / "robots/bow_thruster.xml", roots=[tmp_path], is_trusted=True
        )
    ]
    assert any("plug-in 'plugins/bow_thruster.py'" in each and words in each for each in messages)


def test_a_plug_in_that_is_not_there_is_named_and_not_fetched(robot, tmp_path):
    (tmp_path / "plugins" / "bow_thruster.py").unlink()
    first = check_file(tmp_path / "robots" / "bow_thruster.xml", roots=[tmp_path], is_trusted=True)[
        0
    ]
    assert first.line == 2
    assert "found no 'plugins/bow_thruster.py'" in first.message
    assert "put it there yourself" in first.message


def test_a_kind_cannot_take_the_name_of_another(robot, tmp_path):
    file = tmp_path / "plugins" / "bow_thruster.py"
    file.write_text(file.read_text().replace('"BowThruster"', '"Camera"'))
    found = check_file(tmp_path / "robots" / "bow_thruster.xml", roots=[tmp_path], is_trusted=True)
    assert any("there is already a kind of device <Camera>" in each.message for each in found)


def test_an_unknown_device_is_an_error_unless_the_file_says_otherwise(robot, tmp_path):
    file = tmp_path / "robots" / "bow_thruster.xml"
    text = file.read_text().replace('  <Plugin file="plugins/bow_thruster.py"/>\n', "")
    file.write_text(text)
    (fault,) = check_file(file)
    assert (fault.level, fault.line) == ("error", 10)
    assert "unknown element <BowThruster> in <Devices>; a <Plugin> may" in fault.message
    file.write_text(text.replace("<Robot ", '<Robot unknown="ignore" '))
    (fault,) = check_file(file)
    assert fault.level == "warning"
    assert load_robot(file).devices == ()


def test_installed_packages_offer_kinds(robot, monkeypatch, tmp_path):
    kind = robot.devices[0].kind

    class Entry:
        name, value = "boats", "boats:KIND"
        dist = SimpleNamespace(name="our-boats", version="2.1")

        def load(self):
            return kind

    plugins.installed_plugins.cache_clear()
    monkeypatch.setattr(plugins, "entry_points", lambda group: [Entry()])
    try:
        file = tmp_path / "robots" / "bow_thruster.xml"
        file.write_text(
            file.read_text().replace('  <Plugin file="plugins/bow_thruster.py"/>\n', "")
        )
        assert load_robot(file).devices == robot.devices
        assert load_robot(file).plugins == (UsedPlugin("our-boats", "2.1"),)
        assert load_robot("robots/impreza.xml").plugins == ()
    finally:
        plugins.installed_plugins.cache_clear()


def test_a_new_device_comes_with_a_test_that_passes(robot, tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "plugins"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    np.testing.assert_equal("1 passed" in ran.stdout, True)
