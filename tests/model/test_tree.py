import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.model.state import (
    BitstreamError,
    State,
    numbers_text,
    time_after,
)
from autosim.model.tree import Field, FieldType, SimulationTree, TreeError, TreeNode, layout_digest


def small_tree() -> SimulationTree:
    tree = SimulationTree()
    robot = tree.register(TreeNode("impreza", "Robot", (Field("state", FieldType.INT),)))
    chassis = robot.register(TreeNode("chassis", "Box", (Field("position", shape=(3,), unit="m"),)))
    chassis.register(TreeNode("psd0", "PSDSensor", (Field("distance", unit="m"),)))
    chassis.register(TreeNode("gps0", "GPSSensor", (Field("sentence", FieldType.TEXT, (16,)),)))
    return tree.lay_out()


def test_names_are_qualified_on_registration():
    assert small_tree().names == (
        "impreza",
        "impreza.chassis",
        "impreza.chassis.psd0",
        "impreza.chassis.gps0",
    )


def test_a_subtree_registered_whole_gets_its_names_and_is_found():
    tree = SimulationTree()
    robot = TreeNode("impreza", "Robot")
    psd = robot.register(TreeNode("chassis", "Box")).register(TreeNode("psd0", "PSDSensor"))
    tree.register(robot)
    assert tree.find("impreza.chassis.psd0") is psd
    assert tree.find("impreza.chassis.psd1") is None


@pytest.mark.parametrize("name", ["", "a.b", "impreza"])
def test_bad_and_taken_names_are_refused(name):
    tree = SimulationTree()
    tree.register(TreeNode("impreza", "Robot"))
    with pytest.raises(TreeError):
        tree.register(TreeNode(name, "Robot"))


def test_a_tree_that_is_laid_out_takes_no_more_nodes():
    with pytest.raises(TreeError, match="laid out"):
        small_tree().register(TreeNode("late", "Robot"))


def test_subtrees_are_slices_depth_first_without_gaps():
    tree = small_tree()
    nodes = list(tree.walk())
    assert [node.own_stop - node.start for node in nodes] == [16, 8, 24, 8, 16]
    assert [node.start for node in nodes[1:]] == [node.own_stop for node in nodes[:-1]]
    assert tree.find("impreza").stop == tree.stop == 72


def test_a_subtree_travels_as_a_bitstream():
    tree = small_tree()
    a, b = State(tree), State(tree)
    node = tree.find("impreza.chassis")
    a.floats[node.start // 8 : node.own_stop // 8] = (1.0, 2.0, 3.0)
    b.from_bitstream(a.to_bitstream(node), node, digest=layout_digest(node))
    assert b.to_bitstream() == a.to_bitstream()
    np.testing.assert_array_equal(b.value(node, node.fields[0]), (1.0, 2.0, 3.0))


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"\0"])
def test_short_and_long_bitstreams_are_refused_and_change_nothing(change):
    tree = small_tree()
    state = State(tree)
    before = state.to_bitstream()
    with pytest.raises(BitstreamError, match=tree.digest):
        state.from_bitstream(change(b"\1" * len(before)), digest=tree.digest)
    assert state.to_bitstream() == before


def test_another_layout_is_refused_with_both_digests():
    tree, other = small_tree(), SimulationTree()
    other.register(TreeNode("beetle", "Robot", (Field("state", FieldType.INT),)))
    other.lay_out()
    with pytest.raises(BitstreamError) as refusal:
        State(tree).from_bitstream(bytes(tree.stop), digest=other.digest)
    assert tree.digest in str(refusal.value)
    assert other.digest in str(refusal.value)


@pytest.mark.parametrize(
    "field",
    [
        Field("range", unit="m"),
        Field("distance", unit="mm"),
        Field("distance", FieldType.INT, unit="m"),
        Field("distance", shape=(1,), unit="m"),
    ],
)
def test_the_digest_tells_layouts_apart_that_have_the_same_size(field):
    def digest(of: Field) -> str:
        tree = SimulationTree()
        tree.register(TreeNode("impreza", "Robot", (of,)))
        return tree.lay_out().digest

    assert digest(field) != digest(Field("distance", unit="m"))


def test_of_a_long_array_the_text_has_the_ends():
    numbers = np.arange(1000.0).reshape(4, 250)
    assert numbers_text(numbers) == "0 1 2 3 … 996 997 998 999 (4 × 250 numbers)"
    assert numbers_text(np.arange(3.0), separator=", ") == "0, 1, 2"


@given(
    st.recursive(st.just([]), lambda children: st.lists(children, max_size=4), max_leaves=20),
    st.randoms(use_true_random=False),
)
def test_any_tree_round_trips(shape, random):
    tree = SimulationTree()

    def grow(parent: TreeNode, children: list) -> None:
        for index, below in enumerate(children):
            fields = [Field(f"f{k}", shape=(k,)) for k in range(random.randrange(4))]
            grow(parent.register(TreeNode(f"n{index}", "Box", fields)), below)

    grow(tree, shape)
    tree.lay_out()
    a, b = State(tree), State(tree)
    a.buffer[:] = random.randbytes(tree.stop)
    for node in tree.walk():
        b.from_bitstream(a.to_bitstream(node), node, digest=layout_digest(node))
    assert a.to_bitstream() == b.to_bitstream()


def test_time_keeps_no_error_of_rounding_over_many_steps():
    assert time_after(3, 1 / 240) == 12_500_000
    assert time_after(240 * 3600, 1 / 240) == 3600 * 10**9
