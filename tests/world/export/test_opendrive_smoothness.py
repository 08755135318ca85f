"""Exported OpenDRIVE roads meet without gaps, and state nothing twice."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from autosim.config.diagnostics import Diagnostics
from autosim.world.export.opendrive import opendrive
from autosim.world.opendrive.lane_links import driven_lanes, following
from autosim.world.opendrive.road_frames import RoadFrame, inner_of
from autosim.world.opendrive.xodr_reader import read_xodr
from tests.world.maps import build_map

CLOSE = 0.01
"""Distance [m] of the borders of two lanes that follow one another, as ASAM's checker has it."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A wide street that meets a narrow one, from which another narrow one leads away in a bend."""
    wide = {"highway": "primary", "lanes": "4", "maxspeed": "50"}
    narrow = {"highway": "residential", "width": "5"}
    bend = tuple((40.0 * np.sin(a), -100.0 + 40.0 * np.cos(a)) for a in np.linspace(0.0, 1.5, 8))
    ways = [
        (((-200.0, 0.0), (0.0, 0.0), (200.0, 0.0)), wide),
        (((0.0, 0.0), (0.0, -60.0)), narrow),
        ((bend[0], *bend[1:]), narrow),
    ]
    folder = tmp_path_factory.mktemp("smooth")
    return opendrive(build_map(folder, ways, side="right"))


def test_the_borders_of_lanes_that_follow_one_another_meet(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "town.xodr"
    path.write_bytes(exported)
    content = read_xodr(path, Diagnostics())
    frames = {key: RoadFrame.of(road, (0.0, 0.0, 0.0)) for key, road in content.roads.items()}
    keys = driven_lanes(content)
    gaps = []
    for first, others in following(content, keys).items():
        for second in others:
            ends = []
            for key, s in ((first, frames[first.road].s[-1:]), (second, np.zeros(1))):
                borders = frames[key.road].borders(key.section, s)
                for border in (borders[key.lane], borders[inner_of(key.lane)]):
                    ends.append(frames[key.road].at(s, border)[0])
            gaps += [float(np.linalg.norm(ends[k] - ends[k + 2])) for k in (0, 1)]
    assert len(gaps) > 20
    assert max(gaps) < CLOSE


def number(element: etree._Element, name: str) -> float:
    return float(element.get(name, "nan"))


def test_no_piece_of_a_profile_only_continues_the_one_before(exported: bytes) -> None:
    root = etree.fromstring(exported)
    counts: dict[str, int] = defaultdict(int)
    for road in root.iter("road"):
        for first, second in pairwise(road.iter("elevation")):
            ds = number(second, "s") - number(first, "s")
            expected = number(first, "a") + number(first, "b") * ds
            same = abs(number(first, "b") - number(second, "b")) < 1e-6
            counts["elevation"] += same and abs(expected - number(second, "a")) < 1e-6
        for first, second in pairwise(road.iter("geometry")):
            are_lines = first.find("line") is not None and second.find("line") is not None
            turn = abs(number(first, "hdg") - number(second, "hdg"))
            counts["line"] += are_lines and turn < 1e-6
    assert not any(counts.values())
