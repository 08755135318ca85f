"""An action of ROS 2: a goal with feedback, a result, and a way to cancel it.

Source: design.ros2.org/articles/actions.html, and rcl_action for the names of topics and services.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from autosim.ros2.message_types import Fields, Message, response_type
from autosim.ros2.ros_frames import stamp_of
from autosim.ros2.ros_graph import Quality, RosNode

_CANCEL, _STATUS = "action_msgs/srv/CancelGoal", "action_msgs/msg/GoalStatusArray"

_NONE, _UNKNOWN_GOAL, _TERMINATED = 0, 2, 3
"""Return codes of CancelGoal."""

_MAX_FINISHED = 100
"""Number of finished goals whose results can still be requested."""

_MAX_WAITING = 100
"""Number of goals that may wait for their turn."""

_CLOSE_SECONDS = 5.0
"""Longest time [s] for the end of a goal when the action ends."""


class GoalStatus(IntEnum):
    """Status of a goal, by the numbers of action_msgs/msg/GoalStatus."""

    UNKNOWN = 0
    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6

    @property
    def is_finished(self) -> bool:
        """Whether the result is known."""
        return self >= GoalStatus.SUCCEEDED


@dataclass(slots=True)
class Goal:
    """A goal that was accepted.

    `message`: the goal itself. `status`: changes as it is worked on. `fields`: of its result, once
    it is finished. `waiting`: sends the result to those that have requested it.
    """

    uuid: bytes
    """Its 16 bytes."""
    stamp: int
    """Time [ns] of the acceptance."""
    message: Message
    status: GoalStatus = GoalStatus.ACCEPTED
    fields: Fields = field(default_factory=dict)
    waiting: list[Callable[[Message], None]] = field(default_factory=list)

    @property
    def is_canceling(self) -> bool:
        """Whether the goal is to end as soon as possible."""
        return self.status is GoalStatus.CANCELING


@dataclass(frozen=True, slots=True)
class GoalResult:
    """The end of a goal: its status, and the fields of its result."""

    status: GoalStatus
    fields: Fields


Execute = Callable[[Goal, Callable[[Fields], None]], GoalResult]
"""Works on a goal until it is finished; sends feedback with the function given."""


class RosAction:
    """The server of an action; it works on one goal after the other, in its own thread.

    Args:
        node: of the graph.
        name: of the action.
        kind: its type ("package/action/Name").
        execute: works on a goal. It has to end soon when the goal `is_canceling`.

    Raises:
        UserError: ROS allows no action of this name.
    """

    def __init__(self, node: RosNode, name: str, kind: str, execute: Execute) -> None:
        self._node, self._kind, self._execute = node, kind, execute
        self._goals: dict[bytes, Goal] = {}
        self._queue: queue.SimpleQueue[Goal | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._is_closing = False
        topic = f"{name}/_action"
        self._feedback = node.publisher(f"{topic}/feedback", f"{kind}_FeedbackMessage")
        self._status = node.publisher(f"{topic}/status", _STATUS, Quality.LATCHED)
        node.serve_later(f"{topic}/send_goal", f"{kind}_SendGoal", self._accept)
        node.serve_later(f"{topic}/get_result", f"{kind}_GetResult", self._request_result)
        node.serve(f"{topic}/cancel_goal", _CANCEL, self._cancel)
        self._thread = threading.Thread(target=self._work, name="autosim-ros2-action", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cancels all goals, and sends their results. The node ends the topics and services."""
        with self._lock:
            self._is_closing = True
            for goal in self._goals.values():
                self._begin_canceling(goal)
        self._queue.put(None)
        self._thread.join(_CLOSE_SECONDS)

    def _accept(self, request: Message, reply: Callable[[Message], None]) -> None:
        uuid, stamp = bytes(request.goal_id.uuid), time.time_ns()
        with self._lock:
            waiting = sum(not each.status.is_finished for each in self._goals.values())
            is_accepted = (
                uuid not in self._goals and waiting < _MAX_WAITING and not self._is_closing
            )
            goal = Goal(uuid, stamp, request.goal)
            if is_accepted:
                self._goals[uuid] = goal
        fields = {"accepted": is_accepted, "stamp": stamp_of(stamp)}
        reply(self._build(response_type(f"{self._kind}_SendGoal"), fields))
        if is_accepted:
            # After the response: clients ignore feedback of goals that they do not know yet.
            self._publish_status()
            self._queue.put(goal)

    def _request_result(self, request: Message, reply: Callable[[Message], None]) -> None:
        with self._lock:
            goal = self._goals.get(bytes(request.goal_id.uuid))
            if goal is not None and not goal.status.is_finished:
                goal.waiting.append(reply)
                return
        reply(self._result_of(goal))

    def _result_of(self, goal: Goal | None) -> Message:
        status, fields = (GoalStatus.UNKNOWN, {}) if goal is None else (goal.status, goal.fields)
        result = {"status": int(status), "result": fields}
        return self._build(response_type(f"{self._kind}_GetResult"), result)

    def _cancel(self, request: Message) -> Message:
        """Cancels the goals that a request means, by the rules of CancelGoal."""
        info = request.goal_info
        uuid, before = bytes(info.goal_id.uuid), info.stamp.sec * 10**9 + info.stamp.nanosec
        is_any = not any(uuid)
        with self._lock:
            named = self._goals.get(uuid)
            meant = [
                goal
                for goal in self._goals.values()
                if goal is named or (before and goal.stamp <= before) or (is_any and not before)
            ]
            canceled = [goal for goal in meant if self._begin_canceling(goal)]
        code = _NONE
        if not canceled and not is_any:
            code = _UNKNOWN_GOAL if named is None else _TERMINATED
        self._publish_status()
        infos = [self._info_of(goal) for goal in canceled]
        fields = {"return_code": code, "goals_canceling": infos}
        return self._build(response_type(_CANCEL), fields)

    @staticmethod
    def _begin_canceling(goal: Goal) -> bool:
        """Whether the goal was not finished, so that it is canceled."""
        if goal.status.is_finished:
            return False
        goal.status = GoalStatus.CANCELING
        return True

    def _work(self) -> None:
        while (goal := self._queue.get()) is not None:
            with self._lock:
                if not goal.is_canceling:
                    goal.status = GoalStatus.EXECUTING
            self._publish_status()
            self._finish(goal, self._execute(goal, lambda fields: self._send(goal, fields)))

    def _send(self, goal: Goal, fields: Fields) -> None:
        """Publishes feedback."""
        kind = f"{self._kind}_FeedbackMessage"
        message = self._build(kind, {"goal_id": _id_of(goal), "feedback": fields})
        self._feedback.publish(message)

    def _finish(self, goal: Goal, outcome: GoalResult) -> None:
        with self._lock:
            goal.status, goal.fields = outcome.status, outcome.fields
            waiting, goal.waiting = goal.waiting, []
            finished = [each for each in self._goals.values() if each.status.is_finished]
            for each in finished[:-_MAX_FINISHED]:
                del self._goals[each.uuid]
        self._publish_status()
        for reply in waiting:
            reply(self._result_of(goal))

    def _publish_status(self) -> None:
        with self._lock:
            states = [
                {"goal_info": self._info_of(goal), "status": int(goal.status)}
                for goal in self._goals.values()
            ]
            self._status.publish(self._build(_STATUS, {"status_list": states}))

    def _info_of(self, goal: Goal) -> Fields:
        return {"goal_id": _id_of(goal), "stamp": stamp_of(goal.stamp)}

    def _build(self, kind: str, fields: Fields) -> Message:
        return self._node.types.build(kind, fields)


def _id_of(goal: Goal) -> Fields:
    return {"uuid": np.frombuffer(goal.uuid, np.uint8)}
