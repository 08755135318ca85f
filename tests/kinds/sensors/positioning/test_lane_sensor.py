"""Lane sensors against lanes whose middles, widths and directions are known."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.noise_records import WhiteNoise
from autosim.kinds.sensors.positioning.lane_sensor import (
    NO_LANE,
    LaneBank,
    LaneSensor,
    crossed_line,
)
from autosim.model.noise import NoiseField, NoisyValue
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from tests.kinds.test_banks import CONTEXT, QUIET, body, mount

EAST = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]])
WEST = EAST[::-1] + np.array([0.0, 3.5, 0.0])
ARC_ANGLES = np.linspace(0.0, np.pi / 2, 91)
RADIUS = 40.0
ARC = np.column_stack(
    [
        300.0 + RADIUS * np.sin(ARC_ANGLES),
        RADIUS - RADIUS * np.cos(ARC_ANGLES),
        np.zeros(len(ARC_ANGLES)),
    ]
)
"""A bend to the left about (300, 40)."""


def network():
    lanes = (EAST, 3.5), (WEST, 3.5), (ARC, 3.0)
    return RoadNetwork.from_lanes(
        LaneRecord(k, line, width, 14.0, "residential", False, ())
        for k, (line, width) in enumerate(lanes)
    )


def sensed(place, yaw, *, noise=QUIET, roads=None, **parameters):
    """Offset [m], heading error [rad], width [m], lane and line of a sensor on a body."""
    devices, state = mount(LaneSensor("lane", "", **parameters))
    bodies = body(yaw=yaw)
    bodies.positions[0] = place
    context = replace(CONTEXT, roads=network() if roads is None else roads)
    LaneBank(devices, context).sense(bodies, state, noise)
    first = devices[0].node.start // 8
    return tuple(state.floats[first : first + 5].tolist())


def test_place_heading_and_width_are_those_of_the_lane():
    offset, error, width, lane, crossed = sensed((30.0, 0.4, 0.3), 0.1)
    assert (offset, error, width) == pytest.approx((0.4, 0.1, 3.5), abs=1e-12)
    assert (lane, crossed) == (0, 0)


def test_the_lane_leads_as_the_vehicle_does():
    offset, error, _, lane, _ = sensed((30.0, 2.0, 0.0), np.pi - 0.2)
    assert lane == 1
    assert (offset, error) == pytest.approx((1.5, -0.2), abs=1e-12)


@pytest.mark.parametrize("angle", [0.2, 0.7, 1.31])
@pytest.mark.parametrize("aside", [-0.8, 0.5])
def test_in_a_bend_the_offset_is_that_from_its_radius(angle, aside):
    radius = RADIUS - aside
    place = (300.0 + radius * np.sin(angle), RADIUS - radius * np.cos(angle), 0.0)
    offset, error, width, lane, _ = sensed(place, angle + 0.05)
    assert (lane, width) == (2, 3.0)
    assert offset == pytest.approx(aside, abs=RADIUS * (1.0 - np.cos(np.pi / 360)) * 1.01)
    assert error == pytest.approx(0.05, abs=1e-3)


def test_the_place_on_the_part_and_the_direction_count():
    offset, error, *_ = sensed(
        (30.0, 0.0, 0.0), 0.0, position=(2.0, -0.5, 0.0), direction=(0.0, 1.0, 0.0), range=50.0
    )
    assert offset == pytest.approx(-0.5)
    assert abs(error) == pytest.approx(np.pi / 2)


def test_a_line_is_crossed_when_half_of_the_width_is_beyond_it():
    offsets = np.array([0.0, 0.84, 0.86, -0.84, -0.86])
    widths, halves = np.full(5, 3.5), np.full(5, 0.9)
    assert crossed_line(offsets, widths, halves).tolist() == [0, 0, 1, 0, -1]
    assert sensed((30.0, -1.0, 0.0), 0.0)[4] == -1
    assert sensed((30.0, -1.0, 0.0), 0.0, width=1.0)[4] == 0


def test_far_from_all_lanes_and_without_lanes_there_is_none():
    assert sensed((30.0, -60.0, 0.0), 0.0) == (0.0, 0.0, 0.0, NO_LANE, 0)
    assert sensed((30.0, 0.0, 0.0), 0.0, roads=RoadNetwork.from_lanes(())) == (0, 0, 0, NO_LANE, 0)


def test_noise_moves_the_offset_and_with_it_the_line_but_never_the_lane():
    names = (".offset", ".heading_error", ".width", ".lane")
    channels = [
        NoisyValue(name, "lane", name[1:], (WhiteNoise(0.0, 1.0, field="offset"),), name == ".lane")
        for name in names
    ]
    noise = NoiseField(channels, seed=0, step_seconds=1 / 240)
    offset, error, width, lane, crossed = sensed((30.0, 0.2, 0.0), 0.0, noise=noise)
    assert (offset, error, width) == pytest.approx((1.2, 0.0, 3.5))
    assert (lane, crossed) == (0, 1)
