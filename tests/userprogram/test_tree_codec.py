"""A tree on its way to another process."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autosim.config.loader import load_robot
from autosim.simulation.tree import TreeError
from autosim.userprogram.tree_codec import tree_from_bytes, tree_to_bytes
from tests.userprogram.rig import node, toy_tree, tree_of


def test_a_tree_comes_back_with_the_same_layout():
    tree = toy_tree()
    copy = tree_from_bytes(tree_to_bytes(tree))
    assert copy.digest == tree.digest
    assert copy.names == tree.names
    device = "beta.chassis.gps"
    assert node(copy, device).field_offset("sentence") == node(tree, device).field_offset(
        "sentence"
    )


@pytest.mark.parametrize("data", [b"", b"[]", b'["x", [["alpha"]]]', b'["x", [["a", "B", [], 3]]]'])
def test_what_is_no_tree_is_refused(data):
    with pytest.raises(TreeError, match="not the bytes of a tree"):
        tree_from_bytes(data)


def test_a_tree_that_was_changed_on_the_way_is_refused():
    digest, children, *robots = json.loads(tree_to_bytes(toy_tree()))
    children[0][0] = "gamma"
    with pytest.raises(TreeError, match=digest):
        tree_from_bytes(json.dumps([digest, children, *robots]).encode())


def test_what_robots_are_made_of_comes_along_once_for_all_of_one_kind():
    robot = load_robot("robots/trailer_rig.xml")
    tree = tree_of(robot, "one", "two")
    data = tree_to_bytes(tree)
    copy = tree_from_bytes(data)
    assert copy.descriptions["one"] is copy.descriptions["two"]
    assert copy.descriptions["one"] == replace(robot, source=Path(robot.source.name))
    assert data.count(b'"CompassSensor"') == 2 * 2 + 2  # nodes of two robots, one description


def test_a_description_that_is_none_is_refused():
    content = json.loads(tree_to_bytes(toy_tree()))
    content[2][0]["record"] = "Teapot"
    with pytest.raises(TreeError, match="Teapot"):
        tree_from_bytes(json.dumps(content).encode())
