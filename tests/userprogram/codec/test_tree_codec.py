"""A tree on its way to another process."""

from dataclasses import replace
from pathlib import Path

import pytest

from autosim.loading.loader import load_robot
from autosim.model.tree import Column, SimulationTree, TreeError, TreeNode, list_field
from autosim.userprogram.codec.robot_codec import robot_from_record, robot_to_record
from autosim.userprogram.codec.tree_codec import (
    tree_from_bytes,
    tree_from_message,
    tree_to_bytes,
    tree_to_message,
)
from autosim.v1 import tree_pb2 as pb
from tests.paths import ROOT
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


def test_a_list_comes_back_with_its_columns_and_its_capacity():
    tree = SimulationTree()
    plan = list_field("rows", (Column("x", "m"), Column("y", "m"), Column("score")), 5)
    tree.register(TreeNode("car", "Robot")).register(TreeNode("plan", "Publication", (plan,)))
    copy = tree_from_bytes(tree_to_bytes(tree.lay_out()))
    assert node(copy, "car.plan").fields == (plan,)
    assert copy.stop == tree.stop == 8 * (2 + 1 + 5 * 3)


def test_the_message_says_where_every_field_stands():
    tree = toy_tree()

    def check(message: pb.Node, its: TreeNode) -> None:
        assert (message.offset, message.size) == (its.start, its.stop - its.start)
        for field, own in zip(message.fields, its.fields, strict=True):
            assert (field.name, field.unit, field.size) == (own.name, own.unit, own.size)
            assert field.offset == its.field_offset(own.name)
        for child, below in zip(message.children, its.children, strict=True):
            check(child, below)

    check(tree_to_message(tree).root, tree)


@pytest.mark.parametrize("file", sorted((ROOT / "robots").rglob("*.xml")), ids=lambda f: f.stem)
def test_every_shipped_robot_comes_back(file):
    record = robot_to_record(load_robot(file))
    assert robot_to_record(robot_from_record(record)) == record


@pytest.mark.parametrize("data", [b"[]", b"\x1a\xff", b'{"tree": 1}'])
def test_bytes_that_are_no_message_are_refused(data):
    with pytest.raises(TreeError, match="not a tree"):
        tree_from_bytes(data)


def test_no_bytes_are_no_tree():
    with pytest.raises(TreeError, match="the tree has the layout"):
        tree_from_bytes(b"")


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (pb.Field(name="a"), "not a tree"),
        (pb.Field(name="a", type=pb.Field.TEXT, shape=[9]), "multiple of 8"),
        (pb.Field(name="a", type=pb.Field.FLOAT64, shape=[-9]), "negative length"),
        (pb.Field(name="a", type=pb.Field.FLOAT64, shape=[2**40]), "more than"),
        (
            pb.Field(name="a", type=pb.Field.FLOAT64, shape=[3], columns=[pb.Column(name="x")]),
            "rows of a float64 for each column",
        ),
    ],
    ids=["of no type", "a text of nine bytes", "negative", "too large", "a list without rows"],
)
def test_a_field_that_cannot_be_is_refused(field, reason):
    nodes = [pb.Node(name="car", kind="Robot", fields=[field])]
    with pytest.raises(TreeError, match=reason):
        tree_from_message(pb.Tree(root=pb.Node(children=nodes)))


def test_a_tree_that_was_changed_on_the_way_is_refused():
    message = tree_to_message(toy_tree())
    message.root.children[0].name = "gamma"
    with pytest.raises(TreeError, match=message.digest):
        tree_from_message(message)


def test_what_robots_are_made_of_comes_along_once_for_all_of_one_kind():
    robot = load_robot("robots/trailer_rig.xml")
    tree = tree_of(robot, "one", "two")
    data = tree_to_bytes(tree)
    copy = tree_from_bytes(data)
    assert copy.descriptions["one"] is copy.descriptions["two"]
    known = replace(robot, source=Path(robot.source.name), running_gear=None)
    assert copy.descriptions["one"] == known
    # Nodes of two robots, one description, and the kind by its name and that of its element.
    assert data.count(b"CompassSensor") == 2 * 2 + 2 + 2


def test_a_description_that_is_none_is_refused():
    message = tree_to_message(toy_tree())
    message.robots[0].record.kind = "Teapot"
    with pytest.raises(TreeError, match="'Teapot' is not a record"):
        tree_from_message(message)
