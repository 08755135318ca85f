"""Autoware's topics and the belief of a robot, as topics of a bench."""

from pathlib import Path

import numpy as np
import pytest

from autosim_testbench.launch.bench import BenchOptions, LockstepBench
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.nodes.clock import WallClock
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.topic import Topic

BENCH = Path(__file__).parents[3] / "testbenches" / "autoware_car.xml"

WORLD = """<World name="believing"><Terrain><Map name="circle_town">
<Folder path="worlds/circle_town"/><DrivingSide value="left"/></Map></Terrain>
<Objects><Robot name="car"><File path="robots/impreza.xml"/><Position x="-144.0" z="2.0"/>
</Robot></Objects></World>"""

BELIEF = """<launch><node name="town" pkg="autosim_testbench.bridge.simulated_world"
type="SimulatedWorld"><param name="~world" value="{world}"/>
<param name="~set:car.state" value="estimate"/><param name="~publish:car.state" value="belief"/>
<param name="~publish:car.state_truth" value="truth"/></node></launch>"""


def listen(bench: LockstepBench, node: Node, name: str) -> Topic:
    """What somebody hears who listens to a topic that a node publishes."""
    heard = Topic(
        name,
        type(node.published[name].object)(),
        node="ear",
        connection=bench.connect("ear"),
        clock=WallClock(),
    )
    heard.connection.subscribe(name, heard.callback)
    return heard


def test_a_vehicle_goes_as_autowares_topics_tell_it() -> None:
    with LockstepBench(load_launch(BENCH), BenchOptions(seconds=5.0, period=0.05)) as bench:
        town, commander = bench.nodes
        report = listen(bench, town, "/vehicle/status/state_report")
        bench.run(after_tick=report.connection.process)
        assert commander.state.longitudinal_velocity_mps == pytest.approx(5.0, abs=0.2)
        assert commander.state.front_wheel_angle_rad == pytest.approx(0.1, abs=0.05), "with noise"
        assert commander.state.heading_rate_rps == pytest.approx(5.0 * np.tan(0.1) / 2.52, abs=0.05)
        assert (report.object.gear, report.object.hold) == (1.0, 0.0), "it drives, as commanded"


def test_a_belief_is_published_and_set(tmp_path: Path) -> None:
    world, file = tmp_path / "believing.xml", tmp_path / "bench.xml"
    world.write_text(WORLD)
    file.write_text(BELIEF.format(world=world))
    with LockstepBench(load_launch(file), BenchOptions(seconds=1.0, period=0.05)) as bench:
        town = bench.nodes[0]
        belief, truth = (listen(bench, town, name) for name in ("belief", "truth"))
        for _ in range(4):
            bench.tick()
        belief.connection.process()
        truth.connection.process()
        assert belief.object.position.tolist() == truth.object.position.tolist()
        estimate = type(belief.object)()
        estimate.deserialize(belief.object.serialize())
        estimate.position = truth.object.position + np.array((3.0, 0.0, 0.0))
        estimate.covariance = np.eye(9) * 0.25
        sender = Topic(
            "estimate", estimate, node="me", connection=bench.connect("me"), clock=WallClock()
        )
        sender.publish()
        for _ in range(2):
            bench.tick()
        belief.connection.process()
        truth.connection.process()
        assert belief.object.position[0] - truth.object.position[0] == pytest.approx(3.0, abs=0.3)
        assert belief.object.covariance[0, 0] == 0.25
