"""The side of the road that traffic keeps to is seen from the lanes."""

from dataclasses import replace

import pytest

from autosim import load_world
from autosim.config.descriptions import DrivingSide
from autosim.world.lanes.traffic_side import keeps_left
from autosim.world.pipeline.cache import compile_world


@pytest.mark.parametrize("side", ["left", "right"])
def test_lanes_show_the_side_of_traffic(side: DrivingSide) -> None:
    terrain = replace(load_world("worlds/circle_town.xml").terrain, driving_side=side)
    assert keeps_left(compile_world(terrain).roads) is (side == "left")
