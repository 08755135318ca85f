"""A town as a Lanelet2 file, and back."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.lanelet2 import lanelet2
from autosim.world.lanelets.lanelet2_reader import read_lanelet2
from autosim.world.lanelets.lanelet_paths import make_paths
from autosim.world.lanelets.lanelet_records import LaneletMap
from autosim.world.lanes.lane_rules import Control
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import build_map

CLOSE = 0.05
"""Distance [m] of a lane from the middle of its lanelet."""


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    """A wide street with a narrow one that ends in it, and traffic lights at another."""
    wide = {"highway": "primary", "lanes": "4", "maxspeed": "50"}
    narrow = {"highway": "residential", "maxspeed": "30"}
    ways = [
        (((-200.0, 0.0), (0.0, 0.0), (200.0, 0.0)), wide),
        (((0.0, 0.0), (0.0, -60.0), (30.0, -120.0)), narrow),
        (((200.0, 0.0), (200.0, 80.0)), narrow),
    ]
    return build_map(tmp_path_factory.mktemp("lanelet2"), ways, side="right")


@pytest.fixture(scope="module")
def written(town: CompiledWorld, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("out") / "town.osm"
    path.write_bytes(lanelet2(town))
    return path


@pytest.fixture(scope="module")
def content(written: Path) -> LaneletMap:
    return read_lanelet2(written, Diagnostics())


def test_each_lane_is_a_lanelet_with_its_successors(
    town: CompiledWorld, content: LaneletMap
) -> None:
    roads = town.roads
    assert len(content.lanelets) == len(roads.roads)
    ids = list(content.lanelets)
    for key, after in content.successors.items():
        lane = ids.index(key.lanelet)
        found = sorted(ids.index(each.lanelet) for each in after)
        assert found == sorted(roads.lanes[lane].successors)
    limits = [each.speed_limit for each in content.lanelets.values()]
    assert limits == pytest.approx(roads.speed_limits.tolist(), abs=0.15)


def test_neighbours_share_a_border(content: LaneletMap) -> None:
    assert len(content.beside) >= 4


def test_lanelets_lie_where_the_lanes_are(town: CompiledWorld, content: LaneletMap) -> None:
    for lane, path in zip(
        town.roads.lanes, make_paths(content, keeps_left=False).values(), strict=True
    ):
        line = shapely.LineString(path.line[:, :2])
        gaps = shapely.distance(shapely.points(lane.centre_line[:, :2]), line)
        assert gaps.max() < CLOSE
        assert np.abs(path.line[[0, -1], 2] - lane.centre_line[[0, -1], 2]).max() < CLOSE


def test_rules_come_back(town: CompiledWorld, written: Path) -> None:
    back = build_world(written)
    for control in (Control.GIVE_WAY,):
        count = int((town.roads.traffic.controls == control).sum())
        assert count
        assert int((back.roads.traffic.controls == control).sum()) == count
