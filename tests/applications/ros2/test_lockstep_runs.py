"""Nodes of ROS 2 in lockstep: every run gives the same messages, at any pace."""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.ros2.node_lockstep import CLOCK, CLOCK_TOPIC, TOPIC
from autosim.ros2.ros_frames import NANOSECONDS
from tests.applications.ros2.bridge_rig import DRIVE, PATIENCE, TYPES, bridge, node
from tests.commands import server

RATE = 20.0
"""States in a simulated second."""

STATES = 12
OWN = ("ackermann_cmd", "acknowledge")
"""Topics that the node itself publishes."""

COMMAND = ["autosim", "server", "worlds/ros.xml", "--headless", "--paused"]


class Run:
    """The messages that a node receives over some states, while it steers by them.

    `pace`: simulated seconds for each second in which it acknowledges; 0: at once. `digest` is of
    all messages, in their order, `times` are those of the clock [ns].
    """

    def __init__(self, router: str, states: int, pace: float = 0.0) -> None:
        self.times: list[int] = []
        self._hash, self._done = hashlib.sha256(), threading.Event()
        self._pause = 1.0 / (RATE * pace) if pace else 0.0
        self._newest: list[Any] = []
        with node(router) as (peer, session):
            self._drive = peer.publisher("/car/ackermann_cmd", DRIVE)
            self._acknowledge = peer.publisher(TOPIC, CLOCK)
            self._states = states
            everything = session.declare_subscriber("0/**", self._take)
            # The bridge counts this subscription; `_take` gets its messages, too, in their order.
            peer.subscribe(CLOCK_TOPIC, CLOCK, lambda clock: None)
            assert self._done.wait(PATIENCE)
            everything.undeclare()
        self.digest = self._hash.hexdigest()

    def _take(self, sample: Any) -> None:
        key = str(sample.key_expr)
        if "@" in key or any(each in key for each in OWN):
            return
        data = sample.payload.to_bytes()
        self._hash.update(key.encode() + data)
        if key.startswith("0/car/odom/"):
            self._newest[:] = [TYPES.from_cdr(data, "nav_msgs/msg/Odometry")]
        elif key.startswith(f"0{CLOCK_TOPIC}/"):
            self._answer(TYPES.from_cdr(data, CLOCK))

    def _answer(self, clock: Any) -> None:
        self.times.append(clock.clock.sec * NANOSECONDS + clock.clock.nanosec)
        turn = 0.3 if self._newest and self._newest[0].pose.pose.position.x % 2.0 < 1.0 else -0.3
        wanted = {"drive": {"speed": 3.0, "steering_angle": turn}}
        self._drive.publish(TYPES.build(DRIVE, wanted))
        if len(self.times) == self._states:
            self._done.set()
            return
        if self._pause:
            self._done.wait(self._pause)
        self._acknowledge.publish(clock)


def digests(folder: Path, paces: Sequence[float]) -> list[str]:
    """The digest of a run at each pace, all from the start of the world."""
    found = []
    with server(COMMAND, folder) as environment:
        for pace in paces:
            with bridge(environment, "--lockstep", "1", "--rate", "20", "--no-pictures") as router:
                found.append(Run(router, STATES, pace).digest)
            with simulation_control(environment["AUTOSIM_SERVER"]) as control:
                for _ in ServerManagement(control).load(""):
                    pass
    return found


def test_runs_at_any_pace_give_the_same_messages(folder: Path) -> None:
    found = digests(folder, [0.5, 1.0, 4.0, 20.0, 0.0])
    assert len(found) == 5
    assert len(set(found)) == 1


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_runs_at_any_pace_give_the_same_messages(folder: Path) -> None:
    paces = np.random.default_rng(5).permutation(np.geomspace(0.2, 20.0, 100))
    assert len(set(digests(folder, paces.tolist()))) == 1


def test_a_restarted_bridge_continues_where_it_ended(folder: Path) -> None:
    options = ("--lockstep", "1", "--rate", "20", "--no-pictures")
    with server(COMMAND, folder) as environment:
        with bridge(environment, *options) as router:
            before = Run(router, 5).times
        with bridge(environment, *options) as router:
            after = Run(router, 5).times
    # The last time before was not acknowledged, so the simulation stood still meanwhile.
    assert after[0] == before[-1]
    steps = np.diff([*before, *after[1:]])
    assert len(set(steps.tolist())) == 1
