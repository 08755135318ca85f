"""Lists in the state: a count, and room for rows."""

import numpy as np
import pytest

from autosim.model.commands import (
    Command,
    DeviceError,
    DeviceErrorCode,
    check_command,
    command_for,
    write_command,
)
from autosim.model.state import BitstreamError, State
from autosim.model.tree import (
    PUBLICATION,
    Access,
    Column,
    Field,
    SimulationTree,
    TreeError,
    TreeNode,
    layout_digest,
    list_field,
)
from autosim.userprogram.session.readers import make_reader

ROWS = list_field("rows", (Column("x", "m"), Column("y", "m")), 4)


def tree_with(field: Field = ROWS) -> SimulationTree:
    tree = SimulationTree()
    robot = tree.register(TreeNode("car", "Robot"))
    robot.register(TreeNode("plan", PUBLICATION, (field,), access=Access.SET))
    robot.register(TreeNode("after", "Box", (Field("mass"),)))
    return tree.lay_out()


@pytest.fixture
def state() -> State:
    return State(tree_with())


def plan(state: State) -> TreeNode:
    node = state.tree.find("car.plan")
    assert node is not None
    return node


def test_a_list_is_a_count_and_room_for_all_its_rows(state: State):
    assert plan(state).own_size == 8 + 4 * 2 * 8
    state.write_rows(plan(state), ROWS, np.array([[1.0, 2.0], [3.0, 4.0]]))
    words = state.ints[plan(state).start // 8]
    assert words == 2
    assert state.value(plan(state), ROWS).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_rows_that_went_leave_zeros_so_that_equal_lists_have_equal_bytes(state: State):
    state.write_rows(plan(state), ROWS, np.ones((4, 2)))
    state.write_rows(plan(state), ROWS, np.ones((1, 2)))
    fresh = State(state.tree)
    fresh.write_rows(plan(fresh), ROWS, np.ones((1, 2)))
    assert bytes(state.buffer) == bytes(fresh.buffer)


@pytest.mark.parametrize("shape", [(5, 2), (1, 3), (2,)])
def test_what_has_no_room_changes_nothing(state: State, shape: tuple[int, ...]):
    before = bytes(state.buffer)
    with pytest.raises(BitstreamError, match=r"at most 4 rows of 2 numbers"):
        state.write_rows(plan(state), ROWS, np.ones(shape))
    assert bytes(state.buffer) == before


@pytest.mark.parametrize(("count", "rows"), [(-1, 0), (5, 4), (2**62, 4)])
def test_a_count_that_cannot_be_is_read_as_the_nearest_that_can(
    state: State, count: int, rows: int
):
    state.ints[plan(state).start // 8] = count
    assert state.value(plan(state), ROWS).shape == (rows, 2)
    assert make_reader(plan(state), state.buffer)().shape == (rows, 2)


def test_a_list_of_other_columns_has_another_layout():
    other = list_field("rows", (Column("x", "m"), Column("y", "rad")), 4)
    assert layout_digest(tree_with()) != layout_digest(tree_with(other))


def test_a_list_needs_a_column_for_each_number_of_its_rows():
    with pytest.raises(TreeError, match="a float64 for each column"):
        Field("rows", shape=(4, 3), columns=(Column("x"), Column("y")))


def test_a_command_sets_as_many_rows_as_it_has(state: State):
    command = command_for(state.tree, "car.plan", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    write_command(state, plan(state), command)
    assert make_reader(plan(state), state.buffer)().tolist() == [[1, 2], [3, 4], [5, 6]]
    write_command(state, plan(state), command_for(state.tree, "car.plan", []))
    assert make_reader(plan(state), state.buffer)().shape == (0, 2)


@pytest.mark.parametrize("values", [[[1.0, 2.0]] * 5, [[1.0]], [1.0, 2.0], 3.0])
def test_rows_that_do_not_fit_are_refused(state: State, values: object):
    with pytest.raises(DeviceError, match=r"at most 4 rows of 2 values \(x, y\)") as caught:
        command_for(state.tree, "car.plan", values)
    assert caught.value.code is DeviceErrorCode.DATA_SIZE_MISMATCH


@pytest.mark.parametrize("size", [8, 24, 8 * 2 * 5, 3])
def test_bytes_of_a_peer_that_are_no_rows_are_refused(state: State, size: int):
    with pytest.raises(DeviceError, match="DATA_SIZE_MISMATCH"):
        check_command(state.tree, Command("car.plan", bytes(size)))
