"""A town of OpenStreetMap as OpenDRIVE, and back."""

from pathlib import Path

import numpy as np
import shapely

from autosim.applications.common.open_worlds import open_named_world
from autosim.world.export.opendrive import opendrive
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT

CLOSE = 0.005
"""[m] Greatest distance of the points of a lane from the lane that comes back."""


def lines_of(roads: RoadNetwork) -> list[shapely.LineString]:
    return [shapely.LineString(lane.centre_line[:, :2]) for lane in roads.lanes]


def test_lanes_of_a_town_come_back_where_they_were(tmp_path: Path) -> None:
    town = compile_world(open_named_world(ROOT / "worlds" / "circle_town.xml").terrain)
    file = tmp_path / "town.xodr"
    file.write_bytes(opendrive(town))
    back = lines_of(compile_world(open_named_world(file).terrain).roads)
    assert len(back) == len(town.roads.lanes)
    index = shapely.STRtree(back)
    for line in lines_of(town.roads):
        found = index.query(line, predicate="dwithin", distance=CLOSE)
        points = shapely.points(np.asarray(line.coords))
        assert min(shapely.distance(points, back[k]).max() for k in found) < CLOSE
