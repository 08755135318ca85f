"""What each combiner makes of a physical and a virtual side, in each mode."""

from typing import Any

import numpy as np
import pytest

from autosim.errors import UserError
from autosim_testbench.combiners.image_combiner import ImageCombiner
from autosim_testbench.combiners.ranges import LidarCombiner, RangeCombiner
from autosim_testbench.combiners.value_combiners import ScalarCombiner, TransformCombiner
from autosim_testbench.messages.envelope import seal, unseal
from autosim_testbench.messages.kinds import Range, Scalar, Transform, picture_kind, scan_kind
from autosim_testbench.messages.serial_object import SerialObject
from autosim_testbench.nodes.reality import Combiner
from tests.testbench.nodes.rig import Rig

TOPICS = {"physical": "p", "virtual": "v", "output": "o"}


def combine(
    node: Combiner, physical: SerialObject, virtual: SerialObject, mode: int, **parameters: str
) -> Any:
    """What the node publishes for one message of each side."""
    rig = Rig()
    there, got = rig.backend.connect("there"), type(physical)()
    there.subscribe("o", lambda data: unseal(data, got) and None)
    rig.start(node, "node", {**TOPICS, **parameters, "mode": str(mode)})
    for topic, message in (("p", physical), ("v", virtual)):
        there.publish(topic, seal(message, publisher=0, sequence=0, now_ns=0))
    rig.step()
    assert there.process() == 1
    return got


@pytest.mark.parametrize(
    ("mode", "physical", "virtual", "expected"),
    [
        (0, 1.0, 2.0, 1.0),
        (1, 1.0, 2.0, 2.0),
        (2, 1.0, 2.0, 1.0),
        (2, 0.01, 2.0, 2.0),
        (2, 5.0, 6.0, np.inf),
        (0, 4.5, 1.0, np.inf),
    ],
)
def test_the_nearer_distance_within_the_limits(
    mode: int, physical: float, virtual: float, expected: float
) -> None:
    there = Range(distance=physical), Range(distance=virtual)
    got = combine(RangeCombiner(), *there, mode, minimum="0.02", maximum="4")
    assert got.distance == pytest.approx(expected)


def test_a_lidar_is_combined_ray_by_ray() -> None:
    kind = scan_kind(3)
    physical, virtual = kind(ranges=[1.0, 9.0, 3.0]), kind(ranges=[2.0, 2.5, np.inf])
    got = combine(LidarCombiner(), physical, virtual, 2, rays="3", maximum="5")
    assert got.ranges.tolist() == [1.0, 2.5, 3.0]


@pytest.mark.parametrize(("rule", "expected"), [("sum", 3.0), ("minimum", -2.0), ("maximum", 5.0)])
def test_numbers_are_combined_by_the_rule(rule: str, expected: float) -> None:
    got = combine(ScalarCombiner(), Scalar(value=5.0), Scalar(value=-2.0), 2, rule=rule)
    assert got.value == expected


def test_an_augmented_pose_is_the_virtual_one_in_the_physical_frame() -> None:
    quarter = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    physical = Transform(position=[10.0, 0.0, 0.0], orientation=quarter)
    virtual = Transform(position=[2.0, 0.0, 1.0], orientation=quarter)
    got = combine(TransformCombiner(), physical, virtual, 2)
    assert got.position == pytest.approx([10.0, 2.0, 1.0])
    assert np.abs(got.orientation) == pytest.approx([0.0, 0.0, 1.0, 0.0])
    assert combine(TransformCombiner(), physical, virtual, 0).position.tolist() == [10.0, 0.0, 0.0]


def test_virtual_things_are_drawn_by_their_depth() -> None:
    kind = picture_kind(3, 1)
    physical = kind(colours=[[[10] * 3] * 3], depths=[[5.0, 5.0, np.inf]])
    virtual = kind(colours=[[[200] * 3] * 3], depths=[[2.0, 8.0, np.inf]])
    got = combine(ImageCombiner(), physical, virtual, 2, width="3", height="1")
    assert got.colours[0, :, 0].tolist() == [200, 10, 10]
    assert got.depths.tolist() == [[2.0, 5.0, np.inf]]


def test_a_size_that_is_missing_or_wrong_is_said() -> None:
    rig = Rig()
    with pytest.raises(UserError, match=r'node scan needs <param name="~rays" value="NUMBER"/>'):
        rig.start(LidarCombiner(), "scan", TOPICS)
    with pytest.raises(UserError, match=r"node scan: parameter rays is 2.5, but has to be 1, 2"):
        rig.start(LidarCombiner(), "scan", {**TOPICS, "rays": "2.5"})
    with pytest.raises(UserError, match="parameter rule is 'median', none of sum, minimum, max"):
        rig.start(ScalarCombiner(), "scalar", {**TOPICS, "rule": "median"})
