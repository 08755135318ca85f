"""Gaps and kinks between lanes, and connectors that no car can drive."""

import numpy as np
import pytest

from autosim.world.geometry.curves import arc
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.validation.lane_joints import (
    tight_connectors,
    tight_lanes,
    worst_joint_gap,
    worst_joint_turn,
)


def lanes_along(*lines):
    """Lanes along lines (n, 2) that do not follow one another."""
    return RoadNetwork.from_lanes(
        LaneRecord(
            road=k,
            centre_line=np.column_stack([line, np.full(len(line), 3.0)]),
            width=3.0,
            speed_limit=10.0,
            highway="residential",
            is_connector=False,
            successors=(),
        )
        for k, line in enumerate(lines)
    )


def turn_network(radius, *, gap=0.0, kink=0.0, highway="residential"):
    """A lane, a turn to the left of a radius [m], and a lane behind it, moved by a gap [m]."""
    bend = arc(np.zeros(2), kink, np.pi / 2.0 - kink, radius)
    end = bend[-1] + [gap, 0.0]
    lines = [np.array([[-20.0, 0.0], [0.0, 0.0]]), bend, end + np.array([[0.0, 0.0], [0.0, 20.0]])]
    return RoadNetwork.from_lanes(
        LaneRecord(
            road=k,
            centre_line=np.column_stack([line, np.full(len(line), 3.0)]),
            width=3.0,
            speed_limit=10.0,
            highway=highway,
            is_connector=k == 1,
            successors=(k + 1,) if k < 2 else (),
        )
        for k, line in enumerate(lines)
    )


def test_a_gap_between_a_connector_and_a_lane_is_measured():
    found = worst_joint_gap(turn_network(8.0, gap=3.5))
    assert found.value == pytest.approx(3.5)
    assert found.place == pytest.approx([8.0, 8.0, 3.0])
    assert worst_joint_gap(turn_network(8.0)).value == pytest.approx(0.0, abs=1e-9)


def test_a_kink_between_a_lane_and_a_connector_is_measured():
    assert worst_joint_turn(turn_network(8.0, kink=0.5)).value == pytest.approx(0.53, abs=0.04)
    assert worst_joint_turn(turn_network(8.0)).value < 0.06


@pytest.mark.parametrize(
    ("radius", "highway", "count"),
    [
        (2.3, "residential", 1),
        (2.3, "service", 1),
        (4.5, "residential", 1),
        (4.5, "service", 0),
        (5.5, "residential", 0),
    ],
)
def test_connectors_that_no_car_can_drive_are_counted(radius, highway, count):
    found = tight_connectors(turn_network(radius, highway=highway))
    assert found.count == count
    assert found.radius == pytest.approx(radius, rel=0.1)


def test_a_kink_at_the_end_of_a_connector_makes_it_tight():
    assert tight_connectors(turn_network(20.0, kink=1.0)).count == 1


@pytest.mark.parametrize(("radius", "count"), [(2.3, 1), (3.5, 1), (4.5, 0), (20.0, 0)])
def test_bends_inside_lanes_that_no_car_can_steer_are_counted(radius, count):
    bend = arc(np.zeros(2), 0.0, np.pi / 2.0, radius)
    line = np.vstack([[-20.0, 0.0], bend, bend[-1] + [0.0, 20.0]])
    network = lanes_along(line, np.array([[0.0, 50.0], [90.0, 50.0]]))
    found = tight_lanes(network)
    assert found.count == count
    assert found.radius == pytest.approx(radius, rel=0.1)
    assert np.linalg.norm(found.place - [radius / 2.0, radius / 2.0, 3.0]) < radius
    assert tight_connectors(network) is None


def test_a_network_without_lanes_has_nothing_to_measure():
    empty = RoadNetwork.from_lanes([])
    assert worst_joint_gap(empty) is worst_joint_turn(empty) is None
    assert tight_connectors(empty) is tight_lanes(empty) is None
