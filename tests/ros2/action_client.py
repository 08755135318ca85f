"""A client of the action SimulateSteps that knows only zenoh, keys and CDR."""

import struct
import threading
from collections.abc import Callable
from queue import Queue
from typing import Any

from autosim.ros2.message_types import Fields, MessageTypes, dds_name, request_type, response_type

TYPES = MessageTypes()
KIND = "simulation_interfaces/action/SimulateSteps"
CANCEL = "action_msgs/srv/CancelGoal"
PATIENCE = 60.0


class ActionClient:
    """The five parts of an action, over a session of its own."""

    def __init__(self, session: Any, name: str) -> None:
        self._session, self._name = session, name
        self.feedback: Queue[Any] = Queue()
        self.states: Queue[list[int]] = Queue()
        self._listeners = [
            self._listen("feedback", f"{KIND}_FeedbackMessage", self.feedback.put),
            self._listen(
                "status",
                "action_msgs/msg/GoalStatusArray",
                lambda message: self.states.put([each.status for each in message.status_list]),
            ),
        ]

    def _listen(self, part: str, kind: str, take: Callable[[Any], None]) -> Any:
        key = f"0/{self._name}/_action/{part}/{dds_name(kind)}/{TYPES.hash_of(kind)}"

        def receive(sample: Any) -> None:
            take(TYPES.from_cdr(sample.payload.to_bytes(), kind))

        return self._session.declare_subscriber(key, receive)

    def call(self, part: str, kind: str, fields: Fields) -> Any:
        """The response of one of the services."""
        key = f"0/{self._name}/_action/{part}/{dds_name(kind)}/{TYPES.hash_of(kind)}"
        data = TYPES.to_cdr(TYPES.build(request_type(kind), fields))
        attachment = struct.pack("<qqB16s", 1, 0, 16, b"g" * 16)
        tick = threading.Event()
        for _ in range(int(PATIENCE)):
            found = list(
                self._session.get(key, payload=data, attachment=attachment, timeout=PATIENCE)
            )
            if found:
                return TYPES.from_cdr(found[0].ok.payload.to_bytes(), response_type(kind))
            tick.wait(0.1)
        raise AssertionError(f"{part} is not served")

    def send(self, uuid: bytes, steps: int) -> bool:
        """Whether a goal is accepted."""
        goal = {"goal_id": {"uuid": list(uuid)}, "goal": {"steps": steps}}
        return bool(self.call("send_goal", f"{KIND}_SendGoal", goal).accepted)

    def result(self, uuid: bytes) -> Any:
        """Status and result of a goal, as soon as it has them."""
        return self.call("get_result", f"{KIND}_GetResult", {"goal_id": {"uuid": list(uuid)}})

    def cancel(self, uuid: bytes = bytes(16)) -> Any:
        """Cancels a goal, or all."""
        return self.call("cancel_goal", CANCEL, {"goal_info": {"goal_id": {"uuid": list(uuid)}}})
