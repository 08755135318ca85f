"""AutoSim as the virtual side of a bench: devices are topics; a planner for rovers drives a car."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosim.errors import UserError
from autosim.model.tree import Column, Field, FieldType, TreeNode, list_field
from autosim_testbench.bridge.device_kinds import device_kind
from autosim_testbench.launch.bench import BenchOptions, LockstepBench, run_launch
from autosim_testbench.launch.launch_file import load_launch

BENCH = Path(__file__).parents[3] / "testbenches" / "avoidance_in_town.xml"


def test_a_device_is_a_kind_of_message_with_the_same_bytes() -> None:
    fields = (
        Field("rate", unit="rad/s"),
        Field("count", FieldType.INT, shape=(2,)),
        Field("sentence", FieldType.TEXT, shape=(16,)),
    )
    kind = device_kind(TreeNode("robot.part.device", "Example", fields))
    message = kind()
    message.deserialize(
        np.float64(1.5).tobytes() + np.array([2, 3]).tobytes() + b"$GP".ljust(16, b"\0")
    )
    assert (message.rate, message.count.tolist(), message.sentence) == (1.5, [2, 3], "$GP")
    with pytest.raises(UserError, match="plan is a list of any length"):
        device_kind(TreeNode("plan", "List", (list_field("rows", (Column("x"),), 3),)))


def run(seconds: float) -> dict[str, Any]:
    return run_launch(load_launch(BENCH), BenchOptions(seconds=seconds, period=0.02))


def test_the_planner_drives_a_car_through_a_town_by_its_lidar() -> None:
    with LockstepBench(load_launch(BENCH), BenchOptions(seconds=20.0, period=0.02)) as bench:
        start = None
        while not bench.is_over:
            bench.tick()
            planner = bench.nodes[3]
            start = start or (planner.pose.x, planner.pose.y)
        assert np.hypot(planner.pose.x - start[0], planner.pose.y - start[1]) > 40.0
        assert planner.report()["obstacles_avoided"] >= 2
        assert bench.nodes[0].report()["collisions"] == {"scout": 0}


def test_the_same_bench_makes_the_same_bytes() -> None:
    assert json.dumps(run(2.0)) == json.dumps(run(2.0))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("publish:scout.chassis.lidar", "publish:scout.chassis.ladar", "did you mean 'scout.cha"),
        ("set:scout.chassis.drive_chassis", "set:scout.chassis.lidar", "is a sensor: it cannot be"),
        ('name="~world"', 'name="~wrld"', 'node town needs <param name="~world" value="FILE"/>'),
    ],
)
def test_a_mistake_in_the_file_is_said(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "bench.xml"
    file.write_text(BENCH.read_text().replace(old, new))
    with pytest.raises(UserError, match=message):
        run_launch(load_launch(file), BenchOptions(seconds=0.1))
