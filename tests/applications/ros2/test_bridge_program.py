"""`autosim ros2` beside a real server, with a node of ROS that has a session of its own."""

import os
import subprocess
import threading
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.client.link.simulation_control import simulation_control
from autosim.ros2.ros_action import GoalStatus
from autosim.ros2.ros_graph import Quality
from tests.applications.ros2.bridge_rig import PATIENCE, TYPES, bridge, call, node
from tests.commands import AUTOSIM, server
from tests.paths import ROOT
from tests.ros2.action_client import KIND, ActionClient


def test_a_node_drives_a_car_sees_it_move_and_pauses_the_simulation(folder: Path) -> None:
    with (
        server(["autosim", "server", "worlds/ros.xml", "--headless"], folder) as environment,
        bridge(environment) as router,
        node(router) as (peer, session),
    ):
        moved, pictures = threading.Event(), Queue[Any]()
        statics: Queue[Any] = Queue()

        def watch(message: Any) -> None:
            if message.twist.twist.linear.x > 1.0:
                moved.set()

        peer.subscribe("/car/odom", "nav_msgs/msg/Odometry", watch)
        peer.subscribe("/tf_static", "tf2_msgs/msg/TFMessage", statics.put, quality=Quality.LATCHED)
        peer.subscribe("/car/view/image_raw", "sensor_msgs/msg/Image", pictures.put)
        twist = peer.publisher("/car/cmd_vel", "geometry_msgs/msg/Twist")
        for _ in range(int(PATIENCE / 0.1)):
            twist.publish(TYPES.build("geometry_msgs/msg/Twist", {"linear": {"x": 2.0}}))
            if moved.wait(0.1):
                break
        assert moved.is_set()
        frames = {each.child_frame_id for each in statics.get(timeout=PATIENCE).transforms}
        assert {"car/odom", "car/view", "car/view_optical"} <= frames
        picture = pictures.get(timeout=PATIENCE)
        assert (picture.width, picture.height, picture.encoding) == (64, 48, "rgb8")
        assert picture.data.std() > 5.0
        assert (
            call(session, "/simulation/get_simulation_state", "GetSimulationState").state.state == 1
        )
        paused = {"state": {"state": 2}}
        result = call(session, "/simulation/set_simulation_state", "SetSimulationState", **paused)
        assert result.result.result == 1
        with simulation_control(environment["AUTOSIM_SERVER"]) as control:
            step = control.status().step
            stepped = call(session, "/simulation/step_simulation", "StepSimulation", steps=5)
            assert (stepped.result.result, control.status().step) == (1, step + 5)
            features = call(session, "/simulation/get_simulator_features", "GetSimulatorFeatures")
            assert 33 in features.features.features
            action = ActionClient(session, "simulation/simulate_steps")
            assert action.send(b"a" * 16, 3)
            assert action.result(b"a" * 16).status == GoalStatus.SUCCEEDED
            assert control.status().step == step + 8
            assert [action.feedback.get(timeout=PATIENCE).feedback for _ in range(3)] == [
                TYPES.build(f"{KIND}_Feedback", {"completed_steps": n, "remaining_steps": 3 - n})
                for n in (1, 2, 3)
            ]
            control.run()
            assert action.send(b"b" * 16, 3)
            refused = action.result(b"b" * 16)
            assert refused.status == GoalStatus.ABORTED
            assert refused.result.result.error_message == "the simulation is not paused"
        found = call(session, "/simulation/get_entities", "GetEntities", filters={"filter": "c.r"})
        assert found.entities == ["car"]
        missing = call(session, "/simulation/get_entity_state", "GetEntityState", entity="van")
        assert (missing.result.result, missing.result.error_message) == (
            2,
            "there is no entity 'van'",
        )


def test_wrong_words_are_named(tmp_path: Path) -> None:
    for words, reason in (
        (["nonsense"], "SERVER"),
        (["--router", "nonsense"], "zenoh cannot be opened at nonsense"),
        (["--distribution", "foxy"], "foxy"),
    ):
        done = subprocess.run(
            [*AUTOSIM, "ros2", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
