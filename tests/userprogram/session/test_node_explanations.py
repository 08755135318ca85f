"""What values mean is told wherever their names are, also without the code of their kinds."""

import pytest

from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot, load_world
from autosim.model.commands import DeviceError
from autosim.model.tree import Access, SimulationTree
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from autosim.userprogram.session.node_explanations import explain
from autosim.userprogram.session.node_records import describe
from tests.config.samples import write_world
from tests.kinds.plugins import write_thruster
from tests.loading.test_objects import with_object
from tests.userprogram.rig import tree_of


def told(tree: SimulationTree) -> SimulationTree:
    """The tree as another process knows it."""
    return tree_from_bytes(tree_to_bytes(tree))


def test_a_device_of_a_plug_in_is_explained_where_the_plug_in_is_not(tmp_path):
    tree = tree_of(write_thruster(tmp_path), "boat")
    found = explain(told(tree), "boat.hull.bow_thruster")
    assert found == explain(tree, "boat.hull.bow_thruster")
    assert found.text.startswith("Pushes its part along a direction.")
    most = next(each for each in found.parameters if each.name == "max_thrust")
    assert (most.value, most.unit, most.text) == (50.0, "N", "Its greatest force.")
    assert found.access is Access.DRIVE
    assert "plug-in 'plugins/bow_thruster.py', version " in explain(told(tree), "boat").text


def test_fields_have_units_limits_and_meanings():
    tree = told(tree_of(load_robot("robots/impreza.xml"), "car"))
    steering, *_ = explain(tree, "car.chassis.drive_chassis").fields
    assert (steering.unit, str(steering.limits)) == ("rad", "[-0.6, 0.6]")
    assert steering.meaning == "Angle of the steered wheels, positive to the left."


def test_an_object_is_described_and_explained(tmp_path):
    crate = '<Box name="crate"><Size x="1" y="1" z="2"/><Mass value="20"/>'
    file = write_world(tmp_path, with_object(crate + '<Position x="3" z="4"/></Box>'))
    tree = told(build_tree(load_world(file)))
    assert describe(tree, "crate").mass == 20.0
    found = explain(tree, "crate")
    assert found.kind == "Box"
    assert {"size", "mass", "motion", "friction"} <= {each.name for each in found.parameters}
    assert "position" not in {each.name for each in found.parameters}


def test_what_is_not_there_is_named():
    with pytest.raises(DeviceError, match="UNKNOWN_ROBOT"):
        explain(tree_of(load_robot("robots/impreza.xml"), "car"), "cat")
