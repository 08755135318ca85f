"""An action, used by a client that knows only zenoh, keys and CDR."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.ros2.message_types import Fields
from autosim.ros2.ros_action import Goal, GoalResult, GoalStatus, RosAction
from autosim.ros2.ros_graph import RosNode
from tests.ros2.action_client import KIND, PATIENCE, TYPES, ActionClient


def count(goal: Goal, send: Callable[[Fields], None]) -> GoalResult:
    """Counts to the number of steps; without end for 0."""
    done = 0
    while (not goal.message.steps or done < goal.message.steps) and not goal.is_canceling:
        done += 1
        if goal.message.steps:
            send({"completed_steps": done, "remaining_steps": goal.message.steps - done})
    status = GoalStatus.CANCELED if goal.is_canceling else GoalStatus.SUCCEEDED
    return GoalResult(status, {"result": {"result": 1, "error_message": str(done)}})


@pytest.fixture
def client(sessions: Callable[[], Any]) -> Iterator[ActionClient]:
    made = ActionClient(sessions(), "count")
    node = RosNode(sessions(), TYPES, name="counter")
    action = RosAction(node, "/count", KIND, count)
    yield made
    action.close()
    node.close()


def test_a_goal_is_accepted_gives_feedback_and_a_result(client: ActionClient) -> None:
    assert client.send(b"a" * 16, 3)
    response = client.result(b"a" * 16)
    assert response.status == GoalStatus.SUCCEEDED
    assert response.result.result.error_message == "3"
    came = [client.feedback.get(timeout=PATIENCE) for _ in range(3)]
    assert [each.feedback.completed_steps for each in came] == [1, 2, 3]
    assert [each.feedback.remaining_steps for each in came] == [2, 1, 0]
    assert bytes(came[0].goal_id.uuid) == b"a" * 16
    while client.states.get(timeout=PATIENCE) != [GoalStatus.SUCCEEDED]:
        pass
    assert client.result(b"a" * 16).status == GoalStatus.SUCCEEDED, "it is kept"


def test_a_goal_of_the_same_number_is_rejected(client: ActionClient) -> None:
    assert client.send(b"a" * 16, 1)
    assert not client.send(b"a" * 16, 1)


def test_a_goal_is_canceled_and_those_that_wait_behind_it(client: ActionClient) -> None:
    assert client.send(b"a" * 16, 0)
    assert client.send(b"b" * 16, 0)
    response = client.cancel(b"a" * 16)
    assert response.return_code == 0
    assert [bytes(each.goal_id.uuid) for each in response.goals_canceling] == [b"a" * 16]
    assert client.result(b"a" * 16).status == GoalStatus.CANCELED
    assert len(client.cancel().goals_canceling) == 1
    assert client.result(b"b" * 16).status == GoalStatus.CANCELED


def test_goals_that_are_unknown_or_finished_are_not_canceled(client: ActionClient) -> None:
    assert client.result(b"x" * 16).status == GoalStatus.UNKNOWN
    assert client.cancel(b"x" * 16).return_code == 2
    assert client.send(b"a" * 16, 1)
    client.result(b"a" * 16)
    assert client.cancel(b"a" * 16).return_code == 3


def test_the_graph_has_the_five_parts_of_an_action(
    client: ActionClient, sessions: Callable[[], Any]
) -> None:
    client.result(b"x" * 16)
    answers = sessions().liveliness().get("@ros2_lv/0/**", timeout=5.0)
    parts = {tuple(str(each.ok.key_expr).split("/")[5:10]) for each in answers}
    found = {(what[0], what[4]) for what in parts if len(what) == 5}
    assert {
        ("SS", "%count%_action%send_goal"),
        ("SS", "%count%_action%get_result"),
        ("SS", "%count%_action%cancel_goal"),
        ("MP", "%count%_action%feedback"),
        ("MP", "%count%_action%status"),
    } <= found
