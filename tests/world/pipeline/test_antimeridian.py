"""A map across the 180th meridian, as of Taveuni in Fiji, is the world that it is elsewhere."""

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.world.geometry.extent import Window
from autosim.world.pipeline.world_pipeline import build_world
from tests.world import maps
from tests.world.maps import CROSSING, RESIDENTIAL, write_map

WAYS = (*CROSSING, (((-60.0, 0.0), (-60.0, 70.0)), RESIDENTIAL))
HERE, THERE = (-16.8, 179.9999), (-16.8, 100.0)


def written(folder, origin, monkeypatch, bounds=""):
    monkeypatch.setattr(maps, "ORIGIN", origin)
    path = write_map(folder, WAYS)
    text = path.read_text(encoding="utf-8").replace("<node", f"{bounds}<node", 1)
    path.write_text(text, encoding="utf-8")
    return path


def build(path, window=None):
    return build_world(path, window=window, diagnostics=Diagnostics())


BOUNDS = '<bounds minlat="-16.802" minlon="{}" maxlat="-16.798" maxlon="{}"/>'


@pytest.mark.parametrize(
    "bounds",
    [
        "",
        BOUNDS.format(179.998, -179.998),
        # As a writer gives them that takes the least and the greatest of all nodes.
        BOUNDS.format(-179.999, 179.999),
        BOUNDS.format(-180, 180),
    ],
)
def test_a_map_across_the_180th_meridian_is_whole(tmp_path, monkeypatch, bounds):
    world = build(written(tmp_path, HERE, monkeypatch, bounds))
    other = build(written(tmp_path, THERE, monkeypatch))
    assert world.driving_side == "left"
    assert world.origin[1] == pytest.approx(HERE[1], abs=1e-3)
    assert not any("beyond the window" in reason for reason, _ in world.left_out)
    assert np.ptp(world.roads.points[:, 0]) == pytest.approx(
        np.ptp(other.roads.points[:, 0]), abs=0.01
    )
    assert world.bounds[0] < -150.0
    assert world.bounds[2] > 150.0


def test_a_window_on_either_side_holds_the_same_streets(tmp_path, monkeypatch):
    path = written(tmp_path, HERE, monkeypatch)
    worlds = [build(path, Window(-16.8, longitude, 400.0)) for longitude in (179.9999, -180.0)]
    lengths = [float(np.ptp(world.roads.points[:, 0])) for world in worlds]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.01)


def test_the_nearest_street_is_found_across_the_180th_meridian(tmp_path, monkeypatch):
    path = written(tmp_path, HERE, monkeypatch)
    with pytest.raises(ConfigError, match=r"the nearest one of this map is at -16\.80000,-179\.99"):
        build(path, Window(-16.8, -179.9, 300.0))
