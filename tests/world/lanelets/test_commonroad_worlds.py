"""Whole worlds of small CommonRoad files."""

from pathlib import Path

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.reading.map_kinds import MapKind, is_map_file, map_kind
from autosim.world.lanelets.commonroad_map import read_commonroad_map
from autosim.world.lanelets.lanelet_records import PathKey
from autosim.world.pipeline.map_check import check_map
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.lanelets.commonroad_files import document, lanelet, two_lanes


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_lanelets_become_lanes_with_links_neighbours_and_limits(tmp_path: Path) -> None:
    path = written(tmp_path, document(two_lanes()))
    assert map_kind(path) is MapKind.COMMONROAD
    assert is_map_file(path)
    assert check_map(path) == []
    content = read_commonroad_map(path, Diagnostics())
    assert content.successors[PathKey(2, True)] == (PathKey(3, True),)
    roads = build_world(path).roads
    assert roads.lengths() == pytest.approx([100.0, 100.0, 60.0])
    assert roads.roads[0] == roads.roads[1]
    assert roads.speed_limits[1] == pytest.approx(8.5)
    assert roads.lanes[1].successors == (2,)
    assert roads.points[:, 1].max() == pytest.approx(5.25)


def test_surveyors_coordinates_are_moved_to_the_origin(tmp_path: Path) -> None:
    world = build_world(written(tmp_path, document(two_lanes(500_000.0))))
    assert np.abs(world.roads.points[:, :2]).max() < 100.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document(two_lanes(), version="2099x"), "CommonRoad 2099x is not read"),
        (document().replace("commonRoadVersion", "year"), "CommonRoad of an unknown version is"),
        (document(), "the file has no lanelet"),
        (
            document(lanelet(1, (0.0, 0.0), (3.0, 0.0))),
            ":3: error: lanelet 1: its <leftBound> has fewer than two different points",
        ),
        (document(two_lanes())[:-20], "not well-formed XML"),
    ],
)
def test_unusable_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        build_world(written(tmp_path, text))
    assert message in str(error.value)
